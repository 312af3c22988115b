package rest

import (
	"context"
	"encoding/csv"
	"math"
	"net/http"
	"strconv"

	"understudy/internal/ingest"
)

// exportPage is the number of events that are read at a time.
const exportPage = 500

var exportColumns = []string{"event_id", "session_id", "parent_id", "primitive_name", "primitive_type", "args", "result", "success", "latency",
	"timestamp", "received_at", "metadata", "customer_id", "user_id", "input_tokens", "output_tokens", "model"}

// export serves GET /api/v1/export. It frees the memory of each page before it
// reads the next page. After the first page it ends the connection on an error, so
// that no client mistakes the reply for a complete one.
func (h *Handler) export(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	format, err := choice(q.values, "format", "ndjson", "csv")
	if err != nil {
		return err
	}
	write, header := h.lines(w), "application/x-ndjson"
	if format == 1 {
		write, header = h.rows(w), "text/csv; charset=utf-8"
	}
	scored := false // CSV has no scores, and most projects have none
	if format == 0 {
		some, _, err := h.d.Ingest.Scores(r.Context(), q.project, ingest.ScoreQuery{}, math.MaxInt64, 1)
		if scored = len(some) > 0; err != nil {
			return err
		}
	}
	below, begun := ingest.Position{}, false
	for more := true; more; {
		ctx, release := context.WithCancel(r.Context())
		var events []ingest.Listed
		events, more, err = h.d.Ingest.Events(ctx, q.project, q.Filter, below, exportPage, false)
		if err == nil && scored {
			err = showScores(ctx, h, q, listed(events), false)
		}
		if err == nil {
			if !begun {
				w.Header().Set("Content-Type", header)
				w.WriteHeader(http.StatusOK)
				begun = true
			}
			err = write(events)
		}
		release()
		if err != nil && begun {
			panic(http.ErrAbortHandler)
		}
		if err != nil {
			return err
		}
		if len(events) > 0 {
			below = events[len(events)-1].Position
		}
		if flusher := http.NewResponseController(w); more {
			_ = flusher.Flush()
		}
	}
	return nil
}

// lines returns a function that writes events as lines of JSON.
func (h *Handler) lines(w http.ResponseWriter) func([]ingest.Listed) error {
	var b []byte
	return func(events []ingest.Listed) error {
		for i := range events {
			b = append(appendEvent(append(b[:0], '{'), &events[i].Event), "}\n"...)
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}
}

// rows returns a function that writes events as lines of CSV, after a line with the
// names of the columns.
func (h *Handler) rows(w http.ResponseWriter) func([]ingest.Listed) error {
	c := csv.NewWriter(w)
	begun := false
	return func(events []ingest.Listed) error {
		if !begun {
			begun = true
			_ = c.Write(exportColumns)
		}
		for i := range events {
			e := &events[i].Event
			_ = c.Write([]string{cell(e.ID), cell(e.Session), cell(e.Parent), cell(e.Name), cell(e.Type), cell(e.Args), cell(e.Result), strconv.FormatBool(e.Success),
				optional(e.Latency), optional(e.Time), optional(e.Received), cell(e.Metadata), cell(e.Customer), cell(e.User),
				optional(e.InputTokens), optional(e.OutputTokens), cell(e.Model)})
		}
		c.Flush()
		return c.Error()
	}
}

// cell returns a text, with a leading apostrophe if a spreadsheet would read it as a
// formula.
func cell(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@' || s[0] == '\t' || s[0] == '\r') {
		return "'" + s
	}
	return s
}

func optional(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
