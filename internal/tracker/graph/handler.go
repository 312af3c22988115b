package graph

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/tracker"
	"understudy/internal/tracker/graph/engine"
)

// maxBody is the greatest size of a request, in bytes.
const maxBody = 2 << 20

// Deps are what the endpoint uses.
type Deps struct {
	Tracker *tracker.Tracker
	Limiter ratelimit.Limiter
	Log     *slog.Logger
}

// Handler serves /graphql.
type Handler struct {
	d      Deps
	bodies bodyCache
}

// shared returns the bound schema, shared by all environments: the state of a
// request is in its session. The schema is built at the first request, since
// building it takes a fifth of the program's start time.
var shared = sync.OnceValue(func() *engine.Engine {
	e, err := newEngine(engine.Options{Cost: cost, Present: present, TypeAliases: typeAliases,
		Reserve: func(ctx context.Context, bytes int) error { return budget.Work(ctx, int64(bytes)) }})
	if err != nil {
		panic(err)
	}
	return e
})

// NewHandler returns the endpoint.
func NewHandler(d Deps) *Handler { return &Handler{d: d, bodies: newBodyCache()} }

// ServeHTTP answers a GraphQL request. All refusals are JSON with errors: the
// client treats anything else as an error of the transport.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == SchemaPath && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, SDL)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		h.refuseEarly(w, r, badMethod)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		h.refuseEarly(w, r, badType)
		return
	}
	p, err := h.d.Tracker.Authenticate(r.Context(), httpkit.Credential(r))
	if err != nil {
		h.WriteError(w, r, err)
		return
	}
	prepared, unprepared := h.prepare(r)
	if unprepared == nil {
		record.SetOperations(w, operations(prepared.RootFields()))
	}
	key := limitKey(p)
	if err := httpkit.Begin(w, r, p.Subject, p); err != nil {
		requests := h.d.Limiter.Take(key, requestBudget, 0)
		if fault.KindOf(err) == fault.RateLimited {
			requests.Limit, requests.Remaining = min(requests.Limit, requestBudget.Limit), 0
		}
		showLimits(w, requests, h.d.Limiter.Take(key, pointBudget, 0))
		h.WriteError(w, r, err)
		return
	}
	cost := 1.0
	looks := httpkit.IsLooking(r.Context())
	if looks {
		cost = 0
	}
	s := &session{t: h.d.Tracker, p: p, requests: h.d.Limiter.Take(key, requestBudget, cost), points: h.d.Limiter.Take(key, pointBudget, 0)}
	if !s.requests.OK {
		h.limited(w, r, s, s.requests.RetryAfter)
		return
	}
	if rejection := (*rejected)(nil); errors.As(unprepared, &rejection) {
		showLimits(w, s.requests, s.points)
		reject(w, rejection.Rejection)
		return
	}
	if unprepared != nil {
		h.refuse(w, r, s, unprepared)
		return
	}
	s.estimate = prepared.Cost()
	if s.estimate > maxCost {
		h.refuse(w, r, s, TooComplex.Detailf("The query is too complex. Complexity: %s. Maximum allowed complexity: %d.",
			strconv.FormatFloat(s.estimate, 'f', -1, 64), maxCost))
		return
	}
	if s.estimate > s.points.Remaining && !looks {
		missing := s.estimate - s.points.Remaining
		h.limited(w, r, s, time.Duration(missing/s.points.Limit*float64(pointBudget.Window)))
		return
	}
	h.execute(w, r, s, prepared, key)
}

// rejected is the error for a document that is not executed.
type rejected struct{ *engine.Rejection }

func (*rejected) Error() string { return "rejected" }

