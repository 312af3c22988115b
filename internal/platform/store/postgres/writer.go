package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/group"
)

// Write implements store.Backend by group commit: the writes that arrived during
// the last batch form one batch, in one transaction. So no two writes of a world
// wait for locks of each other.
func (w *world) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&group.Job{Ctx: ctx, Fn: fn})
}

// WriteDerived implements store.Backend: the commit of a batch without other
// writes does not wait for the disk.
func (w *world) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(&group.Job{Ctx: ctx, Fn: fn, Derived: true})
}

func (w *world) write(j *group.Job) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	return w.queue.Run(j, w.lead)
}

// lead runs a batch and returns its jobs, of which the first is the caller's own.
// If the database fails, the queued jobs that have waited for connectTime receive
// its error too.
func (w *world) lead() []*group.Job {
	b := &batch{w: w, jobs: []*group.Job{w.queue.Next(false)}, failed: map[*group.Job]bool{}, once: w.once.Load()}
	for b.try = 1; b.run(); b.try++ {
		b.forget()
	}
	for _, j := range b.jobs {
		if isConflict(j.Err) { // in each of its runs
			j.Err = store.Unavailable.Because(j.Err)
		}
	}
	var fault error
	for _, j := range b.jobs {
		if errors.Is(j.Err, store.Unavailable) {
			fault = j.Err
		}
	}
	if fault != nil {
		for _, j := range w.queue.Waiting(connectTime) {
			j.Err = fault
			b.jobs = append(b.jobs, j)
		}
	}
	return b.jobs
}

// batch is the writes that share a transaction.
//
// At first they run without savepoints, each of which costs a statement or two;
// if one fails after a change, all are rolled back and run again with savepoints.
// If no write may run twice, all but the first have one from the start.
type batch struct {
	w      *world
	jobs   []*group.Job
	failed map[*group.Job]bool // by the database: not run again
	once   bool
	try    int
}

// forget clears the errors of the jobs that run again, so that an error of the
// next run becomes theirs.
func (b *batch) forget() {
	for _, j := range b.jobs {
		if !b.failed[j] {
			j.Err = nil
		}
	}
}

// run runs the jobs in a transaction, the first time with those that arrive
// meanwhile, and reports whether they must run again.
func (b *batch) run() (again bool) {
	begin := "BEGIN"
	if b.w.volatile.Load() || b.jobs[0].Derived {
		begin = "BEGIN; SET LOCAL synchronous_commit = off"
	}
	c, release, err := b.w.begin(context.Background(), begin)
	if err != nil {
		return b.fail(err)
	}
	defer release()
	p := &pipeline{conn: conn{ctx: context.Background(), conn: c.Conn()}, shared: store.NewShared(), apart: b.try > 1, ahead: b.ahead}
	if wt := b.w.witness.Load(); wt != nil {
		p.notes = &notes{witness: *wt}
	}
	if again, err = b.runJobs(p); err == nil {
		again, err = b.commit(p)
	}
	if err == nil {
		for _, j := range b.jobs {
			if j.Err == nil {
				j.Tx.RunAfterCommit()
			}
		}
		b.w.statistics.wrote(b.w, len(b.jobs))
		return false
	}
	if p.conn.conn.PgConn().TxStatus() != 'I' {
		if _, e := c.Exec(context.Background(), "ROLLBACK"); e != nil {
			_ = c.Conn().Close(context.Background())
		}
	}
	return again || b.fail(err)
}

// ahead returns the contexts of the writes that wait to join the batch. A batch
// that runs again accepts none.
func (b *batch) ahead() []context.Context {
	if b.try > 1 {
		return nil
	}
	return b.w.queue.Contexts(group.Max - len(b.jobs))
}

// runJobs runs the jobs. It returns an error if the transaction cannot continue,
// and whether the jobs must run again.
func (b *batch) runJobs(p *pipeline) (again bool, err error) {
	for i := 0; ; i++ {
		if i == len(b.jobs) {
			var next *group.Job
			if b.try == 1 && i < group.Max {
				next = b.w.queue.Next(b.jobs[0].Derived)
			}
			if next == nil {
				return false, nil
			}
			b.jobs = append(b.jobs, next)
		}
		j := b.jobs[i]
		if b.failed[j] {
			continue
		}
		err := b.runJob(p, j, b.try > 1 || b.once && i > 0)
		if err == nil {
			continue
		}
		b.failed[j] = errors.Is(err, store.Unavailable)
		if again = b.mayRun(err); !again {
			b.fail(store.Unavailable.Because(err)) // the others: all their changes are undone
		}
		return again, err
	}
}

// mayRun reports whether the jobs should run again after an error of one of them,
// or of a commit without effect. The error of a single job is final.
func (b *batch) mayRun(err error) bool {
	return b.try < maxTries && (isConflict(err) || !b.once && len(b.jobs) > 1)
}

// runJob runs a job. It returns an error if the job failed with changes that only
// a rollback of the whole transaction undoes.
func (b *batch) runJob(p *pipeline, j *group.Job, savepoint bool) error {
	if j.Err = j.Ctx.Err(); j.Err != nil {
		return nil
	}
	noted := p.notes.len()
	p.begin(j.Ctx, savepoint)
	j.Tx = store.NewSharedTx(p, store.PostgreSQL, p.shared)
	j.Err = j.Tx.Run(j.Fn)
	switch {
	case j.Err == nil && (savepoint || b.once):
		j.Err = p.end()
	case j.Err == nil && isAborted(p.conn.conn):
		j.Err = rolledBack(p.conn.conn)
	}
	switch {
	case j.Err == nil:
		return nil
	case !savepoint && !(p.changed && p.sent) && !isAborted(p.conn.conn):
		p.later, p.shared = p.later[:p.mine], store.NewShared() // nothing of it was sent
		return nil
	case !savepoint || isConflict(j.Err):
		return j.Err
	}
	p.notes.drop(noted)
	p.shared = store.NewShared()
	if p.undo() != nil {
		return store.Unavailable.Because(j.Err)
	}
	return nil
}

// commit commits, and passes the notes to the witness. It returns whether the
// jobs must run again after an error.
func (b *batch) commit(p *pipeline) (again bool, err error) {
	undone := true
	if p.notes != nil && (p.notes.len() > 0 || len(p.later) > 0) {
		p.begin(context.Background(), false)
		if err := p.notes.witness.Prepare(store.NewTx(p, store.PostgreSQL)); err != nil {
			return b.mayRun(err), err
		}
		p.notes.witness.Begin()
		defer func() {
			if undone {
				p.notes.drop(0)
			}
			p.notes.witness.End(p.notes.changes)
		}()
	}
	undone, err = p.commit()
	return undone && b.mayRun(err), err
}

// fail sets err as the error of all jobs that have none.
func (b *batch) fail(err error) (again bool) {
	for _, j := range b.jobs {
		if j.Err == nil {
			j.Err = err
		}
	}
	return false
}

// isConflict reports whether a transaction failed because of a concurrent one,
// and may succeed when it runs again.
func isConflict(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code == "40001" || pe.Code == "40P01")
}
