package blockstore

import (
	"context"
	"maps"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// Lock locks the stored events until the end of a transaction: no other
// transaction adds, changes or removes any. It must be the first lock of the
// transaction.
func (u *Upkeep) Lock(tx *store.Tx) error {
	_, err := lockCounter(tx)
	return err
}

// Erase begins to erase all events of sessions, and of a user unless that is "";
// there are n of them. From the commit on no reply contains them; FinishErasures
// removes their texts from the disk. The caller holds no locks. Events that are
// appended after the transaction stay.
func (u *Upkeep) Erase(tx *store.Tx, project string, sessions []string, user string, n int) error {
	c, err := lockCounter(tx)
	if err != nil {
		return err
	}
	if err := u.store.sessions.link(tx, c); err != nil { // erasing finds the blocks of sessions by their links
		return err
	}
	rows := make([][]any, 0, len(sessions)+1)
	for _, id := range sessions {
		rows = append(rows, []any{project, id, "", c.next})
	}
	if user != "" {
		rows = append(rows, []any{project, "", user, c.next})
	}
	if err := tx.CopyFrom("event_erasure", []string{"project", "session", "user_id", "upto"}, rows); err != nil {
		return err
	}
	return addRemoved(tx, n)
}

// FinishErasures removes some of the events that are being erased from their
// blocks. It reports whether there is more to do. Once it has removed all, it
// scrubs the files of the database.
func (u *Upkeep) FinishErasures(ctx context.Context) (more bool, err error) {
	if u.store.world.Absent(ctx) {
		return false, nil
	}
	if err := u.store.start(ctx); err != nil {
		return false, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var all masks
	var pending []int64
	var stale []int64
	var found []wholeBlock
	err = u.store.world.Read(ctx, func(tx *store.Tx) (err error) {
		if pending, err = listErasures(tx); err != nil || len(pending) == 0 {
			return err
		}
		if all, err = readMasks(tx); err != nil {
			return err
		}
		last, err := latestErasure(tx)
		if err != nil {
			return err
		}
		if last > u.erasedNo {
			u.erasedNo = last
			clear(u.erased)
		}
		if found, err = u.masked(tx, all); err == nil && len(found) == 0 {
			stale, err = staleRuns(tx)
		}
		return err
	})
	if err != nil || len(pending) == 0 || u.expiring && len(all) == 1 && all[""] != nil {
		return false, err // the index is rebuilt once, after the last block that is too old
	}
	for _, b := range found {
		m := all[b.Project]
		if err := u.remove(ctx, b, removal{rows: m.hides}); err != nil {
			return false, err
		}
	}
	if len(found) > 0 {
		return true, nil
	}
	u.erased = nil
	if err := u.store.index.reindex(ctx, stale); err != nil {
		return false, err
	}
	if err := u.store.world.Write(ctx, func(tx *store.Tx) error { return u.endErasures(tx, all, pending) }); err != nil {
		return false, err
	}
	if err := u.store.world.Compact(ctx, true); err != nil {
		return false, err
	}
	return true, u.store.world.Write(ctx, func(tx *store.Tx) error { return deleteErasures(tx, pending) })
}

// endErasures deletes the names of the erased sessions and users. It keeps the
// note that the files must be scrubbed.
func (u *Upkeep) endErasures(tx *store.Tx, all masks, pending []int64) error {
	if _, err := lockCounter(tx); err != nil {
		return err
	}
	for project, m := range all {
		for id := range m.sessions {
			no, err := sessionNumber(tx, project, id, false)
			if err != nil {
				return err
			}
			if no == 0 {
				continue
			}
			if err := u.forgetSession(tx, project, id, no); err != nil {
				return err
			}
		}
	}
	return blankErasures(tx, pending)
}

// masked returns some blocks that may hold events that are being erased; none
// when all have been checked. u.erased holds, for each project, the block up to
// which they have been.
func (u *Upkeep) masked(tx *store.Tx, all masks) (out []wholeBlock, err error) {
	if u.erased == nil {
		u.erased = map[string]int64{}
	}
	for project, m := range all {
		for {
			var firsts []int64
			if len(m.users) > 0 {
				firsts, err = blocksFrom(tx, project, u.erased[project], m.upto)
			} else {
				firsts, err = m.blocks(tx, project, u.erased[project])
			}
			if err != nil {
				return nil, err
			}
			if len(firsts) == 0 {
				break
			}
			blocks, err := wholeBlocks(tx, project, firsts)
			if err != nil {
				return nil, err
			}
			for _, b := range blocks {
				if m.mayHold(b) {
					out = append(out, b)
				}
				u.erased[project] = b.First + 1
				if len(out) == expireStep {
					return out, nil
				}
			}
			if len(out) > 0 {
				return out, nil
			}
		}
	}
	return out, nil
}

// mayHold reports whether a block is damaged or contains a session or a user of a
// mask.
func (m *mask) mayHold(b wholeBlock) bool {
	c := ingest.Columns{First: b.First}
	return decodeColumns(b.columns, &c, sessionColumn|userColumn) != nil || m.touches(&c)
}

// blocks returns blocks of the sessions of a mask from a number on, in order.
func (m *mask) blocks(tx *store.Tx, project string, from int64) ([]int64, error) {
	var numbers []any
	for _, id := range append(slices.Collect(maps.Keys(m.sessions)), unknownSession) {
		no, err := sessionNumber(tx, project, id, false)
		if err != nil {
			return nil, err
		}
		if no != 0 {
			numbers = append(numbers, no)
		}
	}
	return sessionBlocks(tx, numbers, from)
}
