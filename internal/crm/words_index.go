package crm

import (
	"context"
	"sync"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

const (
	// wordsChunk is how many records one step of the index takes in.
	wordsChunk = 500
	// wordsPause is how long the index waits for writes to calm down.
	wordsPause = 100 * time.Millisecond
)

// wordsIndex is the full-text index of SQLite, which is filled behind the
// writes: keeping it in each write would take most of the write rate. What is
// missing is caught up in the background, and before every search that needs it.
type wordsIndex struct {
	mu     sync.Mutex // one at a time fills the index
	worker *background.Worker
}

// changed has the index caught up soon.
func (w *wordsIndex) changed() { w.worker.Wake() }

// indexWords brings the index up in the background.
func (c *CRM) indexWords(w *background.Worker) {
	pause := time.NewTicker(wordsPause)
	defer pause.Stop()
	for more := true; more; {
		select {
		case <-w.Stopped():
			return
		case <-pause.C: // leaves at least half of the time to callers
		}
		var err error
		if more, err = c.indexStep(context.Background()); err != nil {
			return // what is missing waits for the next write or search, which reports the error
		}
	}
}

// Index brings the index of words up to what is committed.
func (c *CRM) Index(ctx context.Context) error { return c.catchUpWords(ctx) }

// catchUpWords has everything that is committed in the index.
func (c *CRM) catchUpWords(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = c.indexStep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// indexStep takes in some records and tells whether there may be more.
func (c *CRM) indexStep(ctx context.Context) (more bool, err error) {
	c.words.mu.Lock()
	defer c.words.mu.Unlock()
	var b *wordsBatch
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		b, err = pendingWords(tx, wordsChunk)
		return err
	})
	if err != nil || b == nil {
		return false, err
	}
	for _, r := range b.records {
		d, err := c.definitionsOf(ctx, r.portal)
		if err != nil {
			return false, err
		}
		b.documents = append(b.documents, d.document(r.Record))
	}
	err = c.world.Write(ctx, func(tx *store.Tx) error { return saveWords(tx, b) })
	return b.more, err
}
