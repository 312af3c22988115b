package console

import (
	"context"
	"errors"

	"understudy/internal/platform/record"
)

// Which requests belong to a session is known when its events are read and joined.
// What the requests of the environment did is read meanwhile where most of them
// are probably the session's.
const (
	// requestsAhead is how many requests there may be for each event of the session, so
	// that what is read in vain stays in proportion to what was asked for.
	requestsAhead = 8
	// bytesAhead is about how many bytes of events are read in advance.
	bytesAhead = 2 << 20
)

var errAhead = errors.New("more events than are read in advance")

// ahead is a reading of what requests did that goes on beside others.
type ahead struct {
	done  chan any // receives once what the reading panicked with, nil for nothing
	found requestEffects
	err   error
}

// readAhead begins to read what the requests did that a session with so many
// events may have, unless there are too many of them. service is the one that takes
// reports.
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
	a, left := &ahead{done: make(chan any, 1)}, bytesAhead
	t.ahead = a
	go func() {
		defer func() { a.done <- recover() }()
		a.found, a.err = effectsOfRequests(ctx, t, requests, seqs, func(bytes int) error {
			if left -= bytes; left < 0 {
				return errAhead
			}
			return nil
		})
	}()
}

// endAhead waits until nothing is read in advance, and returns what was found; nil
// where nothing was read, or not to its end. It panics as the reading did.
func (t *tracing) endAhead() *requestEffects {
	a := t.ahead
	if a == nil {
		return nil
	}
	t.ahead = nil
	if p := <-a.done; p != nil {
		panic(p)
	}
	if a.err != nil { // who needs less may have more luck, and returns the error else
		return nil
	}
	return &a.found
}

// addEffects counts the bytes of what some of the requests did. seqs are their
// numbers, in order.
func (t *tracing) addEffects(requests []record.Request, seqs []int64) error {
	for i := range requests {
		if len(seqs) == 0 || requests[i].Seq != seqs[0] {
			continue
		}
		seqs = seqs[1:]
		bytes := 0
		changes, events := t.changes.of(i), t.events.of(i)
		for k := range changes {
			bytes += bytesOf(&changes[k])
		}
		for k := range events {
			bytes += events[k].Bytes()
		}
		if err := t.add(bytes); err != nil {
			return err
		}
	}
	return nil
}
