package lifecycle

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/store"
)

// What an environment holds is counted once until something is written to it, and
// before its databases are suspended, so that lists need not open them again.
func TestListsCountWhatHasChanged(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		p := &envtest.Probe{}
		e := open(t, s, p)
		defer func() { _ = e.Close() }()
		env := create(t, e, Create{})
		list := func(rows, counted int64) {
			t.Helper()
			before := p.Counted.Load()
			page, err := Overviews{e}.List(context.Background(), Selection{}, catalogue.Place{}, 5)
			if err != nil || len(page) != 1 {
				t.Fatalf("%v, %v", page, err)
			}
			if got, want := page[0].Counts.String(), fmt.Sprintf(`{"probe":{"rows":%d}}`, rows); got != want {
				t.Errorf("%s instead of %s", got, want)
			}
			if n := p.Counted.Load() - before; n != counted {
				t.Errorf("counted %d times instead of %d", n, counted)
			}
		}
		suspend := func() { Sweeper{e}.suspend(clock.Real().Add(suspendTime + time.Second)) }
		list(0, 1)
		list(0, 0)
		envtest.Insert(t, env, "a")
		list(1, 1)
		envtest.Insert(t, env, "b")
		before := p.Counted.Load()
		for range 3 {
			suspend()
		}
		if n := p.Counted.Load() - before; n != 1 {
			t.Errorf("counted %d times before it was suspended", n)
		}
		list(2, 0)
		envtest.Has(t, env, "a")
		list(2, 0)
		e.idle = 0
		closeIdle(e)
		if e.isOpen(env.ID) {
			t.Fatal("it is open still")
		}
		list(2, 0)
		if e.isOpen(env.ID) {
			t.Error("the list has opened it")
		}
	})
}

// Who has written finds it in the counts, however many write and count meanwhile.
func TestCountsHoldWhatIsWritten(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		env := create(t, e, Create{})
		var written atomic.Int64
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for n := range 50 {
					envtest.Insert(t, env, fmt.Sprint(worker, "-", n))
					least := written.Add(1)
					counts, err := env.Counts(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					var got int64
					if _, err := fmt.Sscanf(counts.String(), `{"probe":{"rows":%d}}`, &got); err != nil || got < least {
						t.Errorf("%s with %d rows: %v", counts, least, err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got, err := env.Counts(context.Background()); err != nil || got.String() != `{"probe":{"rows":200}}` {
			t.Errorf("%s, %v", got, err)
		}
	})
}
