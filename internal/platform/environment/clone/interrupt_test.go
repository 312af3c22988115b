package clone_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/fault"
)

// operations are those that may take long.
var operations = map[string]func(w *world, id string) error{
	"diff": func(w *world, id string) error {
		_, err := w.Diff(context.Background(), id, "", "", diff.Options{Limit: 10})
		return err
	},
	"fork":     func(w *world, id string) error { _, err := w.Fork(context.Background(), id, clone.Fork{}); return err },
	"snapshot": func(w *world, id string) error { _, err := w.Snapshot(context.Background(), id, ""); return err },
}

// A long operation is interrupted when its environment is reset or removed, and
// returns that; nothing that it made remains.
func TestALongOperationIsEnded(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		for name, operate := range operations {
			for _, end := range []func(id string) error{
				func(id string) error { _, err := w.Reset(context.Background(), id); return err },
				func(id string) error { _, err := w.envs.Delete(context.Background(), id); return err },
			} {
				env := w.create(t, lifecycle.Create{})
				before := envtest.Worlds(t, w.store)
				begun, result := make(chan bool, 9), make(chan error)
				w.probe.Flush = func(ctx context.Context) error {
					begun <- true
					<-ctx.Done()
					return ctx.Err()
				}
				go func() { result <- operate(w, env.ID) }()
				<-begun
				ended := make(chan error)
				go func() { ended <- end(env.ID) }()
				err := <-result
				var f *fault.Error
				if !errors.Is(err, environment.Interrupted) || !errors.As(err, &f) || f.Kind != fault.Conflict {
					t.Errorf("%s: %v", name, err)
				}
				w.probe.Flush = nil
				if err := <-ended; err != nil {
					t.Errorf("what ended %s: %v", name, err)
				}
				for _, left := range envtest.Worlds(t, w.store) {
					if !slices.Contains(before, left) {
						t.Errorf("%s has left %s", name, left)
					}
				}
			}
		}
	})
}

// An operation that waits ends as soon as its environment is reset or removed,
// and does not delay that.
func TestAWaitEndsWithItsEnvironment(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.envs.DrainTimeout = time.Hour
		for name, end := range map[string]func(id string) error{
			"a reset":    func(id string) error { _, err := w.Reset(context.Background(), id); return err },
			"a deletion": func(id string) error { _, err := w.envs.Delete(context.Background(), id); return err },
		} {
			env := w.create(t, lifecycle.Create{})
			begun, result := make(chan bool), make(chan error)
			go func() {
				result <- lifecycle.Await(context.Background(), w.envs, env.ID, func(ctx context.Context, _ *environment.Environment) error {
					close(begun)
					<-ctx.Done()
					return ctx.Err()
				})
			}()
			<-begun
			ended := make(chan error)
			go func() { ended <- end(env.ID) }()
			if err := <-result; !errors.Is(err, environment.Interrupted) {
				t.Errorf("the wait that %s ends: %v", name, err)
			}
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A reset waits for an operation that does not check whether it was
// interrupted.
func TestAResetWaitsForAnOperation(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		for name, operate := range operations {
			env := w.create(t, lifecycle.Create{})
			var held atomic.Bool
			begun, result, reset := make(chan bool), make(chan error, 1), make(chan bool)
			w.probe.Flush = func(context.Context) error {
				if held.Swap(true) {
					return nil
				}
				close(begun)
				select {
				case <-reset:
					t.Errorf("the reset did not wait for %s", name)
				case <-time.After(20 * w.envs.DrainTimeout): // it would have ended long ago
				}
				return nil
			}
			go func() { result <- operate(w, env.ID) }()
			<-begun
			if _, err := w.Reset(context.Background(), env.ID); err != nil {
				t.Errorf("reset during %s: %v", name, err)
			}
			close(reset)
			if err := <-result; err != nil && !errors.Is(err, environment.Interrupted) {
				t.Errorf("%s: %v", name, err)
			}
			w.probe.Flush = nil
		}
	})
}

// A snapshot is removed while someone reads it: it is read to the end, and gone then.
func TestASnapshotThatIsReadIsRemovedAfterwards(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		env := w.create(t, lifecycle.Create{})
		s, err := w.Snapshot(ctx, env.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		w.probe.Flush = func(context.Context) error { return w.DeleteSnapshot(ctx, env.ID, s.ID) }
		if _, err := w.Diff(ctx, env.ID, s.ID, "", diff.Options{Limit: 10}); err != nil {
			t.Errorf("the diff: %v", err)
		}
		if slices.Contains(envtest.Worlds(t, w.store), worlds.Snapshot(s.ID)) {
			t.Error("the snapshot's database remains")
		}
		if _, err := w.Diff(ctx, env.ID, s.ID, "", diff.Options{}); !errors.Is(err, catalogue.SnapshotNotFound) {
			t.Errorf("of a snapshot that is gone: %v", err)
		}
	})
}

// An environment that is restored from a snapshot while the snapshot is removed
// can be opened afterwards, in whichever order the two happen.
func TestRestoreAgainstRemovalOfItsSnapshot(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		env := w.create(t, lifecycle.Create{})
		for range 20 {
			s, err := w.Snapshot(ctx, env.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for _, f := range []func() error{
				func() error { _, err := w.Restore(ctx, env.ID, s.ID); return err },
				func() error { return w.DeleteSnapshot(ctx, env.ID, s.ID) },
			} {
				wg.Go(func() {
					if err := f(); err != nil && !errors.Is(err, catalogue.SnapshotNotFound) && !errors.Is(err, catalogue.SnapshotInUse) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if _, err := w.envs.Open(ctx, env.ID); err != nil {
				t.Fatalf("it cannot be opened any more: %v", err)
			}
		}
	})
}
