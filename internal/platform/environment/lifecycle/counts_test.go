package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// A list shows an environment as it is, not as it was when it was closed for the
// last time: also while it is being reset, and after a reset that failed.
func TestListsCountWhatIsBeingReplaced(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		ctx := context.Background()
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		env := create(t, e, Create{})
		e.idle = 0
		closeIdle(e) // which stores that it holds nothing
		env, err := e.Open(ctx, env.ID)
		if err != nil {
			t.Fatal(err)
		}
		envtest.Insert(t, env, "a")
		list := func(when string) {
			t.Helper()
			page, err := Overviews{e}.List(ctx, Selection{}, catalogue.Place{}, 5)
			if err != nil || len(page) != 1 || page[0].Counts.String() != `{"probe":{"rows":1}}` {
				t.Errorf("%s the list is %v, %v", when, page, err)
			}
		}
		refused := errors.New("refused")
		begin := func(context.Context) error {
			list("while it is drained")
			return refused
		}
		if _, err := e.Reopen(ctx, env.ID, begin); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if e.isOpen(env.ID) {
			t.Fatal("it is open still")
		}
		list("after a reset that failed")
	})
}

// An environment that is being reset for long does not hold up the list.
func TestListsDoNotWaitForResets(t *testing.T) {
	ctx := context.Background()
	e := onSQLite(t, &envtest.Probe{})
	env := create(t, e, Create{})
	e.idle = 0
	closeIdle(e)
	env, err := e.Open(ctx, env.ID)
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	begin := func(context.Context) error {
		env.Close() // as while its databases are replaced
		listed := make(chan error, 1)
		go func() {
			page, err := Overviews{e}.List(ctx, Selection{}, catalogue.Place{}, 5)
			if err == nil && len(page) != 1 {
				err = fmt.Errorf("the list is %v", page)
			}
			listed <- err
		}()
		select {
		case err := <-listed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("the list waits for the reset")
		}
		return refused
	}
	if _, err := e.Reopen(ctx, env.ID, begin); !errors.Is(err, refused) {
		t.Fatal(err)
	}
}

// The sweep says nothing of an environment that ends while it looks at it.
func TestAnEnvironmentThatEndsIsNotCounted(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	var log bytes.Buffer
	e.Platform.Log = slog.New(slog.NewTextHandler(&log, nil))
	env := create(t, e, Create{})
	envtest.Insert(t, env, "a")
	session := e.table.find(env.ID)
	if _, err := e.Delete(context.Background(), env.ID); err != nil {
		t.Fatal(err)
	}
	Sweeper{e}.rest(awakened{session: session, entry: &entry{}}, clock.Real().Add(time.Hour), true)
	if log.Len() > 0 {
		t.Errorf("it logs %s", &log)
	}
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
