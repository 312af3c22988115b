package rest

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
)

const (
	// liveIdle is the time without events after which a live stream sends an empty
	// comment, which shows that the connection is open.
	liveIdle = 15 * time.Second
	// liveStall is the time within which a client must receive data.
	liveStall = 10 * time.Second
)

var errStalled = errors.New("the reader does not read")

// live serves GET /api/v1/live: a stream of server-sent events.
func (h *Handler) live(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	after := int64(-1)
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return badRequest.At("Last-Event-ID").Detailf("Last-Event-ID must be the id of an event of this stream")
		}
		after = n
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	begun, spoke := false, clock.Real()
	err := h.d.Ingest.Follow(r.Context(), q.project, q.Filter, after, func(l ingest.Live) error {
		var b []byte
		switch {
		case !begun:
			begun = true
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Accel-Buffering", "no")
			w.WriteHeader(http.StatusOK)
			// Until an event arrives, the number is the client's Last-Event-ID, so that it
			// misses nothing while its connection is broken.
			b = append(strconv.AppendInt(append(b, "retry: 1000\nid: "...), l.Number, 10), "\n\n"...)
		case clock.Real().Sub(spoke) > liveIdle:
			b = append(b, ":\n\n"...)
		}
		for i := range l.Events {
			b = appendMessage(b, l.Events[i].Seq, append(appendListed([]byte{'{'}, &l.Events[i]), '}'))
		}
		if l.Left > 0 {
			b = appendMessage(b, l.Number, append(strconv.AppendInt([]byte(`{"dropped":`), int64(l.Left), 10), '}'))
		}
		if b == nil {
			return nil
		}
		spoke = clock.Real()
		_ = control.SetWriteDeadline(spoke.Add(liveStall))
		if _, err := w.Write(b); err != nil {
			return errStalled
		}
		if control.Flush() != nil {
			return errStalled
		}
		return nil
	})
	if begun || r.Context().Err() != nil {
		return nil // an error can no longer be sent: the stream ends
	}
	return err
}

// appendMessage appends a server-sent event.
func appendMessage(b []byte, number int64, data []byte) []byte {
	b = strconv.AppendInt(append(b, "id: "...), number, 10)
	b = append(append(b, "\ndata: "...), data...)
	return append(b, "\n\n"...)
}
