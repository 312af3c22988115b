package background

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Pace limits how often a Follower works in the background.
type Pace struct {
	Quiet  time.Duration // wait until nothing was written for this time
	AtMost time.Duration // but at most this long after the first write
	Pause  time.Duration // between two steps
}

// Follower updates derived data, such as a search index, after the writes.
// Readers call CatchUp first, so that they find what was just written.
type Follower struct {
	// Then is additional background work for which readers need not wait. It runs
	// when step has nothing left to do. It may be nil, and must be set before the
	// first Wake.
	Then func(ctx context.Context) (more bool, err error)
	// Fewest is how many written things must wait before background work begins. It
	// must be set before the first Wake.
	Fewest int64
	// MostBehind is how many written things may wait before writers do a step
	// themselves; 0 for no bound. It must be set before the first Wake.
	MostBehind int64
	// GoOn allows others to write while a writer does a step, until twice MostBehind
	// wait; otherwise they wait for the step. It must be set before the first Wake.
	GoOn bool

	pace   Pace
	pause  atomic.Int64 // a time.Duration
	enough atomic.Int64 // see SetPace
	step   func(ctx context.Context) (more bool, err error)
	report func(error)
	mu     sync.Mutex // held during a step
	worker *Worker
	behind atomic.Int64 // approximate number of written things that wait
	wakes  atomic.Int64 // number of calls of Wake
	// derived is the value of wakes at the start of the last step that left nothing
	// to do.
	derived atomic.Int64
}

// Follow returns a follower. step processes some of the written things, and
// reports whether there may be more. report is called with the errors of
// background steps.
func Follow(pace Pace, step func(ctx context.Context) (more bool, err error), report func(error)) *Follower {
	f := &Follower{pace: pace, step: step, report: report}
	f.pause.Store(int64(pace.Pause))
	f.worker = New(f.run)
	return f
}

// Wake starts the background work, however few things wait. It never blocks.
func (f *Follower) Wake() {
	f.wakes.Add(1)
	f.worker.Wake()
}

// Note records n written things, and starts the background work if at least
// Fewest wait. It returns how many wait. It never blocks.
func (f *Follower) Note(n int) (behind int64) {
	behind = f.behind.Add(int64(n))
	f.wakes.Add(1)
	if behind >= f.Fewest {
		f.worker.Wake()
	}
	return behind
}

// Wrote is Note, followed by a step if more than MostBehind wait: fast writers
// then wait for the derived data, so that readers need not. The caller must not
// be in a transaction.
func (f *Follower) Wrote(ctx context.Context, n int) {
	behind := f.Note(n)
	if behind <= f.MostBehind || f.MostBehind == 0 {
		return
	}
	if !f.GoOn || behind > 2*f.MostBehind {
		f.mu.Lock()
	} else if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	if f.behind.Load() <= f.MostBehind { // another writer's step was enough
		return
	}
	if _, err := f.take(ctx); err != nil && ctx.Err() == nil {
		f.report(err)
	}
}

// SetPace changes the pause before each step. Background steps then wait for more
// than one pause, up to mostPauses, until enough things are written or nothing was
// written during a pause. A step may call it.
func (f *Follower) SetPace(pause time.Duration, enough int64) {
	f.pause.Store(int64(pause))
	f.enough.Store(enough)
}

// Derived records, in a step, that n written things have been processed.
func (f *Follower) Derived(n int64) { f.behind.Add(-n) }

// Behind reports whether something may wait. It is not known of what was written
// before the first Wake.
func (f *Follower) Behind() bool { return f.derived.Load() != f.wakes.Load() }

// Close ends the background work and waits for it.
func (f *Follower) Close() { f.worker.Close() }

// awaited marks the context of a step for which a reader waits.
type awaited struct{}

// Awaited reports whether a reader waits for the step that runs with ctx: such a
// step may do more at a time than one in the background.
func Awaited(ctx context.Context) bool { return ctx.Value(awaited{}) != nil }

// CatchUp processes everything that is written. Concurrent callers share the
// work.
func (f *Follower) CatchUp(ctx context.Context) error {
	return f.CatchUpUntil(ctx, func(context.Context) (bool, error) { return false, nil })
}

// CatchUpUntil is CatchUp, but stops when enough returns true.
func (f *Follower) CatchUpUntil(ctx context.Context, enough func(context.Context) (bool, error)) error {
	for more := true; more; {
		done, err := enough(ctx)
		if err != nil || done {
			return err
		}
		if more, err = f.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Step processes some of what was written, for a reader, and reports whether there
// may be more.
func (f *Follower) Step(ctx context.Context) (more bool, err error) {
	return f.locked(context.WithValue(ctx, awaited{}, true))
}

// locked is a step with the lock.
func (f *Follower) locked(ctx context.Context) (more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.take(ctx)
}

// take is Step for callers that hold the lock.
func (f *Follower) take(ctx context.Context) (more bool, err error) {
	wakes := f.wakes.Load()
	if more, err = f.step(ctx); err == nil && !more {
		f.behind.Store(0)
		f.derived.Store(wakes)
	}
	return more, err
}

// run catches up in the background, unless readers have done so. After an error
// the remaining work waits for the next write or reader; a reader gets the error.
func (f *Follower) run(w *Worker) {
	if !f.quiet(w) {
		return
	}
	for more := true; more; {
		if !f.gather(w) {
			return
		}
		var err error
		if more = f.Behind(); more {
			more, err = f.locked(context.Background())
		}
		if err == nil && !more && f.Then != nil {
			more, err = f.Then(context.Background())
		}
		if err != nil {
			f.report(err)
			return
		}
	}
}

// mostPauses is up to how many pauses a step waits for more to do.
const mostPauses = 5

// gather waits before a step. It returns false when the follower is closed.
func (f *Follower) gather(w *Worker) bool {
	for range mostPauses {
		wakes := f.wakes.Load()
		if !wait(w, time.Duration(f.pause.Load())) {
			return false
		}
		if n := f.enough.Load(); n == 0 || f.behind.Load() >= n || f.wakes.Load() == wakes {
			break
		}
	}
	return true
}

// quiet waits until nothing was written for Pace.Quiet. It returns false when the
// follower is closed.
func (f *Follower) quiet(w *Worker) bool {
	if f.pace.Quiet == 0 {
		return true
	}
	latest := time.After(f.pace.AtMost)
	for {
		select {
		case <-w.Stopped():
			return false
		case <-latest:
			return true
		case <-time.After(f.pace.Quiet):
			if !w.WokenAgain() {
				return true
			}
		}
	}
}

// wait waits for d. It returns false when the worker is closed.
func wait(w *Worker, d time.Duration) bool {
	select {
	case <-w.Stopped():
		return false
	case <-time.After(d):
		return true
	}
}
