package console

import (
	"net/http"
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/record"
)

// recorded is a recorded request as replies show it.
type recorded struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Service    string    `json:"service"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	Query      string    `json:"query"`
	Principal  string    `json:"principal"`
	Client     string    `json:"client"`
	Status     int       `json:"status"`
	DurationMS float64   `json:"duration_ms"`
	Request    string    `json:"request_body"`
	Reply      string    `json:"response_body"`
}

func (c *Console) requests(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	q := r.URL.Query()
	f := record.Filter{Service: q.Get("service"), Client: q.Get("client")}
	var err error
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
	return serveList(w, r, "request", "requests", newestFirst(func(before int64, limit int) ([]record.Request, error) {
		f.Before, f.Limit = before, limit
		return env.Recorder.List(f), nil
	}), func(x *record.Request) string { return strconv.FormatInt(x.Seq, 10) }, showRequest)
}

func showRequest(x record.Request) recorded {
	return recorded{ID: x.ID, At: x.At, Service: x.Service, Method: x.Method, Path: x.Path, Query: x.Query,
		Principal: x.Principal, Client: x.Client, Status: x.Status, DurationMS: float64(x.Duration.Microseconds()) / 1000,
		Request: string(x.Body), Reply: string(x.Reply)}
}
