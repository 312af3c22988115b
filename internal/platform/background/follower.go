package background

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Pace is how much of the time a Follower leaves to those who write.
type Pace struct {
	Quiet  time.Duration // it begins when nothing was written for so long,
	AtMost time.Duration // or this long after the first write
	Pause  time.Duration // between two of its steps
}

// Follower keeps derived data, such as a search index, up to date behind the
// writes that it derives from. Readers call CatchUp first, so that they find
// what was just written.
type Follower struct {
	// Then is further work in the background, once step has nothing left, that
	// readers need not wait for. It may be nil, and is set before the first Wake.
	Then func(ctx context.Context) (more bool, err error)
	// Fewest is how many written things wait before the work in the background
	// begins; 0 for any number. It is set before the first Wake.
	Fewest int64
	// MostBehind is how many written things may wait before those who write do a
	// part of the work; 0 for any number. It is set before the first Wake.
	MostBehind int64
	// GoOn allows others to write while one of them does a step, until twice
	// MostBehind wait; otherwise they wait for the step. It is set before the first Wake.
	GoOn bool

	pace   Pace
	step   func(ctx context.Context) (more bool, err error)
	report func(error)
	mu     sync.Mutex // held during a step
	worker *Worker
	behind atomic.Int64 // about how many written things wait
	wakes  atomic.Int64 // calls of Wake
	// derived is how many of them had come when the last step began that left nothing to do.
	derived atomic.Int64
}

// Follow returns a follower. step brings the derived data a bit further, and
// reports whether there may be more to do. report is called with the errors of
// steps in the background.
func Follow(pace Pace, step func(ctx context.Context) (more bool, err error), report func(error)) *Follower {
	f := &Follower{pace: pace, step: step, report: report}
	f.worker = New(f.run)
	return f
}

// Wake starts the work in the background, however few things wait. It never waits.
func (f *Follower) Wake() {
	f.wakes.Add(1)
	f.worker.Wake()
}

// Note notes that n things were written, and starts the work in the background
// when at least Fewest wait. It returns how many do. It never waits.
func (f *Follower) Note(n int) (behind int64) {
	behind = f.behind.Add(int64(n))
	f.wakes.Add(1)
	if behind >= f.Fewest {
		f.worker.Wake()
	}
	return behind
}

// Wrote is Note, and a step when more than MostBehind wait: a program that writes
// without a pause waits for what follows its writes, so that a reader need not.
// The caller must hold no transaction.
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
	if f.behind.Load() <= f.MostBehind { // who held the lock has done enough
		return
	}
	if _, err := f.take(ctx); err != nil && ctx.Err() == nil {
		f.report(err)
	}
}

// Derived notes, in a step, that n written things wait no longer.
func (f *Follower) Derived(n int64) { f.behind.Add(-n) }

// Close ends the work in the background and waits for its end.
func (f *Follower) Close() { f.worker.Close() }

// awaited marks the context of a step for which a reader waits.
type awaited struct{}

// Awaited reports whether a reader waits for the step that runs with ctx: it may
// do more at a time then than one that others should not notice.
func Awaited(ctx context.Context) bool { return ctx.Value(awaited{}) != nil }

// CatchUp derives everything that is written. Several callers share the work.
func (f *Follower) CatchUp(ctx context.Context) error {
	return f.CatchUpUntil(ctx, func(context.Context) (bool, error) { return false, nil })
}

// CatchUpUntil derives what is written until enough of it is, or all.
func (f *Follower) CatchUpUntil(ctx context.Context, enough func(context.Context) (bool, error)) error {
	ctx = context.WithValue(ctx, awaited{}, true)
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

// Step processes a part of what was written, and reports whether there may be
// more.
func (f *Follower) Step(ctx context.Context) (more bool, err error) {
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

// run catches up in the background, unless readers have done that meanwhile. After
// an error the remaining work waits for the next write, or for a reader, to whom
// the error is returned.
func (f *Follower) run(w *Worker) {
	if !f.quiet(w) {
		return
	}
	for more := true; more; {
		if !wait(w, f.pace.Pause) {
			return
		}
		var err error
		if more = f.derived.Load() != f.wakes.Load(); more {
			more, err = f.Step(context.Background())
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

// quiet waits until nothing was written for a moment. It returns false when the
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

// wait returns after some time, or false when the worker is closed.
func wait(w *Worker, d time.Duration) bool {
	select {
	case <-w.Stopped():
		return false
	case <-time.After(d):
		return true
	}
}
