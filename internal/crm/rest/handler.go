// Package rest implements the CRM's wire: paths, envelopes, error bodies and
// limits as the upstream's official clients expect them. It contains no rules and
// no SQL; package crm does.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"understudy/internal/crm"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/ratelimit"
)

// Deps are the dependencies of the wire.
type Deps struct {
	CRM     *crm.CRM
	Auth    *auth.Auth
	IDs     *ids.Source
	Clock   *clock.Clock
	Limiter ratelimit.Limiter
	// SearchLimit enables upstream's additional limit for searches, in mode real.
	SearchLimit bool
	Log         *slog.Logger
}

// Handler serves the CRM of one environment at paths relative to its base URL.
type Handler struct {
	Deps
	describe func() *apidocs.Docs
}

// NewHandler returns the handler of an environment.
func NewHandler(d Deps) *Handler { return &Handler{Deps: d, describe: apiDocs} }

// call is the state of one request.
type call struct {
	*Handler
	ctx       context.Context
	w         http.ResponseWriter
	r         *http.Request
	route     route
	dated     bool // its path contains a date
	principal *auth.Principal
	t         crm.Type // of {type} or {from}
	to        crm.Type // of {to}
	sent      []byte   // the JSON body, once it is read

	dailyLimit, dailyRemaining int64 // of the portal's day, including this call
}

// ServeHTTP serves a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !httpkit.IsText(r.URL.Path) {
		h.WriteError(w, r, errNoRoute)
		return
	}
	table().Serve(h, w, r, func(err error) { h.refuse(w, r, err) })
}

// refuse replies to a request without a route.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, httpkit.WrongMethod) || labelsPath.MatchString(r.URL.Path) {
		h.WriteError(w, r, errNoRoute)
		return
	}
	w.Header().Set("Allow", strings.Replace(w.Header().Get("Allow"), "GET, HEAD", "GET", 1))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.WriteError(w, r, errMethod)
}

// serve checks in upstream's order: credential, limit, object type, scope, and
// then the route's own checks.
func (row route) serve(h *Handler, w http.ResponseWriter, r *http.Request) {
	c := &call{Handler: h, ctx: r.Context(), w: w, r: r, route: row, dated: strings.Contains(row.pattern, "{version}")}
	if err := c.serve(); err != nil {
		h.WriteError(w, r, c.place(err))
	}
}

func (c *call) serve() error {
	route := c.route
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

// admit authenticates the caller and charges the limits.
func (c *call) admit() error {
	p, err := c.Auth.Resolve(c.ctx, crm.Name, httpkit.Bearer(c.r))
	if err != nil {
		return err
	}
	if p.Tenant == "" {
		return auth.Invalid
	}
	c.principal = p
	if err := httpkit.Begin(c.w, c.r, "portal "+p.Tenant+" token "+p.TokenID, p); err != nil {
		c.announceUncharged(fault.KindOf(err) == fault.RateLimited)
		return err
	}
	return c.charge()
}

func (c *call) readTypes() (err error) {
	for _, x := range []struct {
		name string
		into *crm.Type
	}{{"type", &c.t}, {"from", &c.t}, {"to", &c.to}} {
		if s := c.r.PathValue(x.name); s != "" {
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
