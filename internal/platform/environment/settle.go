package environment

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
)

// Settle looks at what is under way so many times in the time that is to be quiet,
// and at least this often: what has arrived and waits for a processor comes up
// between two looks, however busy the machine is.
const (
	settleLooks = 4
	settleStep  = 5 * time.Millisecond
	leastStep   = 500 * time.Microsecond
)

// Settled is what a wait for quiet has found.
type Settled struct {
	Settled  bool
	Waited   time.Duration
	InFlight int64 // requests under way at the end
	Pending  int64 // deliveries that wait, also for a later try
}

// Settle waits until, for a while, no request and no delivery was under way;
// commands and interactions are sent in the course of a request. What waits for
// a later try is not under way, and streams are not. All is in real time. After
// timeout it returns what it has found. arrived waits until requests that have
// arrived are being answered.
func Settle(ctx context.Context, e *Environment, arrived func(context.Context), quiet, timeout time.Duration) (s Settled, err error) {
	began := clock.Real()
	since, last := began, e.Recorder.Last()
	arrived(ctx)
	tick := time.NewTicker(min(max(quiet/settleLooks, leastStep), settleStep))
	defer tick.Stop()
	for {
		now := clock.Real()
		if n := e.Recorder.Last(); n != last || e.Recorder.InFlight.Load() > 0 || e.Outbox.Busy() {
			since, last = now, n
		}
		s.Settled, s.Waited = now.Sub(since) >= quiet && e.Recorder.InFlight.Load() == 0, now.Sub(began)
		if s.Settled || s.Waited >= timeout {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
	s.InFlight = e.Recorder.InFlight.Load()
	s.Pending, err = e.Outbox.Pending(ctx)
	return s, err
}
