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
	// maxTail and maxChanged are how many messages a search looks at that are not
	// indexed, and of those that were changed since. Who posts while more wait
	// indexes a part of them, so that searches need not.
	maxTail    = 40_000
	maxChanged = 1000
	// fewestToIndex is how many wait before they are indexed in the background. A
	// search looks at fewer in a millisecond or two, while indexing each alone costs
	// as much as posting it.
	fewestToIndex = 500
	// Indexing in the background waits for quiet, but not for long: what it has not
	// done the next search waits for.
	indexQuiet  = 200 * time.Millisecond
	indexAtMost = 2500 * time.Millisecond
)

// newIndexer returns what keeps the full-text index of SQLite up to date behind
// the writes: indexing in each write would take two thirds of the write rate. A
// search looks at the messages that are not indexed, so it finds what was just
// posted.
func newIndexer(s *Service) *background.Follower {
	f := background.Follow(background.Pace{Quiet: indexQuiet, AtMost: indexAtMost}, s.indexStep,
		func(err error) {
			s.Log.Error("messages could not be added to the search index; the next post or search tries again", "error", err)
		})
	f.Fewest, f.MostBehind = fewestToIndex, maxTail
	return f
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
	n := 0
	err = s.world.WriteDerived(ctx, func(tx *store.Tx) (err error) {
		n, err = indexSome(tx, most)
		return err
	})
	if err == nil {
		s.index.Derived(int64(n))
	}
	return true, err
}

// shortenTail indexes messages while more wait than a search looks at itself. It
// has many of them indexed in the background: those of earlier openings of the
// world are counted nowhere else.
func (s *Service) shortenTail(ctx context.Context) error {
	return s.index.CatchUpUntil(ctx, func(ctx context.Context) (short bool, err error) {
		err = s.world.Read(ctx, func(tx *store.Tx) error {
			t, err := readTail(tx)
			if t.newest-t.mark+t.changed >= fewestToIndex {
				s.index.Wake()
			}
			short = t.newest-t.mark <= maxTail && t.changed <= maxChanged
			return err
		})
		return short, err
	})
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
