package console

import (
	"context"
	"errors"

	"understudy/internal/platform/record"
)

// Which requests belong to a session is known only after its events have been
// read and joined. The effects of the environment's requests are read
// concurrently if most requests probably belong to the session.
const (
	// requestsAhead is how many requests there may be for each event of the session,
	// so that unnecessary reading is bounded by the size of the session.
	requestsAhead = 8
	// bytesAhead is the approximate size of the events that are read ahead.
	bytesAhead = 2 << 20
)

var errAhead = errors.New("more events than are read in advance")

// ahead is a concurrent reading of effects.
type ahead struct {
	done  chan any // receives the value of a panic, or nil, at the end
	found requestEffects
	err   error
}

// readAhead starts to read the effects of the requests that a session with so
// many events may have, unless there are too many requests. service is the
// service that receives reports.
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

// endAhead waits for the reading, and returns its result; nil if there is none or
// it was aborted. It repeats a panic of the reading.
func (t *tracing) endAhead() *requestEffects {
	a := t.ahead
	if a == nil {
		return nil
	}
	t.ahead = nil
	if p := <-a.done; p != nil {
		panic(p)
	}
	if a.err != nil { // reading fewer may succeed, and otherwise returns the error
		return nil
	}
	return &a.found
}

// addEffects counts the size of the effects of some requests. seqs are their
// sorted numbers.
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
