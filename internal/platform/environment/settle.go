package environment

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
)

// Settle checks for running work this many times in the quiet time, and at least
// this often: work that has arrived but waits for a processor then appears
// between two checks, however busy the machine is.
const (
	settleLooks = 4
	settleStep  = 5 * time.Millisecond
	leastStep   = 500 * time.Microsecond
)

// Settled is the result of a wait for quiet.
type Settled struct {
	Settled  bool
	Waited   time.Duration
	InFlight int64 // requests running at the end
	Pending  int64 // pending deliveries, including retries
}

// Settle waits until no request and no delivery has been running for the time
// quiet; commands and interactions are sent during a request. Pending retries and
// streams do not count as running. All times are real. After timeout it returns
// the current state. arrived waits until requests that have arrived are being
// served.
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
