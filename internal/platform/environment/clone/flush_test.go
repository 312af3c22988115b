package clone_test

import (
	"context"
	"sync"
	"testing"

	"understudy/internal/platform/environment"
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
		{"three forks", 7, 1, func() error {
			_, err := w.Forks(ctx, env.ID, 3, clone.Fork{}, func(context.Context, int, *environment.Environment) error { return nil })
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
