package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// IndexSome indexes what was changed and at most so many of the messages that
// are new.
func (s *Service) IndexSome(ctx context.Context, most int) error {
	return s.world.WriteDerived(ctx, func(tx *store.Tx) error {
		if tx.Dialect() != store.SQLite {
			return nil
		}
		_, err := indexSome(tx, most)
		return err
	})
}

// FewestToIndex returns how many messages wait before the index begins in the background.
func (s *Service) FewestToIndex() int { return int(s.index.Fewest) }
