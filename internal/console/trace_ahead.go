package console

import (
	"context"
	"errors"
	"slices"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
)

// Which requests belong to a session is known when its events are read and joined.
// What the requests of the environment have caused is read meanwhile where most of
// them are probably the session's.
const (
	// requestsAhead is how many requests there may be for each event of the session:
	// what is read in vain then costs no more than the session itself.
	requestsAhead = 8
	// bytesAhead is about how much is read in advance, which no bound of the page counts.
	bytesAhead = 2 << 20
)

var errAhead = errors.New("more events than are read in advance")

// eventsAhead is a reading of events that goes on beside others.
type eventsAhead struct {
	done   chan any // receives once what the reading panicked with, nil for nothing
	events []outbox.Caused
	err    error
}

// readAhead begins to read the events of all requests that a session with so many
// events may have, unless there are too many of them. service is the one that takes reports.
func (t *tracing) readAhead(ctx context.Context, requests []record.Request, service string, events int) {
	if len(requests) > requestsAhead*events {
		return
	}
	seqs := make([]int64, 0, len(requests))
	for i := range requests {
		if requests[i].Service != service {
			seqs = append(seqs, requests[i].Seq)
		}
	}
	a, left := &eventsAhead{done: make(chan any, 1)}, bytesAhead
	t.ahead = a
	go func() {
		defer func() { a.done <- recover() }()
		a.events, a.err = outbox.EventsOf(ctx, t.env.Outbox, seqs, func(bytes int) error {
			if left -= bytes; left < 0 {
				return errAhead
			}
			return nil
		})
	}()
}

// endAhead waits until nothing is read in advance. It panics as the reading did.
func (t *tracing) endAhead() {
	if a := t.ahead; a != nil {
		t.ahead = nil
		if p := <-a.done; p != nil {
			panic(p)
		}
	}
}

// eventsOf returns what requests have caused, as outbox.EventsOf does.
func (t *tracing) eventsOf(seqs []int64) ([]outbox.Caused, error) {
	a := t.ahead
	t.endAhead()
	if a == nil || errors.Is(a.err, errAhead) {
		return outbox.EventsOf(t.ctx, t.env.Outbox, seqs, t.add)
	}
	at, bytes := 0, 0
	joined := slices.DeleteFunc(a.events, func(e outbox.Caused) bool {
		for at < len(seqs) && seqs[at] < e.Cause {
			at++
		}
		if at == len(seqs) || seqs[at] != e.Cause {
			return true
		}
		bytes += e.Bytes()
		return false
	})
	if a.err != nil {
		return nil, a.err
	}
	return joined, t.add(bytes)
}
