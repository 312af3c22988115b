package sqlite

import (
	"context"
	"slices"
	"sync"

	"understudy/internal/platform/store"
)

// maxBatch bounds the write functions that share one commit, so that the
// first of them does not wait long for the last.
const maxBatch = 256

// The statements that end a transaction.
const commit, rollback = "COMMIT", "ROLLBACK"

// writeJob is one call of Write or WriteDerived.
type writeJob struct {
	ctx     context.Context
	fn      func(*store.Tx) error
	derived bool // its change need not be durable
	tx      *store.Tx
	err     error
	turn    chan bool // receives false when the job is done, true when it is to lead the next batch
}

// writeQueue holds the writes of a world that wait. One of the writers leads: it
// runs its own write and the waiting ones, and commits them together.
type writeQueue struct {
	mu      sync.Mutex
	jobs    []*writeJob
	leading bool // a writer leads
}

// join appends a job and reports whether it is to lead.
func (q *writeQueue) join(j *writeJob) (lead bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	lead, q.leading = !q.leading, true
	return lead
}

// next removes and returns the first job. It returns nil when none waits, and
// when the batch does not wait for the disk but the job must.
func (q *writeQueue) next(volatile bool) *writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 || volatile && !q.jobs[0].derived {
		return nil
	}
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	return j
}

// pass makes the first waiting job lead, if there is one.
func (q *writeQueue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.leading = len(q.jobs) > 0; q.leading {
		q.jobs[0].turn <- true
	}
}

// Write implements store.Backend by group commit: the writes that arrived while
// the last commit became durable run next and share one fsync. No goroutine
// belongs to it: an idle world has none, and a lone writer waits for nobody.
func (w *world) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&writeJob{ctx: ctx, fn: fn})
}

// WriteDerived implements store.Backend.
func (w *world) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&writeJob{ctx: ctx, fn: fn, derived: true})
}

func (w *world) write(j *writeJob) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	j.turn = make(chan bool, 1)
	if w.queue.join(j) || <-j.turn {
		w.lead()
	}
	return j.err
}

// RunOnce implements store.Backend.
func (w *world) RunOnce() { w.once.Store(true) }

// lead runs a batch. The caller's own write is the first in the queue.
func (w *world) lead() {
	batch := []*writeJob{w.queue.next(false)}
	if batch[0].err = w.acquireWriter(); batch[0].err == nil {
		w.dropImage()
		if batch[0].derived && !w.volatile && !w.lone {
			w.runDerived(&batch)
		} else {
			w.runBatch(&batch, false)
		}
		w.afterCommit()
	}
	w.writing.Unlock()
	w.queue.pass()
	for _, j := range batch[1:] {
		j.turn <- false
	}
}

// runDerived runs a batch of derived writes. Their commit appends to the log and
// leaves it to the next durable one to wait for the disk: it waits for all of the
// log. Before a log is written back SQLite waits for the disk in any case.
func (w *world) runDerived(batch *[]*writeJob) {
	if err := w.writer.runAnew("PRAGMA synchronous = NORMAL"); err != nil {
		(*batch)[0].err = store.Unavailable.Because(err)
		return
	}
	w.runBatch(batch, true)
	if err := w.writer.runAnew("PRAGMA synchronous = FULL"); err != nil {
		_ = w.writer.close() // the next use opens one that waits for the disk
		w.writer = nil
	}
}

// runBatch runs the first job and those that are queued, and commits them
// together. At first without savepoints, which cost as much as a statement
// each; when a job fails after it has changed something, all is rolled back
// and run again with them. Where nothing may run twice, all but the first have
// a savepoint from the start; the first alone needs none. A volatile batch takes
// derived writes alone.
func (w *world) runBatch(batch *[]*writeJob, volatile bool) {
	if err := w.writer.run("BEGIN IMMEDIATE"); err != nil {
		(*batch)[0].err = wrap("BEGIN", err)
		return
	}
	once := w.once.Load()
	wrote, spoiled := w.runJob((*batch)[0], false)
	for len(*batch) < maxBatch && !spoiled {
		j := w.queue.next(volatile)
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

// again rolls a spoiled batch back and runs it under savepoints. A single job has
// failed alone and needs no second run.
func (w *world) again(batch []*writeJob) (wrote bool) {
	if len(batch) == 1 {
		return false
	}
	_ = w.writer.run(rollback) // fails where SQLite has done it: BEGIN reports any real error
	w.writer.notes.drop(0)
	err := w.writer.run("BEGIN IMMEDIATE")
	for _, j := range batch {
		if err != nil {
			j.err = wrap("BEGIN", err)
			continue
		}
		one, lost := w.runJob(j, true)
		wrote = wrote || one
		if lost {
			err = store.Unavailable.Because(j.err)
		}
	}
	return wrote
}

// commit ends the transaction and runs what AfterCommit registered.
func (w *world) commit(batch []*writeJob, wrote bool) {
	end := commit
	if !wrote {
		end = rollback
	}
	w.dirty = w.dirty || wrote
	if err := w.writer.end(end); err != nil {
		_ = w.writer.run(rollback)
		for _, j := range batch {
			if j.err == nil {
				j.err = store.Unavailable.Because(err)
			}
		}
		return
	}
	for _, j := range batch {
		if j.err == nil {
			j.tx.RunAfterCommit()
		}
	}
}

// runJob runs one function. It reports whether the function left a change, and
// whether the batch is spoiled: the function failed with changes that only a
// rollback of the whole batch undoes, or SQLite rolled the batch back by itself,
// as it does when space runs out.
func (w *world) runJob(j *writeJob, savepoint bool) (wrote, spoiled bool) {
	if j.err = j.ctx.Err(); j.err != nil {
		return false, false
	}
	c := w.writer
	c.lazySavepoint, c.changed = savepoint, false
	before := c.notes.author(j.ctx)
	defer func() {
		if !wrote {
			c.notes.drop(before)
		}
	}()
	j.tx = store.NewTx(c, store.SQLite)
	j.err = j.tx.Run(j.fn)
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
		j.err = store.Unavailable.Because(err)
		return false, true
	}
	return true, false
}
