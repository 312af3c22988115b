package messaging

import (
	"context"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

const (
	// indexBatch is the number of messages that one transaction indexes: few,
	// because posts wait for it. awaitedBatch is that number while a search waits
	// for the index: a large transaction costs half as much as small ones.
	indexBatch   = 500
	awaitedBatch = 4000
	// maxTail and maxChanged are the largest numbers of new and of changed messages
	// that a search reads without the index. While more wait, each post indexes some
	// of them, so that searches need not.
	maxTail    = 40_000
	maxChanged = 1000
	// fewestToIndex is the number of messages that starts indexing in the
	// background. A search reads fewer in a millisecond or two, while indexing each
	// message by itself costs as much as posting it.
	fewestToIndex = 500
	// Indexing in the background waits for a pause between writes, but not for long:
	// the next search waits for the rest.
	indexQuiet  = 200 * time.Millisecond
	indexAtMost = 2500 * time.Millisecond
)

// newIndexer returns the follower that updates SQLite's full-text index after the
// writes: indexing in each write would cost two thirds of the write rate. A
// search reads the messages that are not indexed, so it finds new messages at
// once.
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

// shortenTail indexes messages while more are unindexed than a search reads by
// itself. If many are, it starts indexing in the background, because messages
// posted before the world was opened are not counted elsewhere.
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

// Index updates the search index with all committed messages.
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

// reindex marks a message that changed for indexing again.
func (s *Service) reindex(tx *store.Tx, m *Message) error {
	s.changed(tx)
	if tx.Dialect().Name != "sqlite" {
		return nil
	}
	return markChanged(tx, m.id)
}
