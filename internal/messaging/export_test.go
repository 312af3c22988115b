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

// Walks reports whether the newest page of a channel is read by walking over the
// table, and whether the world is on SQLite, where that is done.
func (s *Service) Walks(ctx context.Context, workspace, channel string, limit int) (walks, onSQLite bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		onSQLite = tx.Dialect() == store.SQLite
		ids, err := adjacent(tx, &Channel{Workspace: workspace, ID: channel}, rangeOf(0, 0, false, limit))
		walks = ids != nil
		return err
	})
	return walks, onSQLite, err
}

// KeptPages returns how many pages of histories are cached.
func (s *Service) KeptPages() int {
	n, _ := s.pages.pages.Len()
	return n
}
