package provision

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// filler is a provisioner on a store of its own, and how often it has read a fixture.
type filler struct {
	*Provisioner
	store store.Store
	probe envtest.Probe
	read  atomic.Int64
	fail  atomic.Bool
}

func newFiller(t *testing.T) *filler {
	t.Helper()
	f := &filler{store: envtest.Store(t, "", t.TempDir())}
	e, err := lifecycle.New(context.Background(), f.store, f.probe.Platform())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	f.Provisioner = New(e, func(string) ([]*seeddoc.Node, error) {
		f.read.Add(1)
		if f.fail.Swap(false) {
			return nil, errBroken
		}
		return nil, nil
	})
	return f
}

var errBroken = errors.New("broken")

func (f *filler) create(t *testing.T, c Create) {
	t.Helper()
	c.RateLimits = 1
	if _, _, err := f.Create(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func (f *filler) kept(t *testing.T) (n int) {
	t.Helper()
	for _, name := range envtest.Worlds(t, f.store) {
		if strings.HasPrefix(name, "kept_") {
			n++
		}
	}
	return n
}

func at(hour int) environment.Start {
	clock := time.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC)
	return environment.Start{Clock: &clock}
}

// Of those who ask for one fixture at the same time one fills it, and the others wait
// and begin as a copy.
func TestAFixtureIsFilledOnceForAll(t *testing.T) {
	f := newFiller(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { f.create(t, Create{Fixture: "demo", Start: at(9)}) })
	}
	wg.Wait()
	if n := f.read.Load(); n != 1 {
		t.Errorf("the fixture was read %d times", n)
	}
}

// When the one that fills it fails, another does.
func TestAFixtureThatCouldNotBeFilledIsFilledByTheNext(t *testing.T) {
	f := newFiller(t)
	f.fail.Store(true)
	if _, _, err := f.Create(t.Context(), Create{Fixture: "demo", Start: at(9)}); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	f.create(t, Create{Fixture: "demo", Start: at(9)})
	if n := f.read.Load(); n != 2 {
		t.Errorf("the fixture was read %d times", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, _ := (&Create{Fixture: "other"}).recipe()
	_, release, err := f.Provisioner.kept.find(t.Context(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Provisioner.kept.find(ctx, r, true); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone waits: %v", err)
	}
	release()
}

// The worlds that are kept are few. The one that was used the longest time ago goes first.
func TestFewWorldsAreKept(t *testing.T) {
	f := newFiller(t)
	for hour := range maxKept {
		f.create(t, Create{Fixture: "demo", Start: at(hour)})
	}
	f.create(t, Create{Fixture: "demo", Start: at(0)})
	f.create(t, Create{Fixture: "demo", Start: at(20)}) // in the place of 1
	f.read.Store(0)
	for _, hour := range []int{0, 2, 3, 20} {
		f.create(t, Create{Fixture: "demo", Start: at(hour)})
	}
	if n := f.read.Load(); n != 0 {
		t.Errorf("%d of the worlds that were used last are not kept", n)
	}
	f.create(t, Create{Fixture: "demo", Start: at(1)})
	if n := f.read.Load(); n != 1 {
		t.Error("the one that was used the longest time ago is kept")
	}
	if n := f.kept(t); n != maxKept {
		t.Errorf("%d worlds are kept", n)
	}
}

// A world whose clock runs is copied for a minute, within the day: its times count back
// from the moment when it was made. It replaces the one before.
func TestAWorldWithARunningClockIsCopiedForAMinute(t *testing.T) {
	began := time.Date(2026, 3, 2, 23, 59, 30, 0, time.UTC)
	for _, c := range []struct {
		clock string
		after time.Duration
		want  bool
	}{
		{"", 0, true}, {"", 29 * time.Second, true}, {"", 31 * time.Second, false}, {"", -time.Second, false},
		{"", -40 * time.Second, false}, {"2026-03-02T09:00:00Z", time.Hour, true},
	} {
		w := &keptWorld{recipe: recipe{clock: c.clock}, began: began}
		if got := w.fits(began.Add(c.after)); got != c.want {
			t.Errorf("clock %q, %s later: %v", c.clock, c.after, got)
		}
	}
	early := &keptWorld{began: began.Add(-time.Hour)}
	if !early.fits(early.began.Add(maxAge-1)) || early.fits(early.began.Add(maxAge)) {
		t.Error("it is not copied for a minute")
	}

	f := newFiller(t)
	f.create(t, Create{Fixture: "demo"})
	f.Provisioner.kept.worlds[0].began = time.Time{}
	f.create(t, Create{Fixture: "demo"})
	if n, kept := f.read.Load(), f.kept(t); n != 2 || kept != 1 {
		t.Errorf("the fixture was read %d times, %d worlds are kept", n, kept)
	}
}

// A seed, a clock and a fixture make a recipe, all that is left out included.
func TestRecipes(t *testing.T) {
	seed, other := int64(0), int64(1)
	known := map[recipe]int{}
	for i, c := range []Create{{Fixture: "a"}, {Fixture: "b"}, {Fixture: "a", Start: at(0)}, {Fixture: "a", Start: at(1)},
		{Fixture: "a", Start: environment.Start{Seed: &seed}}, {Fixture: "a", Start: environment.Start{Seed: &other}},
		{Fixture: "a", Start: environment.Start{Seed: &seed, Clock: at(0).Clock}}} {
		r, ok := c.recipe()
		if j, twice := known[r]; twice || !ok {
			t.Errorf("%d is %d: %v, %v", i, j, r, ok)
		}
		known[r] = i
	}
	if _, ok := (&Create{Start: at(0)}).recipe(); ok {
		t.Error("an environment without a fixture is kept")
	}
}

// The search index of an environment is built where there is something to find.
func TestDefaultsAreNotIndexed(t *testing.T) {
	f := newFiller(t)
	f.create(t, Create{})
	if n := f.probe.Indexed.Load(); n != 0 {
		t.Errorf("defaults were indexed %d times", n)
	}
	f.create(t, Create{Fixture: "demo"})
	if n := f.probe.Indexed.Load(); n != 1 {
		t.Errorf("a fixture was indexed %d times", n)
	}
}
