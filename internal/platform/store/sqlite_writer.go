package store

import (
	"context"
	"fmt"
	"runtime/debug"
)

// maxBatch bounds the write functions that share one commit, so that the
// first of them does not wait long for the last.
const maxBatch = 256

type writeJob struct {
	ctx  context.Context
	fn   func(*Tx) error
	tx   *Tx
	err  error
	done chan struct{}
}

func (w *sqliteWorld) write(ctx context.Context, fn func(*Tx) error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	j := &writeJob{ctx: ctx, fn: fn, done: make(chan struct{})}
	w.queue <- j
	<-j.done
	return j.err
}

func (w *sqliteWorld) runOnce() { w.once.Store(true) }

// writeLoop is group commit: what has queued up while the last commit was made
// durable runs next, each function under its savepoint, and shares one fsync.
func (w *sqliteWorld) writeLoop() {
	defer close(w.done)
	var batch []*writeJob
	for {
		select {
		case f := <-w.between:
			f(w.take())
			w.writing.Unlock()
		case j, ok := <-w.queue:
			if !ok {
				return
			}
			batch = append(batch[:0], j)
			if j.err = w.take(); j.err == nil {
				w.changed()
				w.runBatch(&batch)
				w.afterCommit()
			}
			w.writing.Unlock()
			for _, j := range batch {
				close(j.done)
			}
		}
	}
}

// runBatch runs the first job and those that are queued, and commits them
// together. At first without savepoints, which cost as much as a statement
// each; when a job fails after it has changed something, all is rolled back
// and run again with them. Where nothing may run again, all but the first have
// one from the start: the first alone needs none, and the rest come after it.
func (w *sqliteWorld) runBatch(batch *[]*writeJob) {
	if err := w.writer.run("BEGIN IMMEDIATE"); err != nil {
		(*batch)[0].err = wrap("BEGIN", err)
		return
	}
	wrote, spoiled := w.runJob((*batch)[0], false)
	for len(*batch) < maxBatch && !spoiled {
		select {
		case j, ok := <-w.queue:
			if ok {
				*batch = append(*batch, j)
				var more bool
				more, spoiled = w.runJob(j, w.once.Load())
				wrote = wrote || more
				continue
			}
		default:
		}
		break
	}
	if spoiled {
		wrote = w.again(*batch)
	}
	w.commit(*batch, wrote)
}

// again rolls a spoiled batch back and runs it under savepoints. A lone job
// has failed for itself alone and needs no second run.
func (w *sqliteWorld) again(batch []*writeJob) (wrote bool) {
	if len(batch) == 1 {
		return false
	}
	err := w.writer.run("ROLLBACK")
	if err == nil {
		err = w.writer.run("BEGIN IMMEDIATE")
	}
	for _, j := range batch {
		if err != nil {
			j.err = wrap("BEGIN", err)
			continue
		}
		one, _ := w.runJob(j, true)
		wrote = wrote || one
	}
	return wrote
}

// commit ends the transaction and runs what was to follow it.
func (w *sqliteWorld) commit(batch []*writeJob, wrote bool) {
	end := "COMMIT"
	if !wrote {
		end = "ROLLBACK"
	}
	w.dirty = w.dirty || wrote
	if err := w.writer.run(end); err != nil {
		_ = w.writer.run("ROLLBACK")
		for _, j := range batch {
			if j.err == nil {
				j.err = Unavailable.Because(err)
			}
		}
		return
	}
	for _, j := range batch {
		if j.err == nil {
			for _, f := range j.tx.after {
				f()
			}
		}
	}
}

// runJob runs one function and tells whether it left a change, and whether it
// failed with changes that only a rollback of the whole batch undoes.
func (w *sqliteWorld) runJob(j *writeJob, savepoint bool) (wrote, spoiled bool) {
	if j.err = j.ctx.Err(); j.err != nil {
		return false, false
	}
	c := w.writer
	c.lazySavepoint, c.changed = savepoint, false
	j.tx = &Tx{conn: c, dialect: sqliteDialect}
	j.err = guarded(j.fn, j.tx)
	changed := c.changed
	c.lazySavepoint = false
	switch {
	case !changed:
		return false, false
	case !savepoint:
		return j.err == nil, j.err != nil
	case j.err != nil:
		if err := c.run("ROLLBACK TO w"); err != nil {
			j.err = wrap("ROLLBACK TO", err)
		}
	}
	if err := c.run("RELEASE w"); err != nil {
		j.err = wrap("RELEASE", err)
	}
	return j.err == nil, false
}

// guarded keeps a panic of one caller's function from ending the writer for all.
func guarded(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}
