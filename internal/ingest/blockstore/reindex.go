package blockstore

import (
	"context"
	"errors"
	"fmt"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// damagedRun is the error of reading a stored run whose bytes are damaged.
type damagedRun struct {
	first int64
	err   error
}

func (e damagedRun) Error() string {
	return fmt.Sprintf("index of events from %d on: %v", e.first, e.err)
}

// damaged returns err as the error of a run, nil for none.
func damaged(first int64, err error) error {
	if err == nil {
		return nil
	}
	return damagedRun{first, err}
}

// mended calls ask, which reads the index. If ask returns a damagedRun, mended
// rebuilds that run from the events and calls ask again.
func (x *index) mended(ctx context.Context, ask func() error) error {
	for seen := map[int64]bool{}; ; {
		err := ask()
		var bad damagedRun
		if !errors.As(err, &bad) || seen[bad.first] {
			return err
		}
		seen[bad.first] = true
		x.log.Error("a damaged index of events is rebuilt", "first", bad.first, "error", bad.err)
		if *x.rebuilt != nil {
			(*x.rebuilt)()
		}
		if err := x.reindex(ctx, []int64{bad.first}); err != nil {
			return err
		}
	}
}

// reindex rebuilds the index of ranges of events from the events that are left:
// terms, checkpoints and messages of removed events are removed with it. A range
// without events is removed, unless it is the last one, which shows how far the
// index has come.
func (x *index) reindex(ctx context.Context, firsts []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read = false // the range in memory is read again too
	for _, first := range firsts {
		if err := x.reindexRun(ctx, first); err != nil {
			return err
		}
	}
	return nil
}

func (x *index) reindexRun(ctx context.Context, first int64) error {
	var last int64
	err := x.blocks.world.Read(ctx, func(tx *store.Tx) (err error) {
		last, err = lastOfRun(tx, first)
		return err
	})
	if err != nil || last == 0 {
		return err
	}
	r := run{first: first, last: last}
	err = x.blocks.Query(ctx, ingest.Query{After: first - 1, Detail: true}, func(c *ingest.Columns) (bool, error) {
		if c.First > last {
			return false, nil
		}
		events, err := c.Detail()
		for len(events) > 0 && c.Number(len(events)-1) > last {
			events = events[:len(events)-1]
		}
		r.addAll(events, c)
		return true, err
	})
	if err != nil {
		return err
	}
	r.sortRows()
	pages, least := r.postings.pages()
	return x.blocks.world.Write(ctx, func(tx *store.Tx) error {
		if newest, err := lastIndexed(tx); err != nil || r.events == 0 && newest != last {
			if err == nil {
				err = deleteRun(tx, first)
			}
			return err
		}
		if err := deleteRun(tx, first); err != nil {
			return err
		}
		return insertIndexRun(tx, &r, r.marks.encode(), r.fails.encode(), pages, least)
	})
}
