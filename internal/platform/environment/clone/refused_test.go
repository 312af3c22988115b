package clone_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
)

// An environment whose restore fails because the snapshot was removed meanwhile
// is unchanged, also one in memory.
func TestARefusedRestoreLeavesWhatWasThere(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.envs.DrainTimeout = time.Minute // it waits for the request below, however long that takes
		for _, ephemeral := range []bool{false, true} {
			ctx := context.Background()
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			env := w.create(t, lifecycle.Create{Info: environment.Info{Ephemeral: ephemeral}, Start: environment.Start{Clock: &at}})
			s, err := w.Snapshot(ctx, env.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			envtest.Insert(t, env, "later")
			_, leave, err := w.envs.Enter(ctx, env.ID)
			if err != nil {
				t.Fatal(err)
			}
			restored := make(chan error, 1)
			go func() {
				_, err := w.Restore(ctx, env.ID, s.ID)
				restored <- err
			}()
			for w.envs.State(env.ID) == lifecycle.Open {
				time.Sleep(time.Millisecond)
			}
			if err := w.DeleteSnapshot(ctx, env.ID, s.ID); err != nil {
				t.Fatal(err)
			}
			leave()
			if err := <-restored; !errors.Is(err, catalogue.SnapshotNotFound) {
				t.Errorf("the restore: %v", err)
			}
			again, err := w.envs.Open(ctx, env.ID)
			if err != nil {
				t.Fatal(err)
			}
			if found := envtest.Has(t, again, "later"); !found || !again.Clock.Now().Equal(at) {
				t.Errorf("ephemeral %v: is what was written there: %v; the clock is at %v", ephemeral, found, again.Clock.Now())
			}
		}
	})
}
