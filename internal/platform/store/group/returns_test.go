package group

import (
	"context"
	"sync"
	"testing"
	"time"
)

// batches runs batches whose callers come back after some time, and returns the
// state at the end of the last one.
func batches(callers int, commit, back time.Duration) (r returns, now time.Time) {
	now = time.Unix(0, 0)
	for range 100 {
		r.closed = now
		now = now.Add(commit)
		r.end(callers, now)
		for range callers {
			r.join(now.Add(back))
		}
		now = now.Add(back)
	}
	r.end(callers, now)
	return r, now
}

func TestABatchWaitsForCallersThatComeBackSoon(t *testing.T) {
	const commit = 300 * time.Microsecond
	for _, row := range []struct {
		about        string
		callers      int
		back, passed time.Duration
		came         int
		waits        bool
	}{
		{"soon", 2, 200 * time.Microsecond, 0, 0, true},
		{"one of two is back", 2, 200 * time.Microsecond, 100 * time.Microsecond, 1, true},
		{"all are back", 2, 200 * time.Microsecond, 100 * time.Microsecond, 2, false},
		{"a lone caller is back", 1, 200 * time.Microsecond, 100 * time.Microsecond, 1, false},
		{"they should be back", 2, 200 * time.Microsecond, 250 * time.Microsecond, 0, false},
		{"they think longer than a commit takes", 2, 400 * time.Microsecond, 0, 0, false},
		{"most of it is over", 2, 400 * time.Microsecond, 200 * time.Microsecond, 0, true},
		{"they think long", 2, time.Second, 0, 0, false},
	} {
		r, now := batches(row.callers, commit, row.back)
		now = now.Add(row.passed)
		for range row.came {
			r.join(now)
		}
		d := r.patience(now)
		if (d > 0) != row.waits || d > commit {
			t.Errorf("%s: waits for %s", row.about, d)
		}
	}
}

func TestNobodyWaitsForCallersThatDoNotComeBack(t *testing.T) {
	r, now := batches(2, 300*time.Microsecond, 100*time.Microsecond)
	for n := 0; r.patience(now) > 0; n++ {
		if n > 10 {
			t.Fatal("batches still wait")
		}
		r.closed = now
		now = now.Add(300 * time.Microsecond)
		r.end(2, now)
	}
}

// Two callers that write one thing after another share commits.
func TestCallersMeetInABatch(t *testing.T) {
	var q Queue
	var mu sync.Mutex
	var wg sync.WaitGroup
	done, all := 0, 0
	lead := func() []*Job {
		batch := []*Job{q.Next(false)}
		for j := q.Join(); j != nil; j = q.Join() {
			batch = append(batch, j)
		}
		time.Sleep(10 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		done, all = done+1, all+len(batch)
		return batch
	}
	for k := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(k) * 5 * time.Millisecond)
			for range 80 {
				_ = q.Run(&Job{Ctx: context.Background()}, lead)
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
	if all != 160 || done > 120 {
		t.Errorf("%d writes in %d batches", all, done)
	}
}
