// Package control is the control plane of messaging: REST routes for accounts,
// workspaces and apps. It contains no SQL and no rules; those are in the package
// above.
package control

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/ratelimit"
)

const maxBody = 1 << 20

var (
	missing      = fault.New(fault.Invalid, "invalid_arguments", "This is required.")
	noWorkspace  = fault.New(fault.Forbidden, "no_workspace", "This session is in no workspace: create or join one, and use the access token of that reply.")
	noSession    = fault.New(fault.Forbidden, "not_allowed_token_type", "Only a session can be ended; tokens are rotated or end with their workspace.")
	missingScope = fault.New(fault.Forbidden, "missing_scope", "A user token needs the scope admin here.")
	botToken     = fault.New(fault.Forbidden, "not_allowed_token_type", "Use a session or a user token here, not a bot token.")
)

// Deps are the dependencies of the control plane.
type Deps struct {
	Service            *messaging.Service
	Auth               *auth.Auth
	Log                *slog.Logger
	CheckAdminKey      func(address, text string) (bool, error)
	BaseURL            func() string
	BotScopes          []string
	UserScopes         []string
	CredentialsChanged func()
	Limiter            ratelimit.Limiter
	Client             *outbound.Client // for handshakes, commands and interactions
}

// Handler serves the control plane of one environment.
type Handler struct {
	Deps
	docs func() *apidocs.Docs
}

// NewHandler returns the handler. Its paths are relative to the service's base
// URL.
func NewHandler(d Deps) *Handler {
	return &Handler{Deps: d, docs: docs}
}

// table is the routing table, shared by the handlers of all environments.
var table = sync.OnceValue(func() *httpkit.Routes[*Handler] {
	t := &httpkit.Routes[*Handler]{Name: func(pattern string) string { return messaging.Name + "." + pattern }}
	for _, route := range routes {
		t.Handle(route.pattern, func(h *Handler, w http.ResponseWriter, r *http.Request) {
			if err := route.serve(h, w, r); err != nil {
				h.WriteError(w, r, err)
			}
		})
	}
	return t
})

// OperationNames returns the names of all operations.
func OperationNames() []string { return table().Operations() }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", "GET, POST, PUT, DELETE, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	table().Serve(h, w, r, func(err error) { h.WriteError(w, r, err) })
}

// WriteError replies with err in the control plane's form: {"error", "message"}.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := fault.As(err)
	if !ok {
		h.Log.Error("a request to the messaging control plane failed", "path", r.Pattern, "error", err)
		httpkit.WriteJSON(w, http.StatusInternalServerError, errorReply{Error: "internal_error", Message: "Something went wrong; the log says what."})
		return
	}
	status := httpkit.Status(e.Kind)
	switch {
	case errors.Is(e, httpkit.WrongMethod):
		status = http.StatusMethodNotAllowed
	case errors.Is(e, commandFailed), errors.Is(e, interactionFailed):
		status = http.StatusBadGateway
	}
	message := e.Detail
	if message == "" {
		message = "The request was refused: " + string(e.Reason) + "."
	}
	if e.Field != "" {
		message = e.Field + ": " + message
	}
	httpkit.SetRetryAfter(w, e)
	if e.Kind == fault.Unavailable && status == http.StatusServiceUnavailable && !httpkit.IsInjected(err) {
		h.Log.Error("a request to the messaging control plane failed", "path", r.Pattern, "error", err)
	}
	out := errorReply{Error: string(e.Reason), Message: message}
	if answer, ok := e.Attrs.(callback.AppAnswer); ok && answer.Status != 0 {
		out.Status, out.Body = &answer.Status, &answer.Body
	}
	httpkit.WriteJSON(w, status, out)
}

type errorReply struct {
	Error   string  `json:"error"`
	Message string  `json:"message"`
	Status  *int    `json:"status,omitempty" description:"Of the answer of an app that failed."`
	Body    *string `json:"body,omitempty" description:"The beginning of that answer."`
}

// principal returns the principal of a request: a session, or a user token with
// the scope admin; never a bot.
func (h *Handler) principal(w http.ResponseWriter, r *http.Request) (*auth.Principal, error) {
	p, err := h.Auth.Resolve(r.Context(), messaging.Name, httpkit.Bearer(r))
	if err != nil {
		return nil, err
	}
	switch {
	case p.Kind == auth.Bot:
		return nil, botToken
	case p.Kind == auth.User && !p.Has(messaging.AdminScope):
		return nil, missingScope
	}
	return p, httpkit.Begin(w, r, p.Subject, p)
}

// caller returns the user of a request, in the workspace of the credential.
func (h *Handler) caller(w http.ResponseWriter, r *http.Request) (messaging.Caller, error) {
	p, err := h.principal(w, r)
	if err != nil {
		return messaging.Caller{}, err
	}
	if p.Tenant == "" {
		return messaging.Caller{}, noWorkspace
	}
	return h.Service.Caller(r.Context(), p)
}

// account returns the account of a request, in any workspace of the credential.
func (h *Handler) account(w http.ResponseWriter, r *http.Request) (*auth.Principal, auth.Account, error) {
	p, err := h.principal(w, r)
	if err != nil {
		return nil, auth.Account{}, err
	}
	acc, err := h.Service.Account(r.Context(), p)
	return p, acc, err
}
