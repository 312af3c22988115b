// Package console is the admin plane: environments and their recordings. It uses
// only the platform.
package console

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/cause"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/provision"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/program"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict"
)

var (
	noKey = fault.New(fault.Unauthenticated, "unauthorized", "Send the admin key as Authorization: Bearer <key>; it is in credentials.json.")
)

// Deps are the dependencies of the console.
type Deps struct {
	Environments  *lifecycle.Environments
	Clones        *clone.Cloner
	Provisioner   *provision.Provisioner
	Active        map[string]environment.Active // the services with acts, by name
	CheckAdminKey func(address, text string) (bool, error)
	// RotateKey rotates the admin key. It returns the new key, and how long the old
	// one is still accepted.
	RotateKey   func(ctx context.Context) (key string, grace time.Duration, err error)
	Credentials func(ctx context.Context, id string, env *environment.Environment) (map[string]any, error)
	BaseURL     func(env, service string) string
	SeedSchema  func() map[string]any // the JSON schema of seed documents
	Arrived     func(context.Context) // waits until requests that have arrived are being served
	Program     *program.Program
	Log         *slog.Logger
}

// Console serves /admin/v1.
type Console struct {
	d          Deps
	routes     httpkit.Routes[*Console]
	accepted   map[string][]string // the query parameters of each route, by pattern
	shapes     map[string]shape    // of the routes, by pattern
	docs       func() *apidocs.Docs
	vocabulary func() *verdict.Vocabulary
	ending     chan struct{} // closed when streams must end
	endOnce    sync.Once
	requestIDs *ids.Source // for ids of requests, which must not draw from an environment's sequence
}

// New returns the handler of the admin plane; it receives whole paths.
func New(d Deps) *Console {
	c := &Console{d: d, accepted: map[string][]string{}, shapes: maps.Clone(shapes), requestIDs: ids.Random(), ending: make(chan struct{})}
	c.addRoutes()
	c.docs = sync.OnceValue(c.describe)
	c.vocabulary = sync.OnceValue(c.readVocabulary)
	return c
}

func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpkit.Reached(r.Context())
	c.identify(w)
	out := &reply{ResponseWriter: w}
	w = out
	defer func() {
		switch p := recover(); p {
		case nil:
		case httpkit.ReplyTooLarge:
			c.WriteError(w, r, httpkit.ReplyTooLarge)
		case http.ErrAbortHandler:
			panic(p)
		default:
			c.d.Log.Error("a handler of the admin plane panicked", "request_id", w.Header().Get("X-Request-Id"), "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			if out.status != 0 {
				panic(http.ErrAbortHandler)
			}
			writeInternal(w)
		}
	}()
	if httpkit.HasBadURL(r) {
		c.WriteError(w, r, httpkit.BadURL)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/admin/v1") {
		c.WriteError(w, r, httpkit.NoRoute)
		return
	}
	if c.serveDocs(w, r) {
		return
	}
	ok, err := c.d.CheckAdminKey(httpkit.ClientAddress(r), httpkit.Bearer(r))
	if err == nil && !ok {
		err = noKey
	}
	if err != nil {
		c.WriteError(w, r, err)
		return
	}
	c.routes.Serve(c, w, r.WithContext(cause.AsAdmin(r.Context())), func(err error) { c.WriteError(w, r, acting{c}.named(r, err)) })
}

func writeInternal(w http.ResponseWriter) {
	httpkit.WriteJSON(w, http.StatusInternalServerError, map[string]any{"error": map[string]string{
		"code": "internal_error", "message": "Something went wrong; the log says what."}})
}

// identify sets the header X-Request-Id of a reply, unless it is already set.
func (c *Console) identify(w http.ResponseWriter) {
	if h := w.Header(); h["X-Request-Id"] == nil {
		h["X-Request-Id"] = []string{c.requestIDs.Hex(20)}
	}
}

// WriteError replies with err in the admin plane's form.
func (c *Console) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	c.identify(w)
	e, ok := fault.As(err)
	if !ok {
		c.d.Log.Error("a request to the admin plane failed", "request_id", w.Header().Get("X-Request-Id"), "path", r.URL.Path, "error", err)
		writeInternal(w)
		return
	}
	httpkit.SetRetryAfter(w, e)
	switch near := e.Attrs.(type) {
	case strict.Suggestion:
		writeUnknown(w, e, strict.Located{Suggestion: near})
		return
	case strict.Located:
		writeUnknown(w, e, near)
		return
	}
	detail := e.Detail
	if e.Field != "" {
		detail = e.Field + ": " + detail
	}
	if problems, ok := e.Attrs.(seeddoc.Problems); ok {
		writeProblems(w, httpkit.Status(e.Kind), e, problems)
		return
	}
	status := httpkit.Status(e.Kind)
	if named, ok := e.Attrs.([]string); ok && e.Reason == environment.Ambiguous.Reason {
		httpkit.WriteJSON(w, status, map[string]any{"error": map[string]any{"code": string(e.Reason), "message": detail, "ids": named}})
		return
	}
	switch e.Reason {
	case httpkit.WrongMethod.Reason:
		status = http.StatusMethodNotAllowed
	case environment.AppFailed.Reason:
		status = http.StatusBadGateway
	}
	body := map[string]any{}
	details, _ := e.Attrs.(environment.Details)
	maps.Copy(body, details)
	body["code"], body["message"] = string(e.Reason), detail
	httpkit.WriteJSON(w, status, map[string]any{"error": body})
}
