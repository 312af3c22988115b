package lifecycle

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/worlds"
)

// rows returns what a list shows of an environment: its rows and its time.
func rows(t *testing.T, e *Environments, id string) (n int64, at time.Time) {
	t.Helper()
	page, err := Overviews{e}.List(context.Background(), Selection{IDs: []string{id}}, catalogue.Place{}, 5)
	if err != nil || len(page) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	if _, err := fmt.Sscanf(page[0].Counts.String(), `{"probe":{"rows":%d}}`, &n); err != nil {
		t.Fatal(err)
	}
	return n, page[0].Clock.Now()
}

// The sweep visits an environment until its databases are suspended, and again when a request
// or background work has opened them. Lists show what has changed.
func TestEnvironmentsRest(t *testing.T) {
	for _, ephemeral := range []bool{false, true} {
		e := onSQLite(t, &envtest.Probe{})
		env := create(t, e, Create{Info: environment.Info{Ephemeral: ephemeral}})
		rests := func(want bool, when string) {
			t.Helper()
			if _, got := known(&e.table, env.ID); got != want {
				t.Errorf("%s it rests: %t (in memory: %t)", when, got, ephemeral)
			}
		}
		visited := func(want int, when string) {
			t.Helper()
			all := takeAwake(&e.table)
			if stayAwake(&e.table, all); len(all) != want {
				t.Errorf("%s the sweep visits %d environments, want %d (in memory: %t)", when, len(all), want, ephemeral)
			}
		}
		suspend := func() { Sweeper{e}.suspend(clock.Real().Add(time.Hour)) }
		rests(false, "after its creation")
		for n := range int64(3) {
			suspend()
			suspend()
			rests(true, "after a sweep")
			visited(0, "after a sweep")
			if got, _ := rows(t, e, env.ID); got != n {
				t.Errorf("%d rows are listed, want %d", got, n)
			}
			rests(true, "after a list")
			envtest.Insert(t, env, fmt.Sprint(n)) // without a request
			rests(false, "after a write")
			visited(1, "after a write")
			if got, _ := rows(t, e, env.ID); got != n+1 {
				t.Errorf("%d rows are listed after a write, want %d", got, n+1)
			}
		}
		suspend()
		if _, err := e.Open(t.Context(), env.ID); err != nil {
			t.Fatal(err)
		}
		visited(1, "after a request")
		suspend()
		rests(true, "after the last sweep")
		at := time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := env.SetClock(t.Context(), func(c *clock.Clock) error { c.Freeze(at); return nil }); err != nil {
			t.Fatal(err)
		}
		if _, got := rows(t, e, env.ID); !got.Equal(at) {
			t.Errorf("its time is %s after it was set", got)
		}
		suspend()
		if _, got := rows(t, e, env.ID); !got.Equal(at) {
			t.Errorf("its time is %s while it rests", got)
		}
		if again, err := e.Reopen(t.Context(), env.ID, func(ctx context.Context) error {
			return e.Catalogue.BeginRestore(ctx, env.ID, "")
		}); err != nil || again == env {
			t.Fatal(err)
		}
		rests(false, "after a reset")
		if got, _ := rows(t, e, env.ID); got != 0 {
			t.Errorf("%d rows are listed after a reset", got)
		}
	}
}

// A list that begins after a write shows it, however often the sweep suspends the
// databases meanwhile.
func TestListsShowWhatIsWrittenBesideTheSweep(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	env := create(t, e, Create{})
	var done atomic.Bool
	swept := make(chan int)
	go func() {
		n := 0
		for ; !done.Load(); n++ {
			Sweeper{e}.suspend(clock.Real().Add(time.Hour))
		}
		swept <- n
	}()
	listed := make(chan int)
	var written atomic.Int64
	go func() {
		n := 0
		for ; !done.Load(); n++ {
			least := written.Load()
			if got, _ := rows(t, e, env.ID); got < least {
				t.Errorf("%d rows are listed, %d were written before", got, least)
			}
		}
		listed <- n
	}()
	for n := range 200 {
		envtest.Insert(t, env, fmt.Sprint(n))
		written.Add(1)
		if n%10 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	done.Store(true)
	if n, m := <-swept, <-listed; n == 0 || m == 0 {
		t.Errorf("%d sweeps beside %d lists", n, m)
	}
}

// A copy that waits for its first request with open databases is known too, until
// something is written.
func TestEnvironmentsThatWaitAreKnown(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	parent := create(t, e, Create{})
	env := create(t, e, Create{From: worlds.Of(parent.Storage), Copied: func() environment.Copied { return environment.Copied{} }})
	if _, err := e.Delete(t.Context(), parent.ID); err != nil {
		t.Fatal(err)
	}
	Sweeper{e}.suspend(clock.Real().Add(suspendTime + time.Second))
	if _, ok := known(&e.table, env.ID); !ok || len(e.table.awake) != 1 {
		t.Fatalf("it is known: %t; the sweep visits %d", ok, len(e.table.awake))
	}
	envtest.Insert(t, env, "a")
	if got, _ := rows(t, e, env.ID); got != 1 {
		t.Errorf("%d rows are listed after a write", got)
	}
}

// A new environment, which has no open database, is known at once where others began
// with its content, and else once it rests after it was counted, until something is
// written.
func TestNewEnvironmentsAreKnown(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	sweep := func(after time.Duration) { Sweeper{e}.suspend(clock.Real().Add(after + time.Second)) }
	var counted Counted
	create(t, e, Create{Counted: &counted})
	like, other := create(t, e, Create{Counted: &counted}), create(t, e, Create{})
	sweep(suspendTime)
	if _, ok := known(&e.table, like.ID); !ok {
		t.Error("one whose content was counted before is not known")
	}
	sweep(firstTime)
	if _, ok := known(&e.table, other.ID); !ok {
		t.Error("one that rests is not known")
	}
	for _, env := range []*environment.Environment{like, other} {
		envtest.Insert(t, env, "a")
		if got, _ := rows(t, e, env.ID); got != 1 {
			t.Errorf("%d rows are listed after a write", got)
		}
	}
}
