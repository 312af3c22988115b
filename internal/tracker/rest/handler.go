// Package rest is the tracker's control plane: sign-in, organizations, API keys,
// webhook registrations, health and docs. It contains no SQL and no GraphQL.
package rest

import (
	"log/slog"
	"net/http"
	"sync"

	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/obs"
	"understudy/internal/platform/record"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
)

// maxBody is the greatest size of a request, in bytes.
const maxBody = 64 << 10

// Deps are what the control plane uses.
type Deps struct {
	Tracker *tracker.Tracker
	Log     *slog.Logger
}

// Handler serves the paths below /api of a tracker.
type Handler struct{ d Deps }

// route is one operation. The router, the docs and the access check read it.
type route struct {
	open   bool // needs no credential
	answer func(h *Handler, c *call) (status int, reply any, err error)
	doc    apidocs.Operation
}

// actions names the operations that change credentials, for the audit log.
var actions = map[string]string{
	"POST /api/auth/signup": "account.create", "POST /api/auth/password": "password.change",
	"POST /api/api-keys": "api_key.create", "DELETE /api/api-keys/{id}": "api_key.revoke",
	"POST /api/webhooks": "webhook.create",
}

// call is one request.
type call struct {
	*http.Request
	p *auth.Principal // nil for open routes without a valid credential
}

// NewHandler returns the control plane.
func NewHandler(d Deps) *Handler { return &Handler{d: d} }

// table is the router, for the handlers of all environments.
var table = sync.OnceValue(func() *httpkit.Routes[*Handler] {
	t := &httpkit.Routes[*Handler]{Name: func(pattern string) string { return tracker.Service + "." + pattern }}
	for _, r := range routes {
		if r.answer != nil {
			t.Handle(r.doc.Pattern, r.serve)
		}
	}
	return t
})

// OperationNames returns the names of all operations that are served.
func OperationNames() []string { return table().Operations() }

// docs describes the API. It is built on first use, for all environments.
var docs = sync.OnceValue(func() *apidocs.Docs {
	api := apidocs.API{Title: "Issue tracker", Description: describe, Credentials: credentials, Refusal: refusal{}}
	for _, r := range routes {
		api.Operations = append(api.Operations, r.doc)
	}
	return apidocs.New(api)
})

func (r route) serve(h *Handler, w http.ResponseWriter, req *http.Request) {
	c := &call{Request: req}
	var err error
	if c.p, err = h.d.Tracker.Authenticate(req.Context(), httpkit.Credential(req)); err != nil {
		if !r.open {
			h.WriteError(w, req, err)
			return
		}
	} else {
		if err := httpkit.Begin(w, req, c.p.Subject, c.p); err != nil {
			h.WriteError(w, req, err)
			return
		}
	}
	status, reply, err := r.answer(h, c)
	if action := actions[r.doc.Pattern]; action != "" && err == nil {
		target := req.PathValue("id")
		if made, ok := reply.(newKeyReply); ok {
			target = made.ID
		}
		record.Audit(w, action, target)
	}
	switch {
	case err != nil:
		h.WriteError(w, req, err)
	case reply == nil:
		w.WriteHeader(status)
	default:
		httpkit.WriteJSON(w, status, reply)
	}
}

// ServeHTTP answers a request of the control plane.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && docs().Serve(w, r) {
		return
	}
	table().Serve(h, w, r, func(err error) { h.WriteError(w, r, err) })
}

// refusal is the body of every error reply.
type refusal struct {
	Error   string `json:"error" required:"true" description:"a machine code"`
	Message string `json:"message" required:"true" description:"a sentence"`
	Field   string `json:"field,omitempty" description:"the member at fault"`
}

// WriteError replies with a refusal.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f, ok := fault.As(err)
	if !ok || f.Kind == fault.Internal {
		if !httpkit.IsInjected(err) {
			h.d.Log.Error("a tracker request failed", "service", tracker.Service, "request_id", obs.RequestID(r.Context()), "error", err)
		}
		httpkit.WriteJSON(w, http.StatusInternalServerError, refusal{Error: "internal_error", Message: "Something went wrong."})
		return
	}
	status := httpkit.Status(f.Kind)
	switch f.Reason {
	case httpkit.WrongMethod.Reason:
		status = http.StatusMethodNotAllowed
	case tracker.NotFound.Reason:
		if f.Field == "" && f.Attrs != nil {
			f = f.Detailf("There is no such %s.", f.Attrs.(entity.Name).Kind)
		}
	}
	httpkit.SetRetryAfter(w, err)
	httpkit.WriteJSON(w, status, refusal{string(f.Reason), f.Detail, f.Field})
}
