// Package group implements group commit: concurrent writers of a world share
// commits. One of them leads: it runs its own write and the waiting ones, and
// commits them together. There is no background goroutine, and a single writer
// never waits for others.
package group

import (
	"context"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// Max bounds the write functions in one commit, so that the first does not wait
// long for the last.
const Max = 256

// Job is one call of Write or WriteDerived.
type Job struct {
	Ctx     context.Context
	Fn      func(*store.Tx) error
	Derived bool      // its change need not be durable
	Tx      *store.Tx // of its last run
	Err     error     // of its last run, which Run returns

	came time.Time
	turn chan bool // receives false when the job is done, true when it must lead the next batch
}

// Queue holds the waiting writes of a world. Its zero value is empty.
type Queue struct {
	mu      sync.Mutex
	jobs    []*Job
	leading bool // a writer is leading
	returns returns
	full    chan bool // receives when the callers that a batch waits for are back; nil if none waits
}

// Run runs a job as part of a batch and returns its error. The leading writer
// calls lead, which takes the first job, the caller's own, runs a batch, and
// returns its jobs.
func (q *Queue) Run(j *Job, lead func() []*Job) error {
	j.came, j.turn = clock.Real(), make(chan bool, 1)
	if q.join(j) || <-j.turn {
		batch := lead()
		q.pass(batch)
		for _, other := range batch[1:] {
			other.turn <- false
		}
	}
	return j.Err
}

// join appends a job and reports whether it must lead.
func (q *Queue) join(j *Job) (lead bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	if !j.Derived {
		q.returns.join(j.came)
	}
	if q.full != nil && q.returns.away == 0 {
		close(q.full)
		q.full = nil
	}
	lead, q.leading = !q.leading, true
	return lead
}

// Next removes and returns the first job. It returns nil if there is none, or if
// derived is true and the first job is not derived.
func (q *Queue) Next(derived bool) *Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if derived && len(q.jobs) > 0 && !q.jobs[0].Derived {
		return nil
	}
	return q.first()
}

// first is Next for a caller that holds mu.
func (q *Queue) first() *Job {
	if len(q.jobs) == 0 {
		return nil
	}
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	return j
}

// Join removes and returns the first job like Next. If there is none, it waits a
// short time for callers of the last batch that are likely to come back. The
// batch is closed when it returns nil.
func (q *Queue) Join() *Job {
	q.mu.Lock()
	if d := q.returns.patience(clock.Real()); d > 0 && len(q.jobs) == 0 {
		full := make(chan bool)
		q.full = full
		q.mu.Unlock()
		wait(full, d)
		q.mu.Lock()
		q.full = nil
	}
	defer q.mu.Unlock()
	j := q.first()
	if j == nil {
		q.returns.closed = clock.Real()
	}
	return j
}

// wait waits for a channel, for d at most. Where nothing else runs, a timer may take a
// millisecond.
func wait(c <-chan bool, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
	case <-t.C:
	}
}

// Waiting removes and returns the jobs that have waited for at least d.
func (q *Queue) Waiting(d time.Duration) []*Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	now, n := clock.Real(), 0
	for n < len(q.jobs) && now.Sub(q.jobs[n].came) >= d {
		n++
	}
	out := slices.Clone(q.jobs[:n])
	q.jobs = slices.Delete(q.jobs, 0, n)
	return out
}

// Contexts returns the contexts of the first n jobs.
func (q *Queue) Contexts(n int) []context.Context {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]context.Context, 0, min(n, len(q.jobs)))
	for _, j := range q.jobs[:min(n, len(q.jobs))] {
		out = append(out, j.Ctx)
	}
	return out
}

// Len returns the number of waiting jobs.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// pass ends a batch and makes the first waiting job lead.
func (q *Queue) pass(batch []*Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	callers := 0
	for _, j := range batch {
		if !j.Derived {
			callers++
		}
	}
	q.returns.end(callers, clock.Real())
	if q.leading = len(q.jobs) > 0; q.leading {
		q.jobs[0].turn <- true
	}
}
