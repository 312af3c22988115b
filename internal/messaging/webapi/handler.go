// Package webapi implements the RPC dialect of the data plane: 27 methods at
// /api/<family>.<method>, arguments in any of five forms, and the ok envelope. It
// contains no SQL and no rules; those are in the package above.
package webapi

import (
	"log/slog"
	"net/http"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/args"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
)

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// Handler serves the data plane of one environment.
type Handler struct {
	service *messaging.Service
	auth    *auth.Auth
	limiter ratelimit.Limiter
	log     *slog.Logger
}

// NewHandler returns the handler. Its paths are relative to the service's base
// URL.
func NewHandler(s *messaging.Service, a *auth.Auth, l ratelimit.Limiter, log *slog.Logger) *Handler {
	return &Handler{service: s, auth: a, limiter: l, log: log}
}

// Method returns the method name in a path, or "". Unlike routes of the control
// plane, a method name has a dot and no slash. Slashes around it do not count:
// clients join a base URL that ends with one, and retry for long after a 404.
func Method(path string) string {
	name, ok := strings.CutPrefix(path, "/api/")
	name = strings.TrimSuffix(strings.TrimLeft(name, "/"), "/")
	if !ok || !strings.Contains(name, ".") || strings.Contains(name, "/") || strings.HasSuffix(name, ".json") {
		return ""
	}
	return name
}

// IsReading reports whether a request calls a read-only method.
func IsReading(r *http.Request) bool {
	m := methods[Method(r.URL.Path)]
	return m != nil && m.reads
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Handler: h, w: w, r: r}
	header := w.Header()
	header["Cache-Control"] = noStore
	header["X-Slack-Req-Id"] = header["X-Request-Id"]
	if r.Method == http.MethodOptions {
		header["Allow"] = []string{"GET, POST, OPTIONS"}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	out, err := c.run(Method(r.URL.Path))
	if err != nil {
		c.fail(err)
		return
	}
	body := out.finish(c.warnings)
	if out.borrowed == nil {
		httpkit.WriteRaw(w, http.StatusOK, body)
		return
	}
	httpkit.WriteBorrowed(w, http.StatusOK, body)
	out.b = body
	out.giveBack()
}

var noStore = []string{"private, no-cache, no-store, must-revalidate"}

// call is one call of a method.
type call struct {
	*Handler
	w         http.ResponseWriter
	r         *http.Request
	method    *method
	args      *args.Args
	principal *auth.Principal
	caller    messaging.Caller
	warnings  []string
}

// run executes the call. It checks in the order that upstream's clients observe:
// method, body, token, kind of token, rate, scope, and the method's own checks.
func (c *call) run(name string) (*reply, error) {
	if c.method = methods[name]; c.method == nil {
		return nil, unknownMethod.Detailf("%s", name)
	}
	record.SetOperations(c.w, c.method.operations)
	var body []byte
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		var err error
		if body, err = httpkit.ReadBody(c.r, maxBody); err != nil {
			return nil, err
		}
	}
	a, refused := args.Read(c.r, body) // parses without building values; rejects invalid or too deeply nested JSON
	if refused != nil {
		return nil, refused
	}
	if len(body) > 0 && (body[0] == '{' || body[0] == '[') {
		if err := budget.JSON(c.r.Context(), body); err != nil {
			return nil, err
		}
	}
	c.args, c.warnings = a, a.Warnings
	var err error
	if c.principal, err = c.auth.Resolve(c.r.Context(), messaging.Name, a.Token); err != nil {
		return nil, err
	}
	if c.caller, err = c.service.Caller(c.r.Context(), c.principal); err != nil {
		return nil, err
	}
	c.scopeHeaders()
	if err := httpkit.Begin(c.w, c.r, c.caller.ID, c.principal); err != nil {
		return nil, err
	}
	if c.method.peopleOnly && c.principal.Kind == auth.Bot {
		if err := c.peopleOnly(); err != nil {
			return nil, err
		}
	}
	if err := c.limit(); err != nil {
		return nil, err
	}
	if err := c.checkScopes(); err != nil {
		return nil, err
	}
	if err := c.checkTexts(); err != nil {
		return nil, err
	}
	return c.method.run(c)
}

// checkTexts returns an error for an array or object in place of a text. Lists of
// ids may be arrays.
func (c *call) checkTexts() error {
	for _, name := range c.args.Composites() {
		if name == "users" || name == "types" {
			continue
		}
		for item := range strings.FieldsSeq(arguments[c.method.name]) {
			if strings.TrimSuffix(item, "!") == name { // the item of another type names it
				return args.Invalid(name, "[ERROR] must provide a string [json-pointer:/"+name+"]")
			}
		}
	}
	return nil
}

// limit charges the call to its method's tier: one bucket for each method and
// token; for posting, one for each token and channel.
func (c *call) limit() error {
	if httpkit.IsLooking(c.r.Context()) {
		return nil
	}
	who := c.principal.TokenID
	if c.principal.Kind == auth.Session && !c.principal.Acting {
		who = c.principal.Subject
	}
	key := c.caller.Workspace + "\x00" + who + "\x00" + c.method.name
	if c.method.tier == special {
		name, _ := c.args.String("channel")
		channel, err := c.service.TargetID(c.r.Context(), c.caller, name)
		if err != nil {
			return err
		}
		key += "\x00" + channel
	}
	if d := c.limiter.Take(key, policies[c.method.tier], 1); !d.OK {
		return rateLimited.After(d.RetryAfter)
	}
	return nil
}
