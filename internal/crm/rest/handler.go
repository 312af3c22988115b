// Package rest speaks the CRM's wire: paths, envelopes, error bodies and limits
// as the upstream's official clients expect them. It has no rules of its own
// and no SQL; package crm has those.
package rest

import (
	"context"
	"log/slog"
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
)

// Deps is what the wire needs of its environment.
type Deps struct {
	CRM     *crm.CRM
	Auth    *auth.Auth
	IDs     *ids.Source
	Clock   *clock.Clock
	Limiter ratelimit.Limiter
	// SearchLimit adds the limit that upstream has for searches alone, while limits are real.
	SearchLimit bool
	Log         *slog.Logger
}

// Handler serves one environment's CRM at paths relative to its base URL.
type Handler struct {
	Deps
	routes   *node
	describe func() *apidocs.Docs
}

// NewHandler returns the handler of an environment.
func NewHandler(d Deps) *Handler { return &Handler{Deps: d, routes: routeTree(), describe: apiDocs} }

// call is one request on its way through a handler.
type call struct {
	*Handler
	ctx       context.Context
	w         http.ResponseWriter
	r         *http.Request
	params    map[string]string
	principal *auth.Principal
	t         crm.Type // of {type} or {from}
	to        crm.Type // of {to}

	dailyLimit, dailyRemaining int64 // of the portal's day, after this call
}

// ServeHTTP answers in the order in which upstream checks: credential, limit,
// object type, scope, and then what the route does.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Handler: h, ctx: r.Context(), w: w, r: r, params: map[string]string{}}
	if err := c.serve(); err != nil {
		h.WriteError(w, r, err)
	}
}

func (c *call) serve() error {
	route, allowed := c.routes.match(c.r, c.params)
	if !c.knowsVersion() {
		return errNoRoute
	}
	if route == nil {
		if c.r.Method == http.MethodOptions && allowed != "" {
			c.w.Header().Set("Allow", allowed)
			c.w.WriteHeader(http.StatusNoContent)
			return nil
		}
		if allowed != "" {
			c.w.Header().Set("Allow", allowed)
			return errMethod
		}
		return errNoRoute
	}
	if c.r.URL.RawQuery != "" {
		if err := checkTexts(c.r.URL.Query()); err != nil {
			return err
		}
	}
	if route.access != public {
		if err := c.admit(); err != nil {
			return err
		}
	}
	if err := c.readTypes(); err != nil {
		return err
	}
	if route.access != public {
		if err := c.checkScope(route.access); err != nil {
			return err
		}
	}
	return route.handle(c)
}

// admit finds out who calls and charges the limits.
func (c *call) admit() error {
	p, err := c.Auth.Resolve(c.ctx, crm.Name, httpkit.Bearer(c.r))
	if err != nil {
		return err
	}
	if p.Tenant == "" {
		return auth.Invalid
	}
	c.principal = p
	record.SetPrincipal(c.w, "portal "+p.Tenant+" token "+p.TokenID)
	return c.charge()
}

func (c *call) readTypes() (err error) {
	for _, x := range []struct {
		name string
		into *crm.Type
	}{{"type", &c.t}, {"from", &c.t}, {"to", &c.to}} {
		if s, ok := c.params[x.name]; ok {
			if *x.into, err = crm.ParseType(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *call) reply(status int, v any) error {
	httpkit.WriteJSON(c.w, status, v)
	return nil
}

func (c *call) noContent() error {
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
