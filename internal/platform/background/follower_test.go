package background

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The follower derives what is written after a pause in the writes, at the
// latest after some time, and at once for a reader.
func TestFollowerWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var behind, steps atomic.Int64
		f := Follow(Pace{Quiet: time.Second, AtMost: 5 * time.Second}, func(context.Context) (bool, error) {
			steps.Add(1)
			if behind.Load() > 0 {
				behind.Add(-1)
			}
			return behind.Load() > 0, nil
		}, func(err error) { t.Error(err) })
		defer f.Close()
		write := func(n int, pause time.Duration) {
			for range n {
				behind.Add(1)
				f.Wake()
				time.Sleep(pause)
				synctest.Wait()
			}
		}
		write(3, 100*time.Millisecond)
		if steps.Load() != 0 {
			t.Errorf("%d steps while somebody writes", steps.Load())
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); behind.Load() != 0 || steps.Load() != 3 {
			t.Errorf("%d behind after %d steps", behind.Load(), steps.Load())
		}
		steps.Store(0)
		if write(60, 100*time.Millisecond); steps.Load() == 0 {
			t.Error("it never begins while somebody writes")
		}
		if err := f.CatchUp(t.Context()); err != nil || behind.Load() != 0 {
			t.Errorf("%d behind: %v", behind.Load(), err)
		}
	})
}

// A few things that were written wait until there are more, or a reader comes.
func TestTheFollowerWaitsForEnoughToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fewest = 10
		var left, steps atomic.Int64
		f := Follow(Pace{Quiet: time.Second, AtMost: time.Second}, func(context.Context) (bool, error) {
			steps.Add(1)
			left.Store(0)
			return false, nil
		}, func(err error) { t.Error(err) })
		f.Fewest = fewest
		defer f.Close()
		for range 3 {
			steps.Store(0)
			for n := range fewest {
				if time.Sleep(time.Hour); steps.Load() != 0 {
					t.Fatalf("a step with %d written", n)
				}
				left.Add(1)
				if n%2 == 0 {
					f.Note(1)
				} else {
					f.Wrote(t.Context(), 1)
				}
			}
			time.Sleep(time.Minute)
			if synctest.Wait(); steps.Load() != 1 || left.Load() != 0 {
				t.Errorf("%d steps with %d written", steps.Load(), fewest)
			}
		}
		steps.Store(0)
		left.Add(1)
		f.Note(1)
		if err := f.CatchUp(t.Context()); err != nil || left.Load() != 0 {
			t.Errorf("%d are left to a reader: %v", left.Load(), err)
		}
	})
}

// While things are written without a pause, a step waits until there is enough to do,
// but not for long.
func TestTheFollowerGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause, enough = 20 * time.Millisecond, 10
		var left atomic.Int64
		var took []int64
		var f *Follower
		f = Follow(Pace{}, func(context.Context) (bool, error) {
			n := left.Swap(0)
			f.Derived(n)
			if n > 0 {
				took = append(took, n)
			}
			return false, nil
		}, func(err error) { t.Error(err) })
		f.SetPace(pause, enough)
		defer f.Close()
		for _, c := range []struct {
			every time.Duration
			first int64
		}{{3 * time.Millisecond, 14}, {15 * time.Millisecond, 7}, {25 * time.Millisecond, 1}} {
			took = nil
			for range 40 {
				left.Add(1)
				f.Note(1)
				time.Sleep(c.every)
				synctest.Wait()
			}
			if took[0] != c.first {
				t.Errorf("with a write every %v the first step takes %d, want %d: %v", c.every, took[0], c.first, took)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
	})
}

// A writer without pauses does a part of the work, so that readers never wait
// for much of it.
func TestThoseWhoWriteManyHelpTheFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, part = 100, 30
		var left atomic.Int64
		var f *Follower
		f = Follow(Pace{Quiet: time.Hour, AtMost: time.Hour}, func(context.Context) (bool, error) {
			n := min(left.Load(), part)
			left.Add(-n)
			f.Derived(n)
			return n > 0, nil
		}, func(err error) { t.Error(err) })
		f.MostBehind = most
		defer f.Close()
		highest := int64(0)
		for range 100 {
			left.Add(10)
			f.Wrote(t.Context(), 10)
			highest = max(highest, left.Load())
		}
		if highest != most {
			t.Errorf("up to %d wait, not %d", highest, most)
		}
		if err := f.CatchUp(t.Context()); err != nil {
			t.Error(err)
		}
		left.Add(most)
		if f.Wrote(t.Context(), most); left.Load() != most {
			t.Errorf("after everything is derived, %d of %d are left to those who write", left.Load(), most)
		}
	})
}

