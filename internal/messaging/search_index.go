package messaging

import (
	"context"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

const (
	// indexBatch is how many messages one transaction indexes: few, since those who
	// post wait for it, and awaitedBatch when somebody waits for the index. A large
	// transaction costs half of what small ones do.
	indexBatch   = 500
	awaitedBatch = 4000
	// Indexing in the background waits for quiet, but not for long: what it has not
	// done the next search waits for.
	indexQuiet  = 200 * time.Millisecond
	indexAtMost = 2500 * time.Millisecond
)

// newIndexer returns what keeps the full-text index of SQLite up to date behind
// the writes: indexing in each write would take two thirds of the write rate. A
// search catches up first, so it finds what was just posted.
func newIndexer(s *Service) *background.Follower {
	return background.Follow(background.Pace{Quiet: indexQuiet, AtMost: indexAtMost}, s.indexStep,
		func(err error) {
			s.Log.Error("messages could not be added to the search index; the next post or search tries again", "error", err)
		})
}

// indexStep indexes some messages, and reports whether there may be more.
func (s *Service) indexStep(ctx context.Context) (bool, error) {
	behind, err := s.indexBehind(ctx)
	if err != nil || !behind {
		return false, err
	}
	most := indexBatch
	if background.Awaited(ctx) {
		most = awaitedBatch
	}
	return true, s.world.WriteDerived(ctx, func(tx *store.Tx) error { return indexSome(tx, most) })
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
