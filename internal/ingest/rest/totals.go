package rest

import (
	"net/http"
	"slices"
	"strconv"

	"understudy/internal/ingest"
	"understudy/internal/platform/page"
)

// shownSums are the sums of events in the reply of every aggregate.
type shownSums struct {
	Count        int64    `json:"count"`
	Errors       int64    `json:"errors"`
	ErrorRate    float64  `json:"error_rate"`
	P50          *float64 `json:"p50" description:"milliseconds, within 1 %; null without a latency"`
	P95          *float64 `json:"p95"`
	P99          *float64 `json:"p99"`
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	Cost         float64  `json:"cost" description:"by the prices of now; 0 for models without one"`
}

type (
	shownTool struct {
		Tool string `json:"tool"`
		shownSums
	}
	shownAgent struct {
		Agent string `json:"agent"`
		shownSums
	}
	shownModel struct {
		Model string `json:"model"`
		shownSums
	}
	shownCustomer struct {
		CustomerID string `json:"customer_id"`
		shownSums
	}
	toolList struct {
		Tools      []shownTool `json:"tools" required:"true"`
		NextCursor string      `json:"next_cursor,omitempty"`
	}
	agentList struct {
		Agents     []shownAgent `json:"agents" required:"true"`
		NextCursor string       `json:"next_cursor,omitempty"`
	}
	modelList struct {
		Models     []shownModel `json:"models" required:"true"`
		NextCursor string       `json:"next_cursor,omitempty"`
	}
	customerList struct {
		Customers  []shownCustomer `json:"customers" required:"true"`
		NextCursor string          `json:"next_cursor,omitempty"`
	}
)

func sumsOf(s *ingest.Sums) shownSums {
	out := shownSums{Count: s.Events, Errors: s.Errors, InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, Cost: ingest.RoundCost(s.Cost)}
	if s.Events > 0 {
		out.ErrorRate = float64(s.Errors) / float64(s.Events)
	}
	out.P50, out.P95, out.P99 = percentiles(&s.Latencies)
	return out
}

// percentiles returns the three percentiles that every aggregate shows, nil if no
// event has a latency.
func percentiles(l *ingest.Latencies) (p50, p95, p99 *float64) {
	p := l.Percentiles(.5, .95, .99)
	if p == nil {
		return nil, nil, nil
	}
	return &p[0], &p[1], &p[2]
}

// listTools serves GET /api/v1/tools.
func (h *Handler) listTools(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	found, next, err := h.totals(r, q, ingest.ByName, ingest.Calls)
	return answer(w, toolList{shownAs(found, func(key string, s shownSums) shownTool { return shownTool{key, s} }), next}, err)
}

// listAgents serves GET /api/v1/agents.
func (h *Handler) listAgents(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	found, next, err := h.totals(r, q, ingest.ByName, ingest.Turns)
	return answer(w, agentList{shownAs(found, func(key string, s shownSums) shownAgent { return shownAgent{key, s} }), next}, err)
}

// listModels serves GET /api/v1/models.
func (h *Handler) listModels(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	found, next, err := h.totals(r, q, ingest.ByModel, ingest.Everything)
	return answer(w, modelList{shownAs(found, func(key string, s shownSums) shownModel { return shownModel{key, s} }), next}, err)
}

// listCustomers serves GET /api/v1/customers.
func (h *Handler) listCustomers(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	found, next, err := h.totals(r, q, ingest.ByCustomer, ingest.Everything)
	return answer(w, customerList{shownAs(found, func(key string, s shownSums) shownCustomer { return shownCustomer{key, s} }), next}, err)
}

// maxTotals is the greatest and the default number of totals on a page.
const maxTotals = 5000

// totals returns the requested page of the sums by a dimension, and the cursor of
// the next page, "" if there is none.
func (h *Handler) totals(r *http.Request, q *readRequest, by ingest.Dimension, kind ingest.Kind) (found []ingest.Total, next string, err error) {
	position, err := page.Decode("total", q.values.Get("cursor"))
	if err != nil {
		return nil, "", badCursor()
	}
	count, key, err := numbered(position)
	if err != nil {
		return nil, "", err
	}
	asked, err := countOf(q.values, "limit", 1)
	if err != nil {
		return nil, "", err
	}
	limit := page.Limit(int(min(asked, maxTotals)), maxTotals, maxTotals)
	found, err = h.d.Ingest.Totals(r.Context(), q.project, q.Filter, by, kind)
	if position != "" {
		first := slices.IndexFunc(found, func(t ingest.Total) bool { return t.Events < count || t.Events == count && t.Key > key })
		if first < 0 {
			first = len(found)
		}
		found = found[first:]
	}
	found, next = page.Cut(found, limit, "total", func(t *ingest.Total) string { return strconv.FormatInt(t.Events, 10) + "," + t.Key })
	return found, next, err
}

// shownAs converts totals to the form of a reply.
func shownAs[T any](found []ingest.Total, show func(key string, s shownSums) T) []T {
	out := make([]T, len(found))
	for i := range found {
		out[i] = show(found[i].Key, sumsOf(&found[i].Sums))
	}
	return out
}

// answer replies with v as JSON, or returns err unless it is nil.
func answer(w http.ResponseWriter, v any, err error) error {
	if err != nil {
		return err
	}
	return replyJSON(w, http.StatusOK, v)
}

type (
	shownOverview struct {
		Sessions     int64    `json:"sessions"`
		Events       int64    `json:"events"`
		Turns        int64    `json:"turns"`
		ToolCalls    int64    `json:"tool_calls"`
		Errors       int64    `json:"errors"`
		ErrorRate    float64  `json:"error_rate"`
		InputTokens  int64    `json:"input_tokens"`
		OutputTokens int64    `json:"output_tokens"`
		Users        int64    `json:"users"`
		Customers    int64    `json:"customers"`
		Cost         float64  `json:"cost"`
		P50          *float64 `json:"p50"`
		P95          *float64 `json:"p95"`
		P99          *float64 `json:"p99"`
	}
	overviewReply struct {
		shownOverview
		Previous shownOverview `json:"previous" description:"the period of the same length before it; zeros when from is left out"`
	}
)

// overview serves GET /api/v1/overview.
func (h *Handler) overview(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	now, before, err := h.d.Ingest.Overview(r.Context(), q.project, q.Filter)
	return answer(w, overviewReply{overviewOf(&now), overviewOf(&before)}, err)
}

func overviewOf(o *ingest.Overview) shownOverview {
	s := sumsOf(&o.Sums)
	return shownOverview{Sessions: o.Sessions, Events: o.Events, Turns: o.Turns, ToolCalls: o.Calls, Errors: s.Errors, ErrorRate: s.ErrorRate,
		InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, Users: o.Users, Customers: o.Customers, Cost: s.Cost, P50: s.P50, P95: s.P95, P99: s.P99}
}
