package messaging

import (
	"context"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

const (
	// indexBatch is how many messages one transaction indexes.
	indexBatch = 500
	// Indexing in the background waits for quiet, but not for ever.
	indexQuiet  = 200 * time.Millisecond
	indexAtMost = 10 * time.Second
)

// newIndexer returns what keeps the full-text index of SQLite up to date behind
// the writes: indexing in each write would take two thirds of the write rate. A
// search catches up first, so it finds what was just posted.
func newIndexer(s *Service) *background.Follower {
	return background.Follow(background.Pace{Quiet: indexQuiet, AtMost: indexAtMost}, s.indexStep,
		func(err error) { s.Log.Error("the search index is behind", "error", err) })
}

// indexStep indexes some messages, and reports whether there may be more.
func (s *Service) indexStep(ctx context.Context) (bool, error) {
	behind, err := s.indexBehind(ctx)
	if err != nil || !behind {
		return false, err
	}
	return true, s.world.WriteDerived(ctx, indexSome)
}

// Index brings the search index up to what is committed.
func (s *Service) Index(ctx context.Context) error { return s.index.CatchUp(ctx) }

func (s *Service) indexBehind(ctx context.Context) (yes bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		if tx.Dialect().Name == "sqlite" {
			yes, err = indexBehind(tx)
		}
		return err
	})
	return yes, err
}

// reindex marks a message that changed after it may have been indexed.
func (s *Service) reindex(tx *store.Tx, m *Message) error {
	s.changed(tx)
	if tx.Dialect().Name != "sqlite" {
		return nil
	}
	return markChanged(tx, m.id)
}
