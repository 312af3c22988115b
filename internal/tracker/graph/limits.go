package graph

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// Introspection is free up to freeIntrospection bytes, which is several times the
// whole schema. Each further introspectionPoint bytes cost a point.
const (
	freeIntrospection  = 5 << 19
	introspectionPoint = 1 << 10
)

// maxCost is the greatest estimated cost of a document, in points.
const maxCost = 10_000

// The budgets of a principal. All keys and sessions of a user share them.
var (
	requestBudget = ratelimit.Policy{Name: "tracker.requests", Shape: ratelimit.Bucket, Limit: 5_000, Window: time.Hour}
	pointBudget   = ratelimit.Policy{Name: "tracker.points", Shape: ratelimit.Bucket, Limit: 3_000_000, Window: time.Hour}
)

// cost returns the points of a field. A property costs a tenth, an object one,
// and a connection what is selected below it times its page size; a list of teams
// or issues without pages costs the same as a page of the default size. An object
// of which only the id is selected also costs a tenth: the official client
// selects twenty of these in each row, and its largest pages must be allowed.
func cost(f engine.CostField) engine.Cost {
	switch {
	case f.Parent == "PageInfo" || f.Type == "PageInfo":
		return engine.Cost{}
	case f.List && !paged(f.Parent) && (f.Type == "Team" || f.Type == "Issue"):
		return engine.Cost{Own: 1, Times: func(engine.Args) float64 { return entity.StandardPage }}
	case f.Leaf || f.OnlyID:
		return engine.Cost{Own: .1}
	case isConnection(f.Parent): // nodes and edges
		return engine.Cost{Own: 1}
	case strings.HasSuffix(f.Parent, "Edge"):
		return engine.Cost{}
	case isConnection(f.Type):
		return engine.Cost{Times: pageSize}
	}
	return engine.Cost{Own: 1}
}

// paged reports whether the lists of a type are those of one page.
func paged(name string) bool { return isConnection(name) || strings.HasSuffix(name, "Edge") }

func isConnection(name string) bool {
	return strings.HasSuffix(name, "Connection") || name == "IssueSearchPayload"
}

// pageSize returns the factor of a connection. An invalid page size is an error
// when the field is loaded; for the cost it counts as the nearest valid one, so
// that a negative size cannot reduce the cost of a document.
func pageSize(a engine.Args) float64 {
	l, err := listOf(a)
	size := entity.StandardPage
	switch {
	case err != nil:
	case l.Before != "" && l.After == "" && l.Last != nil:
		size = *l.Last
	case l.First != nil:
		size = *l.First
	case l.Last != nil:
		size = *l.Last
	}
	return float64(min(max(size, 1), entity.MaxPage))
}

// limitKey returns the key of the budget of a caller.
func limitKey(p *auth.Principal) string {
	if p.Tenant == "" {
		return "tracker/account/" + p.Account
	}
	return "tracker/" + p.Tenant + "/" + p.Subject
}

// showLimits sets the headers of every reply to a known caller.
func showLimits(w http.ResponseWriter, requests, points ratelimit.Decision) {
	h, values := w.Header(), make([]string, 6) // one allocation for all headers
	showBudget(h, values[:3], "X-Ratelimit-Requests-Limit", "X-Ratelimit-Requests-Remaining", "X-Ratelimit-Requests-Reset", requests, requestBudget)
	showBudget(h, values[3:], "X-Ratelimit-Complexity-Limit", "X-Ratelimit-Complexity-Remaining", "X-Ratelimit-Complexity-Reset", points, pointBudget)
}

// showBudget sets three headers, whose names are in canonical form. The headers
// refer to values.
func showBudget(h http.Header, values []string, limit, remaining, reset string, d ratelimit.Decision, p ratelimit.Policy) {
	most, left := amounts(d, p)
	for i, v := range [...]int64{int64(most), int64(left), d.Reset.UnixMilli()} {
		values[i] = strconv.FormatInt(v, 10)
	}
	h[limit], h[remaining], h[reset] = values[:1:1], values[1:2:2], values[2:3:3]
}

// amounts returns a limit and its remainder as integers. When limits are off, it
// returns the real limit, unspent.
func amounts(d ratelimit.Decision, p ratelimit.Policy) (limit, left float64) {
	if math.IsInf(d.Limit, 1) {
		return p.Limit, p.Limit
	}
	return math.Floor(d.Limit), math.Floor(d.Remaining)
}

// limitStatus is the reply to rateLimitStatus.
type limitStatus struct {
	identifier string
	limits     []*limitResult
}

type limitResult struct {
	name  string
	asked float64
	d     ratelimit.Decision
	p     ratelimit.Policy
}

func bindLimits(b *engine.Builder) {
	t := engine.Object[limitStatus](b, "RateLimitPayload")
	t.Const("user", "kind").Field("identifier", func(s *limitStatus) *string { return text(s.identifier) })
	engine.Many(t, "limits", func(s *limitStatus) []*limitResult { return s.limits })
	r := engine.Object[limitResult](b, "RateLimitResultPayload")
	r.Field("type", func(l *limitResult) string { return l.name })
	r.Field("allowedAmount", func(l *limitResult) float64 { limit, _ := amounts(l.d, l.p); return limit })
	r.Field("remainingAmount", func(l *limitResult) float64 { _, left := amounts(l.d, l.p); return left })
	r.Field("requestedAmount", func(l *limitResult) float64 { return l.asked })
	r.Field("period", func(l *limitResult) int64 { return l.p.Window.Milliseconds() })
	r.Field("reset", func(l *limitResult) int64 { return l.d.Reset.UnixMilli() })
	engine.Query(b, "rateLimitStatus", func(c *engine.Call) (*limitStatus, error) {
		s := of(c)
		return &limitStatus{s.p.Subject, []*limitResult{{"request", 1, s.requests, requestBudget}, {"complexity", s.estimate, s.points, pointBudget}}}, nil
	})
}
