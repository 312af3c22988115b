package messaging

import (
	"context"
	"sync"
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

// indexer keeps the full-text index of SQLite up behind the writes: indexing
// in the write would take two thirds of the write rate. A search first brings
// it up to date, so that what was just posted is found.
type indexer struct {
	s      *Service
	mu     sync.Mutex // held by who indexes
	worker *background.Worker
}

func newIndexer(s *Service) *indexer {
	ix := &indexer{s: s}
	ix.worker = background.New(ix.work)
	return ix
}

// wake says that there is something to index. It never waits.
func (ix *indexer) wake() { ix.worker.Wake() }

func (ix *indexer) close() { ix.worker.Close() }

func (ix *indexer) work(w *background.Worker) {
	if !quiet(w) {
		return
	}
	if err := ix.catchUp(context.Background()); err != nil {
		ix.s.Log.Error("search index", "error", err)
	}
}

// quiet waits until nothing has been written for a moment. It gives false when
// the service closes.
func quiet(w *background.Worker) bool {
	latest := time.After(indexAtMost)
	for {
		select {
		case <-w.Stopped():
			return false
		case <-latest:
			return true
		case <-time.After(indexQuiet):
			if !w.WokenAgain() {
				return true
			}
		}
	}
}

// catchUp indexes what is not indexed yet. Two at once share the work: the
// second finds nothing left.
func (ix *indexer) catchUp(ctx context.Context) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for {
		behind, err := ix.behind(ctx)
		if err != nil || !behind {
			return err
		}
		err = ix.s.world.Write(ctx, indexSome)
		if err != nil {
			return err
		}
	}
}

// Index brings the search index up to what is committed.
func (s *Service) Index(ctx context.Context) error { return s.index.catchUp(ctx) }

func (ix *indexer) behind(ctx context.Context) (yes bool, err error) {
	err = ix.s.world.Read(ctx, func(tx *store.Tx) (err error) {
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
