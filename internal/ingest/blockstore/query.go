package blockstore

import (
	"context"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// Query calls fn for the blocks that may hold what q asks for.
func (s *Store) Query(ctx context.Context, q ingest.Query, fn func(*ingest.Columns) (bool, error)) error {
	return s.world.Read(ctx, func(tx *store.Tx) error {
		return eachBlock(tx, q, &s.aside, func(c *ingest.Columns) (bool, error) {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			return fn(c)
		})
	})
}