// prepare reads a request and prepares its document.
func (h *Handler) prepare(r *http.Request) (*engine.Prepared, error) {
	body, err := httpkit.ReadBody(r, maxBody)
	if err != nil {
		return nil, err
	}
	request, known := h.bodies.get(body)
	if !known {
		if request, err = h.bodies.read(r.Context(), body); err != nil {
			return nil, err
		}
	}
	prepared, rejection := shared().Prepare(request)
	if rejection != nil {
		return nil, &rejected{rejection}
	}
	if !known && !prepared.Mutates() {
		h.bodies.put(body, request)
	}
	return prepared, nil
}

func readRequest(ctx context.Context, body []byte) (q engine.Request, err error) {
	if err := httpkit.DecodeJSON(ctx, body, &q); err != nil {
		return q, err
	}
	if strings.TrimSpace(q.Query) == "" {
		return q, badBody
	}
	return q, nil
}

// refuse replies with an error to an authenticated caller.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, s *session, err error) {
	showLimits(w, s.requests, s.points)
	h.WriteError(w, r, err)
}

// refuseEarly replies to a request that is not a GraphQL request. It charges
// nothing, but the reply to an authenticated caller contains the limits.
func (h *Handler) refuseEarly(w http.ResponseWriter, r *http.Request, err error) {
	if p, unknown := h.d.Tracker.Authenticate(r.Context(), httpkit.Credential(r)); unknown == nil {
		key := limitKey(p)
		showLimits(w, h.d.Limiter.Take(key, requestBudget, 0), h.d.Limiter.Take(key, pointBudget, 0))
	}
	h.WriteError(w, r, err)
}

func (h *Handler) limited(w http.ResponseWriter, r *http.Request, s *session, after time.Duration) {
	httpkit.SetRetryAfter(w, RateLimited.After(after))
	h.refuse(w, r, s, RateLimited)
}

// execute runs a query on one snapshot, and a mutation with a write and a read
// for each of its fields.
func (h *Handler) execute(w http.ResponseWriter, r *http.Request, s *session, p *engine.Prepared, key string) {
	var result engine.Result
	body := httpkit.Borrow()
	defer httpkit.GiveBack(body)
	run := func() {
		result = p.Execute(r.Context(), s, (*body)[:0])
		*body = result.JSON
	}
	if p.Mutates() || onlyIntrospects(p) {
		run()
		h.logInternal(r.Context(), result.Errors)
	} else {
		if err := h.index(r.Context(), p); err != nil {
			h.refuse(w, r, s, err)
			return
		}
		err := h.d.Tracker.ReadIfChanged(r.Context(), s.p, func(v *tracker.View) error {
			s.view = v
			run()
			return nil
		})
		h.logInternal(r.Context(), result.Errors)
		if err != nil {
			h.refuse(w, r, s, err)
			return
		}
	}
	charge := math.Max(1, math.Ceil(math.Min(s.estimate, result.Points)))
	if p.Introspects() {
		charge += math.Max(0, math.Ceil(float64(len(result.JSON)-freeIntrospection)/introspectionPoint))
	}
	cost := charge // callers whose requests are not charged see it too
	if httpkit.IsLooking(r.Context()) {
		charge = 0
	}
	showLimits(w, s.requests, h.d.Limiter.Take(key, pointBudget, charge))
	status := statusOf(result.Errors)
	if status == http.StatusServiceUnavailable {
		httpkit.RetryIn(w, time.Second)
	}
	w.Header().Set("X-Complexity", strconv.FormatFloat(cost, 'f', 0, 64))
	httpkit.WriteBorrowed(w, status, result.JSON)
}

// index makes the search index catch up, for a document that searches.
func (h *Handler) index(ctx context.Context, p *engine.Prepared) error {
	for _, f := range p.RootFields() {
		if f == "searchIssues" || f == "issueSearch" {
			return h.d.Tracker.IndexIssues(ctx)
		}
	}
	return nil
}

func onlyIntrospects(p *engine.Prepared) bool {
	for _, f := range p.RootFields() {
		if !strings.HasPrefix(f, "__") {
			return false
		}
	}
	return true
}
