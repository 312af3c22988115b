package ingest

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
)

// Live is the events stored since the last poll.
type Live struct {
	Events []Listed // summaries, in the order in which they were stored
	Left   int      // number of further events, which are not shown
	Number int64    // the last event that was read
}

const (
	// liveLook is the interval of polls for new events.
	liveLook = 200 * time.Millisecond
	// liveRate bounds the events shown per second.
	liveRate = 200
)

// Follow calls fn with what is stored from now on and passes the filter, until fn,
// ctx or EndStreams ends it. after is the number of the last event that is known already, -1
// for all that are stored. It reads what is stored, so that nothing waits for fn.
// fn is also called when there is nothing new. Above 200 events a second the
// first ones are shown and the others counted.
func (in *Ingest) Follow(ctx context.Context, project string, f Filter, after int64, fn func(Live) error) error {
	in.following.Add(1)
	defer in.following.Add(-1)
	last, err := in.d.Store.Last(ctx)
	if err != nil {
		return err
	}
	if after < 0 || after > last {
		after = last
	}
	allowed, looked := float64(liveRate), clock.Real()
	for {
		now := clock.Real() // the poll may take long, and so may fn
		allowed, looked = min(allowed+liveRate*now.Sub(looked).Seconds(), liveRate), now
		if last, err = in.d.Store.Last(ctx); err != nil {
			return err
		}
		l := Live{Number: last}
		if last > after {
			m, err := in.match(ctx, project, f)
			if err != nil {
				return err
			}
			if l.Events, l.Left, err = in.d.Store.Tail(ctx, m, after, last, int(allowed)); err != nil {
				return err
			}
			if err := in.fillUsers(ctx, project, l.Events); err != nil {
				return err
			}
			after = last
		}
		if err := fn(l); err != nil {
			return err
		}
		allowed -= float64(len(l.Events))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-in.streams.Done():
			return nil
		case <-time.After(liveLook):
		}
	}
}
