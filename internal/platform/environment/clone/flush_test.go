package clone_test

import (
	"context"
	"sync"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/store"
)

// noting counts the worlds that are made in a store, and how many of them Sync was called after.
type noting struct {
	store.Store
	mu                  sync.Mutex
	made, synced, syncs int
}

func (n *noting) Create(ctx context.Context, world, from string, schemas []store.Schema) (*store.World, error) {
	w, err := n.Store.Create(ctx, world, from, schemas)
	n.count()
	return w, err
}

func (n *noting) Copy(ctx context.Context, from, to string) error {
	err := n.Store.Copy(ctx, from, to)
	n.count()
	return err
}

func (n *noting) Multiply(ctx context.Context, from string, to []string, schemas []store.Schema) error {
	err := n.Store.Multiply(ctx, from, to, schemas)
	for range to {
		n.count()
	}
	return err
}

func (n *noting) count() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.made++
}

func (n *noting) Sync(ctx context.Context) error {
	n.synced, n.syncs = n.made, n.syncs+1
	return n.Store.Sync(ctx)
}

// However many databases an operation makes, it waits once until all of them exist
// durably, and that before the catalogue says so.
func TestEachOperationWaitsOnceForTheNamesOfItsDatabases(t *testing.T) {
	n := &noting{Store: envtest.Store(t, "", t.TempDir())}
	w := open(t, n)
	defer func() { _ = w.envs.Close() }()
	ctx := context.Background()
	var env *environment.Environment
	var snapshot environment.Snapshot
	inMemory := true
	for _, step := range []struct {
		name  string
		made  int
		syncs int
		do    func() error
	}{
		{"create", 2, 1, func() error { env = w.create(t, lifecycle.Create{}); return nil }},
		{"fork", 2, 1, func() error { _, err := w.Fork(ctx, env.ID, clone.Fork{}); return err }},
		{"fork in memory", 2, 0, func() error { _, err := w.Fork(ctx, env.ID, clone.Fork{Ephemeral: &inMemory}); return err }},
		{"three forks", 6, 1, func() error {
			_, err := w.Forks(ctx, env.ID, 3, clone.Fork{}, func(context.Context, int, string, *environment.Environment) error { return nil })
			return err
		}},
		{"snapshot", 1, 1, func() (err error) { snapshot, err = w.Snapshot(ctx, env.ID, ""); return err }},
		{"restore", 1, 1, func() error { _, err := w.Restore(ctx, env.ID, snapshot.ID); return err }},
		{"reset", 1, 1, func() error { _, err := w.Reset(ctx, env.ID); return err }},
	} {
		n.made, n.synced, n.syncs = 0, 0, 0
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if n.made != step.made || n.syncs != step.syncs || n.syncs > 0 && n.synced != n.made {
			t.Errorf("%s: %d worlds made, %d times flushed, %d of them before; want %d and %d times", step.name, n.made, n.syncs, n.synced, step.made, step.syncs)
		}
	}
}

// Forks of one call begin alike, so one of them is asked how much it keeps, and
// lists show that of all.
func TestForksOfOneCallAreCountedOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		env := w.create(t, lifecycle.Create{})
		before, ctx := w.probe.Counted.Load(), context.Background()
		forks, err := w.Forks(ctx, env.ID, 5, clone.Fork{}, func(context.Context, int, string, *environment.Environment) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(forks))
		for i, f := range forks {
			ids[i] = f.ID
		}
		shown, err := lifecycle.Overviews{Environments: w.envs}.List(ctx, lifecycle.Selection{IDs: ids}, catalogue.Place{}, 10)
		if err != nil || len(shown) != len(ids) {
			t.Fatalf("%d of %d: %v", len(shown), len(ids), err)
		}
		for _, o := range shown {
			if o.Counts.String() != `{"probe":{"rows":0}}` || o.Size == 0 {
				t.Errorf("%s: %s, %d bytes", o.ID, o.Counts, o.Size)
			}
		}
		if n := w.probe.Counted.Load() - before; n != 1 {
			t.Errorf("counted %d times", n)
		}
	})
}
