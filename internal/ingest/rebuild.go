package ingest

import (
	"context"
	"errors"
	"fmt"

	db "understudy/internal/platform/store"
)

// errDamagedSums is the error of stored sums by hour and day that cannot be read.
var errDamagedSums = errors.New("sums of events are damaged")

// damagedSums returns err as errDamagedSums, nil for none.
func damagedSums(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errDamagedSums, err)
}

// rebuildSums removes the sums by hour and day, so that the next passes rebuild
// them from the events. Its caller holds rollMu.
func rebuildSums(ctx context.Context, in *Ingest, reason error) error {
	noteDamage(in, reason)
	return in.d.Events.Write(ctx, func(tx *db.Tx) error {
		if _, err := lockProgress(tx); err != nil {
			return err
		}
		return beginRebuilding(tx)
	})
}

// noteDamage logs and counts a rebuild of damaged sums.
func noteDamage(in *Ingest, reason error) {
	in.d.Log.Error("damaged roll-ups of events are rebuilt", "error", reason)
	if in.d.Rebuilt != nil {
		in.d.Rebuilt()
	}
}

// rebuilding is the progress of rebuilding the sums by hour and day, after a
// migration that changes their form or damage to the stored ones. The sums of
// sessions stay as they are.
type rebuilding struct {
	pending bool
	done    int64 // the number of the last event that is in the new sums
}

// rebuildOnce runs one pass over the events up to a number; the sums of sessions
// have these events already. Merged groups overlap in numbers, so it uses ranges
// of numbers. Its caller holds rollMu. began is the number of changes of stored
// events before the pass.
func (in *Ingest) rebuildOnce(ctx context.Context, done, upTo, began int64) (more bool, err error) {
	end := min(done+passEvents, upTo)
	p := newPass()
	err = in.d.Store.Query(ctx, Query{After: done}, func(c *Columns) (bool, error) {
		if c.First <= end {
			p.add(c, func(i int) bool { n := c.Number(i); return n > done && n <= end })
		}
		return c.First <= end, nil
	})
	if err != nil {
		return false, err
	}
	return true, in.d.Events.Write(ctx, func(tx *db.Tx) error {
		progress, err := lockProgress(tx)
		if err != nil {
			return err
		}
		now, err := getRebuilding(tx)
		if err != nil || !now.pending || now.done != done || progress != upTo { // another node was faster
			return err
		}
		if times, err := changes(tx); err != nil || times != began {
			return err
		}
		if err := p.saveRollups(tx); err != nil {
			return err
		}
		if end == upTo {
			return endRebuilding(tx)
		}
		return setRebuilding(tx, end)
	})
}
