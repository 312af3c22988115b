package blockstore

import (
	"context"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

const (
	// expireStep bounds the blocks that one step of retention or erasure rewrites.
	expireStep = 16
	// expireSlack is the time in milliseconds by which a block may begin before the
	// end of retention without being rewritten, while some of its events stay.
	// Without it, the same block would be rewritten every hour.
	expireSlack = 24 * 3600 * 1000
)

// Expire removes the events of a project from before a time, in milliseconds,
// that are in blocks whose First is at most upTo. It removes those of the last
// day before that time only with their whole block. In the same transaction it
// calls still, whose error ends it, and removed. It reports whether there may be
// more to remove.
func (u *Upkeep) Expire(ctx context.Context, project string, before, upTo int64, still func(tx *store.Tx) error, removed func(tx *store.Tx, gone *ingest.Columns) error) (more bool, err error) {
	if err := u.store.start(ctx); err != nil {
		return false, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var old []wholeBlock
	err = u.store.world.Read(ctx, func(tx *store.Tx) error {
		firsts, err := oldBlocks(tx, project, before, upTo)
		if err != nil {
			return err
		}
		old, err = wholeBlocks(tx, project, firsts)
		return err
	})
	for _, b := range old {
		if err == nil {
			err = u.remove(ctx, b, removal{rows: func(c *ingest.Columns, i int) bool { return c.Time[i] < before }, still: still, also: removed})
		}
	}
	u.expiring = len(old) > 0
	return len(old) > 0, err
}
