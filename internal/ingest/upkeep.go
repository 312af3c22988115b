package ingest

import (
	"context"
	"errors"
	"time"

	"understudy/internal/platform/background"
	db "understudy/internal/platform/store"
)

// Maintenance begins upkeepQuiet after the last event arrived, at most
// upkeepDelay after the first. It pauses between its steps, each of which takes
// some milliseconds, so that writers have most of a processor.
const (
	upkeepQuiet = 500 * time.Millisecond
	upkeepDelay = 2 * time.Second
	upkeepPause = 10 * time.Millisecond
	// upkeepStart is the delay after an environment was opened before maintenance
	// checks for unfinished work.
	upkeepStart = time.Second
	// ageStep is the interval at which retention reads the clock.
	ageStep = time.Hour
)

// startUpkeep starts maintenance after each event. No goroutine waits for work,
// except one in an environment with retention, which waits for its clock.
func (in *Ingest) startUpkeep() {
	in.upkeep = background.Follow(background.Pace{Quiet: upkeepQuiet, AtMost: upkeepDelay, Pause: upkeepPause}, in.maintain, func(err error) {
		if !errors.Is(err, context.Canceled) {
			in.d.Log.Error("the maintenance of events failed; it is tried again", "error", err)
		}
		in.retry.Reset(retryDelay)
	})
	in.ageing = background.New(in.followClock)
	in.retry = time.AfterFunc(upkeepStart, in.upkeep.Wake)
}

// retryDelay is the wait after a step of maintenance that failed.
const retryDelay = 10 * time.Second

func (in *Ingest) stopUpkeep() {
	in.retry.Stop()
	in.upkeep.Close()
	in.ageing.Close()
}

// maintain runs one step: it removes expired or erased events, and otherwise
// reduces the used space. It reports whether there is more to do.
func (in *Ingest) maintain(context.Context) (more bool, err error) {
	ctx := in.ctx
	if in.d.Events.Absent(ctx) {
		return false, nil
	}
	if more, err := in.d.Upkeep.FinishErasures(ctx); more || err != nil {
		return more, err
	}
	if more, err := in.expire(ctx); more || err != nil {
		in.worked = in.worked || more
		return more, err
	}
	if !in.d.Lazy {
		if more, err := in.merge(ctx); more || err != nil {
			in.worked = in.worked || more
			return more, err
		}
	}
	if !in.worked {
		return false, nil
	}
	in.worked = false
	if err := in.FinishErasures(ctx); err != nil {
		return false, err
	}
	return false, in.d.Events.Compact(ctx, false)
}

// merge reduces the used space by one step. It reports whether there is more to
// do.
func (in *Ingest) merge(ctx context.Context) (more bool, err error) {
	var done int64
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		done, err = getProgress(tx)
		return err
	})
	if err != nil {
		return false, err
	}
	if more, err := in.d.Upkeep.Merge(ctx, done); more || err != nil {
		return more, err
	}
	return in.d.Upkeep.MergeKeys(ctx)
}

// Maintain does all pending maintenance.
func (in *Ingest) Maintain(ctx context.Context) error {
	if err := in.CatchUp(ctx); err != nil {
		return err
	}
	return in.upkeep.CatchUp(ctx)
}

// FinishErasures removes erased events from the disk.
func (in *Ingest) FinishErasures(ctx context.Context) error {
	for {
		more, err := in.d.Upkeep.FinishErasures(ctx)
		if err != nil || !more {
			return err
		}
	}
}
