package rest

import (
	"net/http"
	"strconv"

	"understudy/internal/ingest"
	"understudy/internal/platform/page"
)

type (
	spreadReply struct {
		Count       int64             `json:"count"`
		P50         *float64          `json:"p50"`
		P95         *float64          `json:"p95"`
		P99         *float64          `json:"p99"`
		Histogram   []shownBucket     `json:"histogram"`
		Checkpoints []shownCheckpoint `json:"checkpoints"`
		Samples     []string          `json:"samples" description:"event ids: the slowest, a median and a failed call"`
	}
	shownBucket struct {
		LE    int64 `json:"le" description:"greatest latency, milliseconds"`
		Count int64 `json:"count" description:"calls above the bucket before and up to le"`
	}
	shownCheckpoint struct {
		Name  string   `json:"name"`
		Count int64    `json:"count"`
		P50   *float64 `json:"p50" description:"of the offset from the start"`
		P95   *float64 `json:"p95"`
		P99   *float64 `json:"p99"`
		Share float64  `json:"share" description:"part of the whole time between the checkpoint before it and this one"`
	}
	errorList struct {
		Errors     []shownFailure `json:"errors" required:"true"`
		NextCursor string         `json:"next_cursor"`
	}
	shownFailure struct {
		Fingerprint string   `json:"fingerprint"`
		Message     string   `json:"message" description:"digits are <n>, ids <id>, quoted parts \"…\""`
		Tool        string   `json:"tool"`
		Count       int64    `json:"count"`
		Sessions    int64    `json:"sessions"`
		FirstSeen   int64    `json:"first_seen"`
		LastSeen    int64    `json:"last_seen"`
		Samples     []string `json:"samples" description:"event ids, the latest first"`
	}
	facetList struct {
		Facets []shownFacet `json:"facets" required:"true"`
	}
	shownFacet struct {
		Name   string       `json:"name"`
		Values []shownValue `json:"values"`
		More   bool         `json:"more,omitempty" description:"there are other values"`
	}
)

// spread serves GET /api/v1/tools/{tool}/timeline.
func (h *Handler) spread(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	s, samples, err := h.d.Ingest.Spread(r.Context(), q.project, r.PathValue("tool"), q.Filter)
	if err != nil {
		return err
	}
	out := spreadReply{Count: s.Count, Histogram: []shownBucket{}, Checkpoints: make([]shownCheckpoint, len(s.Checkpoints)), Samples: samples}
	out.P50, out.P95, out.P99 = percentiles(&s.Latencies)
	s.Histogram(func(le, count int64) { out.Histogram = append(out.Histogram, shownBucket{le, count}) })
	for i := range s.Checkpoints {
		c := &s.Checkpoints[i]
		shown := shownCheckpoint{Name: c.Name, Count: c.Offsets.Count(), Share: float64(int64(c.Share*1e4+.5)) / 1e4}
		shown.P50, shown.P95, shown.P99 = percentiles(&c.Offsets)
		out.Checkpoints[i] = shown
	}
	return replyJSON(w, http.StatusOK, out)
}

// listErrors serves GET /api/v1/errors.
func (h *Handler) listErrors(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, limit, err := paging(q.values, "error")
	if err != nil {
		return err
	}
	count, fingerprint, err := numbered(position)
	if err != nil {
		return err
	}
	skip := func(f *ingest.Failure) bool {
		return position != "" && (f.Count > count || f.Count == count && f.Fingerprint() <= fingerprint)
	}
	found, more, err := h.d.Ingest.Failures(r.Context(), q.project, q.Filter, skip, limit)
	if err != nil {
		return err
	}
	out := errorList{Errors: make([]shownFailure, len(found))}
	for i := range found {
		f := &found[i]
		out.Errors[i] = shownFailure{f.Fingerprint(), f.Message, f.Tool, f.Count, f.Sessions, f.First, f.Last, append([]string{}, f.IDs...)}
		if more {
			out.NextCursor = page.Encode("error", strconv.FormatInt(f.Count, 10)+","+f.Fingerprint())
		}
	}
	return replyJSON(w, http.StatusOK, out)
}

const (
	standardFacet = 50
	maxFacet      = 1000
)

// facets serves GET /api/v1/facets.
func (h *Handler) facets(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	f := ingest.FacetQuery{Filter: q.Filter, Only: given(q.values, "name"), Containing: given(q.values, "q")}
	asked, err := countOf(q.values, "limit", 1)
	if err != nil {
		return err
	}
	f.Limit = page.Limit(int(min(asked, maxFacet)), standardFacet, maxFacet)
	found, err := h.d.Ingest.Facets(r.Context(), q.project, f)
	if err != nil {
		return err
	}
	out := facetList{Facets: make([]shownFacet, len(found))}
	for i, f := range found {
		out.Facets[i] = shownFacet{Name: f.Name, More: f.More, Values: make([]shownValue, len(f.Values))}
		for j, v := range f.Values {
			out.Facets[i].Values[j] = shownValue(v)
		}
	}
	return replyJSON(w, http.StatusOK, out)
}
