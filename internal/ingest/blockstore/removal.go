package blockstore

import (
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// removal describes the events to remove from a block.
type removal struct {
	rows  func(c *ingest.Columns, i int) bool // reports which rows are removed
	still func(tx *store.Tx) error            // is called before the block is read again, and its error ends the removal; nil for nothing
	// also is called in the same transaction with the removed events, except
	// those that were being erased, which no reply contained any more. It may be
	// nil.
	also func(tx *store.Tx, gone *ingest.Columns) error
}

// remove removes events from a block: it rewrites the block with the others, or
// deletes it if none is left. It does nothing if the block contains none of the
// events, or another transaction has changed the block meanwhile. It deletes a
// damaged block whole, because the owners of its events are unknown.
func (u *Upkeep) remove(ctx context.Context, b wholeBlock, r removal) error {
	w := window{b.Project, []stored{{first: b.First, events: b.N, sum: xxhash.Sum64(b.columns)}}}
	events, err := b.decode()
	if err != nil {
		u.store.quarantine.add(b.First, err)
		u.store.log.Warn("a damaged block of events is removed, because it may hold events that must be erased", "block", b.First)
		return r.removeDamaged(ctx, u.store.world, w, b.N)
	}
	var stay, lostRows []int
	for i := range events {
		if r.rows(&b.Columns, i) {
			lostRows = append(lostRows, i)
		} else {
			stay = append(stay, i)
		}
	}
	if len(lostRows) == 0 {
		return nil
	}
	left := &batch{project: b.Project, events: pickEvents(events, stay)}
	if len(stay) > 0 {
		left.block = encode(left.events, b.First, gaps(b.First, pick(&b.Columns, stay).Numbers))
	}
	gone := pick(&b.Columns, lostRows)
	lost := pickEvents(events, lostRows)
	err = u.store.world.Write(ctx, func(tx *store.Tx) error {
		if err := r.begin(tx, w); err != nil {
			return err
		}
		masks, err := readMasks(tx)
		if err != nil {
			return err
		}
		seen := gone
		if rows := masks.keep(gone, 0); rows != nil {
			seen = pick(gone, rows)
		}
		if err := addRemoved(tx, seen.N); err != nil {
			return err
		}
		if err := u.store.keys.remove(tx, b.Project, lost, gone.Numbers); err != nil {
			return err
		}
		if err := noteStaleRuns(tx, b.First, b.Last()); err != nil {
			return err
		}
		if err := deleteBlocks(tx, b.Project, b.First, b.First); err != nil {
			return err
		}
		if len(left.events) > 0 {
			if err := insertBlock(tx, b.First, left); err != nil {
				return err
			}
		}
		if err := u.unlink(tx, b.Project, b.First, lost, left.events); err != nil || r.also == nil || seen.N == 0 {
			return err
		}
		return r.also(tx, seen)
	})
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// begin locks the block that a removal changes. It returns errChanged if another
// transaction has changed it.
func (r removal) begin(tx *store.Tx, w window) error {
	if _, err := lockCounter(tx); err != nil {
		return err
	}
	if r.still != nil {
		if err := r.still(tx); err != nil {
			return err
		}
	}
	return w.lock(tx)
}

// removeDamaged deletes a block whose events cannot be read.
func (r removal) removeDamaged(ctx context.Context, world *store.World, w window, events int) error {
	err := world.Write(ctx, func(tx *store.Tx) error {
		if err := r.begin(tx, w); err != nil {
			return err
		}
		if err := addRemoved(tx, events); err != nil {
			return err
		}
		if err := deleteBlocks(tx, w.project, w.first(), w.first()); err != nil {
			return err
		}
		return unlinkBlock(tx, w.first())
	})
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// unlink removes the references to a block from sessions that have no events in
// it any more, and the sessions without any event. The caller has locked the
// counter, so that no append uses such a session meanwhile.
func (u *Upkeep) unlink(tx *store.Tx, project string, block int64, gone, left []ingest.Event) error {
	here := map[string]bool{}
	for i := range left {
		here[left[i].Session] = true
	}
	for i := range gone {
		id := gone[i].Session
		if here[id] {
			continue
		}
		here[id] = true
		no, err := sessionNumber(tx, project, id, false)
		if err != nil {
			return err
		}
		if err := unlinkSession(tx, no, block, block); err != nil {
			return err
		}
		if err := u.forgetSession(tx, project, id, no); err != nil {
			return err
		}
	}
	return nil
}

// forgetSession removes the number of a session that has no event any more.
func (u *Upkeep) forgetSession(tx *store.Tx, project, id string, no int64) error {
	dropped, err := deleteSession(tx, no)
	if err != nil || !dropped {
		return err
	}
	u.store.sessions.forget(project, id) // now and not after the commit: an append of the same commit must not use the number
	return nil
}
