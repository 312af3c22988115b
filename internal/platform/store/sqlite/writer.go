package sqlite

import (
	"context"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/group"
)

// The statements that end a transaction.
const commit, rollback = "COMMIT", "ROLLBACK"

// Write implements store.Backend by group commit: the writes that arrived during
// the last commit run next and share one fsync.
func (w *world) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&group.Job{Ctx: ctx, Fn: fn})
}

// WriteDerived implements store.Backend.
func (w *world) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&group.Job{Ctx: ctx, Fn: fn, Derived: true})
}

// WriteBeside implements store.Backend: a file has one writer.
func (w *world) WriteBeside(ctx context.Context, fn func(*store.Tx) error) error {
	return w.WriteDerived(ctx, fn)
}

func (w *world) write(j *group.Job) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	return w.queue.Run(j, w.lead)
}

// RunOnce implements store.Backend.
func (w *world) RunOnce() { w.once.Store(true) }

// lead runs a batch and returns its jobs. The caller's own job is the first in
// the queue.
func (w *world) lead() []*group.Job {
	batch := []*group.Job{w.queue.Next(false)}
	defer w.releaseWriter()
	if batch[0].Err = w.acquireWriter(); batch[0].Err != nil {
		return batch
	}
	switch {
	case w.db != nil:
		w.gate.Lock()
		defer w.gate.Unlock()
		if w.pristine { // for a short time
			w.pristine = false
			w.store.images.drop(w.name)
		}
		w.runBatch(&batch, false)
		outgrow(w)
	case batch[0].Derived && !w.volatile:
		w.runDerived(&batch)
	default:
		w.runBatch(&batch, false)
	}
	w.afterCommit()
	return batch
}

// runDerived runs a batch of derived writes. Their commit only appends to the log
// without a flush: the next durable commit flushes the whole log. SQLite always
// flushes before a checkpoint.
func (w *world) runDerived(batch *[]*group.Job) {
	if err := w.writer.runAnew("PRAGMA synchronous = NORMAL"); err != nil {
		(*batch)[0].Err = store.Unavailable.Because(err)
		return
	}
	w.runBatch(batch, true)
	if err := w.writer.runAnew("PRAGMA synchronous = FULL"); err != nil {
		_ = w.writer.close() // the next use opens one that waits for the disk again
		w.writer = nil
	}
}

// runBatch runs the first job and the queued ones, and commits them together. It
// begins without savepoints, each of which costs as much as a statement; when a
// job fails after a change, it rolls back and runs all jobs again with
// savepoints. If no job may run twice, all but the first have a savepoint from
// the start. A volatile batch contains only derived writes.
func (w *world) runBatch(batch *[]*group.Job, volatile bool) {
	if err := w.writer.run("BEGIN IMMEDIATE"); err != nil {
		(*batch)[0].Err = wrap("BEGIN", err)
		return
	}
	w.kept = w.kept.Next()
	once := w.once.Load()
	wrote, spoiled := w.runJob((*batch)[0], false)
	join := w.queue.Join
	if volatile {
		join = func() *group.Job { return w.queue.Next(true) }
	}
	for len(*batch) < group.Max && !spoiled {
		j := join()
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

// again rolls back a failed batch and runs it with savepoints. A single job has
// simply failed and does not run again.
func (w *world) again(batch []*group.Job) (wrote bool) {
	if len(batch) == 1 {
		return false
	}
	_ = w.writer.run(rollback) // fails if SQLite has already rolled back; BEGIN reports any real error
	w.writer.notes.drop(0)
	w.kept = store.NewShared()
	err := w.writer.run("BEGIN IMMEDIATE")
	for _, j := range batch {
		if err != nil {
			j.Err = wrap("BEGIN", err)
			continue
		}
		one, lost := w.runJob(j, true)
		wrote = wrote || one
		if lost {
			err = store.Unavailable.Because(j.Err)
		}
	}
	return wrote
}

// commit ends the transaction and runs what AfterCommit registered.
func (w *world) commit(batch []*group.Job, wrote bool) {
	end := commit
	if !wrote {
		end = rollback
	}
	w.dirty = w.dirty || wrote
	if err := w.writer.end(end); err != nil {
		_ = w.writer.run(rollback)
		w.kept = nil
		for _, j := range batch {
			if j.Err == nil {
				j.Err = store.Unavailable.Because(err)
			}
		}
		return
	}
	for _, j := range batch {
		if j.Err == nil {
			j.Tx.RunAfterCommit()
		}
	}
}

// runJob runs one function. It reports whether the function changed something,
// and whether the batch is spoiled: the function failed after changes that only a
// rollback of the whole batch undoes, or SQLite has rolled back by itself, as
// when space runs out.
func (w *world) runJob(j *group.Job, savepoint bool) (wrote, spoiled bool) {
	if j.Err = j.Ctx.Err(); j.Err != nil {
		return false, false
	}
	c := w.writer
	c.lazySavepoint, c.changed = savepoint, false
	before := c.notes.author(j.Ctx)
	defer func() {
		if !wrote {
			c.notes.drop(before)
		}
	}()
	j.Tx = store.NewSharedTx(c, store.SQLite, w.kept)
	j.Err = j.Tx.Run(j.Fn)
	changed := c.changed
	c.lazySavepoint = false
	if j.Err != nil {
		w.kept = store.NewShared()
	}
	switch {
	case !changed:
		return false, false
	case !savepoint:
		return j.Err == nil, j.Err != nil
	case j.Err != nil:
		err := c.run("ROLLBACK TO w")
		if err == nil {
			err = c.run("RELEASE w")
		}
		return false, err != nil
	}
	if err := c.run("RELEASE w"); err != nil {
		j.Err = store.Unavailable.Because(err)
		return false, true
	}
	return true, false
}
