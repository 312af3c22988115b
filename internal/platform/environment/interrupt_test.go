package environment

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func onBoth(t *testing.T, test func(t *testing.T, m *Manager, p *probe)) {
	for name, url := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": storetest.DatabaseURL} {
		t.Run(name, func(t *testing.T) {
			p := &probe{}
			m := managerOn(t, url(t), t.TempDir(), p)
			m.patience = 20 * time.Millisecond
			defer func() { _ = m.Close() }()
			test(t, m, p)
		})
	}
}

// operations are those that may take long.
var operations = map[string]func(m *Manager, id string) error{
	"diff": func(m *Manager, id string) error {
		_, err := m.Diff(context.Background(), id, "", "", diff.Options{Limit: 10})
		return err
	},
	"fork":     func(m *Manager, id string) error { _, err := m.Fork(context.Background(), id, Fork{}); return err },
	"snapshot": func(m *Manager, id string) error { _, err := m.Snapshot(context.Background(), id, ""); return err },
}

// An operation that goes on and on is ended when its environment is put back
// or removed, and says so; nothing of what it made remains.
func TestALongOperationIsEnded(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Manager, p *probe) {
		for name, operate := range operations {
			for _, end := range []func(id string) error{
				func(id string) error { _, err := m.Reset(context.Background(), id); return err },
				func(id string) error { return m.Delete(context.Background(), id) },
			} {
				env := made(t, m, Create{})
				before := worlds(t, m)
				begun, result := make(chan bool, 9), make(chan error)
				p.settle = func(ctx context.Context) error {
					begun <- true
					<-ctx.Done()
					return ctx.Err()
				}
				go func() { result <- operate(m, env.ID) }()
				<-begun
				ended := make(chan error)
				go func() { ended <- end(env.ID) }()
				err := <-result
				var f *fault.Error
				if !errors.Is(err, Interrupted) || !errors.As(err, &f) || f.Kind != fault.Conflict {
					t.Errorf("%s: %v", name, err)
				}
				p.settle = nil
				if err := <-ended; err != nil {
					t.Errorf("what ended %s: %v", name, err)
				}
				for _, w := range worlds(t, m) {
					if !slices.Contains(before, w) {
						t.Errorf("%s has left %s", name, w)
					}
				}
			}
		}
	})
}

// An operation that does not look whether it is to end is waited for.
func TestAResetWaitsForAnOperation(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Manager, p *probe) {
		for name, operate := range operations {
			env := made(t, m, Create{})
			begun, result := make(chan bool, 9), make(chan error, 1)
			p.settle = func(context.Context) error {
				if len(begun) == 0 {
					begun <- true
					time.Sleep(5 * m.patience)
				}
				return nil
			}
			go func() { result <- operate(m, env.ID) }()
			<-begun
			if _, err := m.Reset(context.Background(), env.ID); err != nil {
				t.Errorf("reset during %s: %v", name, err)
			}
			select {
			case err := <-result:
				if err != nil && !errors.Is(err, Interrupted) {
					t.Errorf("%s: %v", name, err)
				}
			default:
				t.Errorf("the reset did not wait for %s", name)
			}
			p.settle = nil
		}
	})
}

func worlds(t *testing.T, m *Manager) []string {
	t.Helper()
	list, err := m.o.Store.Worlds(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A snapshot is removed while someone reads it: it is read to the end, and gone then.
func TestASnapshotThatIsReadIsRemovedAfterwards(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Manager, p *probe) {
		ctx := context.Background()
		env := made(t, m, Create{})
		s, err := m.Snapshot(ctx, env.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		p.settle = func(context.Context) error { return m.DeleteSnapshot(ctx, env.ID, s.ID) }
		if _, err := m.Diff(ctx, env.ID, s.ID, "", diff.Options{Limit: 10}); err != nil {
			t.Errorf("the diff: %v", err)
		}
		if slices.Contains(worlds(t, m), snapshotWorlds(s.ID)) {
			t.Error("the snapshot's database remains")
		}
		if _, err := m.Diff(ctx, env.ID, s.ID, "", diff.Options{}); !errors.Is(err, SnapshotNotFound) {
			t.Errorf("of a snapshot that is gone: %v", err)
		}
	})
}

// Whoever is first, an environment that is put back to a snapshot that is
// being removed can be opened afterwards.
func TestRestoreAgainstRemovalOfItsSnapshot(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Manager, _ *probe) {
		ctx := context.Background()
		env := made(t, m, Create{})
		for range 20 {
			s, err := m.Snapshot(ctx, env.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for _, f := range []func() error{
				func() error { _, err := m.Restore(ctx, env.ID, s.ID); return err },
				func() error { return m.DeleteSnapshot(ctx, env.ID, s.ID) },
			} {
				wg.Go(func() {
					if err := f(); err != nil && !errors.Is(err, SnapshotNotFound) && !errors.Is(err, snapshotBusy) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if _, err := m.Open(ctx, env.ID); err != nil {
				t.Fatalf("it cannot be opened any more: %v", err)
			}
		}
	})
}
