package background

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestWorkIsDoneOncePerWakeAndOnceMoreMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int32
		w := New(func(*Worker) {
			time.Sleep(time.Second)
			rounds.Add(1)
		})
		after := func(pause time.Duration, want int32) {
			t.Helper()
			time.Sleep(pause)
			synctest.Wait()
			if n := rounds.Load(); n != want {
				t.Errorf("%d rounds, not %d", n, want)
			}
		}
		after(time.Hour, 0)
		w.Wake()
		after(time.Hour, 1)
		w.Wake()
		synctest.Wait() // the second round runs
		for range 10 {
			w.Wake()
		}
		after(time.Hour, 3)
		w.Close()
		w.Wake()
		after(time.Hour, 3)
		w.Close()
	})
}

func TestCloseEndsTheWorkAndWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		w := New(func(w *Worker) {
			<-w.Stopped()
			time.Sleep(time.Second)
			ended = true
		})
		w.Wake()
		synctest.Wait()
		w.Wake() // no round for this one
		w.Close()
		if !ended {
			t.Error("the work goes on")
		}
	})
}

func TestAWakeThatTheWorkSawNeedsNoRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []bool
		w := New(func(w *Worker) {
			seen = append(seen, w.WokenAgain())
			time.Sleep(time.Second)
			seen = append(seen, w.WokenAgain())
		})
		w.Wake()
		synctest.Wait()
		w.Wake()
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(seen) != 2 || seen[0] || !seen[1] {
			t.Errorf("the work saw %v", seen)
		}
		w.Close()
	})
}
