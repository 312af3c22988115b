package store

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// maxBatch bounds the write functions that share one commit, so that the
// first of them does not wait long for the last.
const maxBatch = 256

// writeJob is one write on its way.
type writeJob struct {
	ctx  context.Context
	fn   func(*Tx) error
	tx   *Tx
	err  error
	turn chan bool // told false when it is done, true when it is to lead the next batch
}

// writeQueue holds the writes of a world that wait. One of the writers leads:
// it runs its own write and those that wait, and commits them together.
type writeQueue struct {
	mu      sync.Mutex
	jobs    []*writeJob
	leading bool // somebody leads
}

// join puts a job at the end and tells whether it is to lead.
func (q *writeQueue) join(j *writeJob) (lead bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	lead, q.leading = !q.leading, true
	return lead
}

// next takes the first job, nil when none waits.
func (q *writeQueue) next() *writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil
	}
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	return j
}

// pass gives the lead to the first that waits, if any does.
func (q *writeQueue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.leading = len(q.jobs) > 0; q.leading {
		q.jobs[0].turn <- true
	}
}

// write is group commit: what has come while the last commit was made durable
// runs next, and shares one fsync. There is no goroutine for it: a world that
// rests has none, and who writes alone waits for nobody.
func (w *sqliteWorld) write(ctx context.Context, fn func(*Tx) error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	j := &writeJob{ctx: ctx, fn: fn, turn: make(chan bool, 1)}
	if w.queue.join(j) || <-j.turn {
		w.lead()
	}
	return j.err
}

func (w *sqliteWorld) runOnce() { w.once.Store(true) }

// lead runs a batch: the caller's own write stands first in the queue.
func (w *sqliteWorld) lead() {
	batch := []*writeJob{w.queue.next()}
	if batch[0].err = w.take(); batch[0].err == nil {
		w.changed()
		w.runBatch(&batch)
		w.afterCommit()
	}
	w.writing.Unlock()
	w.queue.pass()
	for _, j := range batch[1:] {
		j.turn <- false
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
	once := w.once.Load()
	wrote, spoiled := w.runJob((*batch)[0], false)
	for len(*batch) < maxBatch && !spoiled {
		j := w.queue.next()
		if j == nil {
			break
		}
		*batch = append(*batch, j)
		var more bool
		more, spoiled = w.runJob(j, once)
		wrote = wrote || more
	}
	if spoiled && !once {
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
	_ = w.writer.run("ROLLBACK") // fails where SQLite has done it: BEGIN tells
	err := w.writer.run("BEGIN IMMEDIATE")
	for _, j := range batch {
		if err != nil {
			j.err = wrap("BEGIN", err)
			continue
		}
		one, lost := w.runJob(j, true)
		wrote = wrote || one
		if lost {
			err = Unavailable.Because(j.err)
		}
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

// runJob runs one function and tells whether it left a change, and whether the
// batch is spoiled: the function failed with changes that only a rollback of the
// whole batch undoes, or SQLite has done that by itself, as it does for want of space.
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
		err := c.run("ROLLBACK TO w")
		if err == nil {
			err = c.run("RELEASE w")
		}
		return false, err != nil
	}
	if err := c.run("RELEASE w"); err != nil {
		j.err = Unavailable.Because(err)
		return false, true
	}
	return true, false
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
