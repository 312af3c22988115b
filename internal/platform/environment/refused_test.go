package environment

import (
	"context"
	"errors"
	"testing"
	"time"

	"understudy/internal/platform/store"
)

// An environment that was taken to be put back and is not, because the snapshot
// has gone meanwhile, is as it was: also one that is in memory alone.
func TestARefusedRestoreLeavesWhatWasThere(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Manager, _ *probe) {
		for _, ephemeral := range []bool{false, true} {
			ctx := context.Background()
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			env := made(t, m, Create{Ephemeral: ephemeral, Clock: &at})
			s, err := m.Snapshot(ctx, env.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := env.World.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec("INSERT INTO probe (id) VALUES ('later')")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			_, leave, err := m.Enter(ctx, env.ID)
			if err != nil {
				t.Fatal(err)
			}
			restored := make(chan error, 1)
			go func() {
				_, err := m.Restore(ctx, env.ID, s.ID)
				restored <- err
			}()
			for taken := false; !taken; time.Sleep(time.Millisecond) {
				m.mu.Lock()
				taken = !m.open[env.ID].isReady()
				m.mu.Unlock()
			}
			if err := m.DeleteSnapshot(ctx, env.ID, s.ID); err != nil {
				t.Fatal(err)
			}
			leave()
			if err := <-restored; !errors.Is(err, SnapshotNotFound) {
				t.Errorf("the restore: %v", err)
			}
			again, err := m.Open(ctx, env.ID)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			if err := again.World.Read(ctx, func(tx *store.Tx) (err error) {
				found, err = tx.Get("SELECT 1 FROM probe WHERE id = 'later'", nil, new(int64))
				return err
			}); err != nil || !found || !again.Clock.Now().Equal(at) {
				t.Errorf("ephemeral %v: is what was written there: %v; the clock is at %v: %v", ephemeral, found, again.Clock.Now(), err)
			}
		}
	})
}
