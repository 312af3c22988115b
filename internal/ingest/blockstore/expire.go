package blockstore

import (
	"context"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

const (
	// expireStep is how many blocks one step of retention or erasure rewrites at most.
	expireStep = 16
	// expireSlack is by how many milliseconds a block may begin before the end of
	// retention without being rewritten, as long as some of its events stay: else
	// the same block would be written again every hour.
	expireSlack = 24 * 3600 * 1000
)

// Expire removes events of a project from before a time, in milliseconds, from
// blocks whose First is at most upTo; those of the last day before it only with
// their whole block. It calls removed in the same transaction. It reports whether
// there may be more to remove.
func (u *Upkeep) Expire(ctx context.Context, project string, before, upTo int64, removed func(tx *store.Tx, gone *ingest.Columns) error) (more bool, err error) {
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
			err = u.remove(ctx, b, removal{rows: func(c *ingest.Columns, i int) bool { return c.Time[i] < before }, also: removed})
		}
	}
	u.expiring = len(old) > 0
	return len(old) > 0, err
}