// Of many who write at once and find too much waiting, no more do a part of the
// work than it takes.
func TestNoMoreThanNeededHelpTheFollower(t *testing.T) {
	const most, writers = 100, 40
	steps := 0
	var f *Follower
	f = Follow(Pace{Quiet: time.Hour, AtMost: time.Hour}, func(context.Context) (bool, error) {
		for f.behind.Load() < most+writers && steps == 0 { // until all have written
			runtime.Gosched()
		}
		steps++
		f.Derived(writers)
		return true, nil
	}, func(err error) { t.Error(err) })
	f.MostBehind = most
	defer f.Close()
	f.Wrote(t.Context(), most)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() { f.Wrote(t.Context(), 1) })
	}
	if all.Wait(); steps != 1 {
		t.Errorf("%d steps, want 1", steps)
	}
}

// While one of those who write does a step, others go on, unless too much waits: then
// they wait until it has ended.
func TestOthersGoOnWhileOneHelpsTheFollower(t *testing.T) {
	const most = 100
	var f *Follower
	begun, end := make(chan bool, 2), make(chan bool)
	var ended atomic.Bool
	f = Follow(Pace{Quiet: time.Hour, AtMost: time.Hour}, func(context.Context) (bool, error) {
		begun <- true
		<-end
		ended.Store(true)
		f.Derived(f.behind.Load())
		return false, nil
	}, func(err error) { t.Error(err) })
	f.MostBehind, f.GoOn = most, true
	defer f.Close()
	var all sync.WaitGroup
	all.Go(func() { f.Wrote(t.Context(), most+1) })
	<-begun
	for range most - 1 {
		f.Wrote(t.Context(), 1)
	}
	if ended.Load() {
		t.Error("the step has ended before others wrote")
	}
	all.Go(func() {
		if f.Wrote(t.Context(), 1); !ended.Load() {
			t.Errorf("a writer goes on although more than %d wait", 2*most)
		}
	})
	for range 1000 {
		runtime.Gosched()
	}
	close(end)
	all.Wait()
}

// An error in the background is reported, ends the round, and is not lost for a reader.
func TestFollowerReportsErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("failed")
		var reported []error
		f := Follow(Pace{Pause: time.Second}, func(context.Context) (bool, error) { return true, failed }, func(err error) { reported = append(reported, err) })
		defer f.Close()
		f.Wake()
		time.Sleep(time.Minute)
		if synctest.Wait(); len(reported) != 1 || reported[0] != failed {
			t.Errorf("reported: %v", reported)
		}
		if err := f.CatchUp(t.Context()); !errors.Is(err, failed) {
			t.Errorf("a reader gets %v", err)
		}
	})
}

// Work for which no reader waits is done after the work for which readers wait.
func TestFollowerDoesTheRestInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps, rest atomic.Int64
		var waiting atomic.Int64
		f := Follow(Pace{Pause: time.Second}, func(ctx context.Context) (bool, error) {
			if Awaited(ctx) {
				waiting.Add(1)
			}
			return steps.Add(1) < 3, nil
		}, func(err error) { t.Error(err) })
		f.Then = func(context.Context) (bool, error) {
			if steps.Load() < 3 {
				t.Errorf("it begins after %d steps", steps.Load())
			}
			return rest.Add(1) < 4, nil
		}
		defer f.Close()
		if err := f.CatchUp(t.Context()); err != nil || steps.Load() != 3 || waiting.Load() != 3 || rest.Load() != 0 {
			t.Errorf("a reader waits for %d steps and %d others: %v", steps.Load(), rest.Load(), err)
		}
		f.Wake()
		time.Sleep(time.Minute)
		if synctest.Wait(); rest.Load() != 4 {
			t.Errorf("%d of 4 are done", rest.Load())
		}
	})
}

// A reader who has caught up leaves nothing to do in the background; what is
// written behind a step of the reader is derived there.
func TestTheFollowerDoesNotRepeatWhatReadersDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps, then := 0, 0
		var f *Follower
		duringStep := func() {}
		f = Follow(Pace{Pause: time.Minute}, func(context.Context) (bool, error) {
			steps++
			duringStep()
			return false, nil
		}, func(err error) { t.Error(err) })
		f.Then = func(context.Context) (bool, error) { then++; return then == 1, nil }
		f.Wake()
		if err := f.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if synctest.Wait(); steps != 1 || then != 2 {
			t.Errorf("a reader caught up: %d steps and %d of further work, want 1 and 2", steps, then)
		}
		f.Wake()
		duringStep = func() { duringStep = func() {}; f.Wake() }
		if err := f.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if synctest.Wait(); steps != 3 {
			t.Errorf("something was written during the reader's step: %d steps, want 3", steps)
		}
		f.Close()
	})
}
