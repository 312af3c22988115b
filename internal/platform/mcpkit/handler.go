package mcpkit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

const (
	maxRequest = 1 << 20
	// An identity is read again after identityTime, so that changed scopes take
	// effect; at most maxServers are cached.
	identityTime = 10 * time.Minute
	maxServers   = 256
)

// Open creates the server for a token. A *Failure with a status becomes the
// reply.
type Open func(ctx context.Context, token string) (*Server, error)

// Handler serves a tool server for each token over streamable HTTP. It has no
// sessions: each request contains its token, so any node can serve it, also after
// a restart.
type Handler struct {
	open  Open
	words Words
	log   *slog.Logger
	http  func() *mcp.StreamableHTTPHandler

	// servers caches the servers of the most recently used tokens, by the hash of
	// the token.
	servers *cache.Bounded[[sha256.Size]byte, opened]
}

type opened struct {
	server *Server
	caller record.Caller // the token's user
	at     time.Time
}

// NewHandler returns the handler. Injected errors are written by words. It
// creates nothing before the first request.
func NewHandler(open Open, words Words, log *slog.Logger) *Handler {
	h := &Handler{open: open, words: words, log: log,
		servers: cache.NewBounded(maxServers, func([sha256.Size]byte, opened) int { return 1 })}
	h.http = sync.OnceValue(func() *mcp.StreamableHTTPHandler {
		return mcp.NewStreamableHTTPHandler(
			func(r *http.Request) *mcp.Server { return r.Context().Value(serverKey{}).(*Server).mcp },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, Logger: quiet(log), MaxRequestBodyBytes: maxRequest})
	})
	return h
}

type serverKey struct{}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.admit(w, r) {
		return
	}
	token := httpkit.Credential(r)
	if token == "" || strings.Contains(token, " ") {
		h.refuse(w, &Failure{Status: http.StatusUnauthorized, Message: "Send the token in the header Authorization: Bearer <token>."})
		return
	}
	o, err := h.server(r.Context(), token)
	if err != nil {
		h.WriteError(w, r, err)
		return
	}
	body, err := httpkit.ReadBody(r, maxRequest)
	if err == nil {
		err = budget.JSON(r.Context(), body)
	}
	if f, ok := fault.As(err); ok {
		httpkit.SetRetryAfter(w, f)
		h.refuse(w, &Failure{Status: httpkit.Status(f.Kind), Message: f.Detail})
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var c calls
	if r.Method == http.MethodPost && len(bytes.TrimSpace(body)) > 0 && isJSON(r.Header.Get("Content-Type")) {
		var wrong *malformed
		if c, wrong = readCalls(body); wrong != nil {
			httpkit.WriteJSON(w, wrong.status(), wrong.reply())
			return
		}
	}
	if !h.begin(w, r, o, c) {
		return
	}
	takeAny(r.Header)
	out := &refusals{ResponseWriter: w}
	h.http().ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), serverKey{}, o.server)))
	out.finish(c)
}

// isJSON reports whether the protocol library reads bodies of a type.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// takeAny extends the Accept header of a client that accepts JSON as the protocol
// requires: with event streams, which this server never sends.
func takeAny(header http.Header) {
	accept := strings.Join(header.Values("Accept"), ",")
	if accept == "" || strings.Contains(accept, "*/*") || strings.Contains(accept, "application/json") {
		header.Set("Accept", "application/json, text/event-stream")
	}
}

// admit reports whether a request is allowed: from pages of the server's own
// host, and from origins in the server's settings. Other pages must not be able
// to act for their visitor.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	named := w.Header().Get("Access-Control-Allow-Origin") == origin // listed in the server's settings
	if u, err := url.Parse(origin); !named && (err != nil || u.Host != r.Host) {
		h.refuse(w, &Failure{Status: http.StatusForbidden, Message: "Pages of the origin " + origin + " may not use this tool server."})
		return false
	}
	return true
}

// server returns the token's server, and creates it on first use.
func (h *Handler) server(ctx context.Context, token string) (opened, error) {
	key := sha256.Sum256([]byte(token))
	now := clock.Real()
	o, ok := h.servers.Get(key)
	if ok && now.Sub(o.at) < identityTime {
		return o, nil
	}
	s, err := h.open(ctx, token)
	if err != nil {
		h.servers.Drop(key)
		return opened{}, err
	}
	s.ended = func() { h.servers.Drop(key) }
	o = opened{server: s, at: now}
	if t := record.From(ctx); t != nil {
		o.caller = t.Caller() // of the calls that read the identity
	}
	h.servers.Put(key, o)
	return o, nil
}

// WriteError replies with an error that no tool can report, such as an invalid
// token.
func (h *Handler) WriteError(w http.ResponseWriter, _ *http.Request, err error) {
	var f *Failure
	e, refused := fault.As(err)
	switch {
	case !errors.As(err, &f) && refused:
		httpkit.SetRetryAfter(w, err)
		f = &Failure{Status: httpkit.Status(e.Kind), Message: e.Detail}
	case !errors.As(err, &f):
		h.log.Error("a request to a tool server failed", "error", err)
		f = &Failure{Status: http.StatusInternalServerError, Message: "The tool server failed."}
	case f.Status == 0: // a valid token of a kind that no tool can use
		f = &Failure{Status: http.StatusForbidden, Message: f.Message}
	}
	h.refuse(w, f)
}

func (h *Handler) refuse(w http.ResponseWriter, f *Failure) {
	switch f.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	case http.StatusTooManyRequests:
		httpkit.RetryIn(w, time.Duration(max(1, f.RetryAfter))*time.Second)
	}
	httpkit.WriteJSON(w, f.Status, map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": -32000, "message": f.Message}})
}
