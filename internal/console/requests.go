package console

import (
	"net/http"
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
	"understudy/internal/platform/record"
)

// paging reads limit (1 to 200, 50 when absent) and cursor.
func paging(r *http.Request, kind string) (after string, limit int, err error) {
	q := r.URL.Query()
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return "", 0, environment.BadValue.At("limit").Detailf("must be a number from 1 to 200")
		}
	}
	after, err = page.Decode(kind, q.Get("cursor"))
	return after, page.Limit(limit, 50, 200), err
}

type recorded struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Service    string    `json:"service"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	Query      string    `json:"query"`
	Principal  string    `json:"principal"`
	Status     int       `json:"status"`
	DurationMS float64   `json:"duration_ms"`
	Request    string    `json:"request_body"`
	Reply      string    `json:"response_body"`
}

func (c *Console) requests(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	after, limit, err := paging(r, "request")
	if err != nil {
		return err
	}
	q := r.URL.Query()
	f := record.Filter{Service: q.Get("service"), Limit: limit + 1}
	if after != "" {
		if f.Before, err = strconv.ParseInt(after, 10, 64); err != nil {
			return page.BadCursor
		}
	}
	if text := q.Get("status"); text != "" {
		if f.Status, err = strconv.Atoi(text); err != nil {
			return environment.BadValue.At("status").Detailf("must be an HTTP status")
		}
	}
	if text := q.Get("since"); text != "" {
		if f.Since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return environment.BadValue.At("since").Detailf("must be a time such as 2026-01-31T09:00:00Z")
		}
	}
	found, next := page.Cut(env.Recorder.List(f), limit, "request", func(x *record.Request) string { return strconv.FormatInt(x.Seq, 10) })
	out := make([]recorded, len(found))
	for i, x := range found {
		out[i] = recorded{ID: x.ID, At: x.At, Service: x.Service, Method: x.Method, Path: x.Path, Query: x.Query,
			Principal: x.Principal, Status: x.Status, DurationMS: float64(x.Duration.Microseconds()) / 1000,
			Request: string(x.Body), Reply: string(x.Reply)}
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"requests": out, "next_cursor": next})
	return nil
}
