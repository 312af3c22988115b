package clone_test

import (
	"context"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
)

// What is told of an environment while it is open, and of a snapshot when it
// is made, is what the catalogue returns later, to the last digit.
func TestTimesAreKeptAsTheyWereTold(t *testing.T) {
	w := open(t, envtest.Store(t, "", t.TempDir()))
	defer func() { _ = w.envs.Close() }()
	ctx := context.Background()
	at := time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC)
	expiring := lifecycle.Create{}
	expiring.Info.SetTTL(time.Hour)
	for _, c := range []lifecycle.Create{expiring, {Start: environment.Start{Clock: &at}}} {
		env := w.create(t, c)
		fork, err := w.Fork(ctx, env.ID, clone.Fork{})
		if err != nil {
			t.Fatal(err)
		}
		for _, told := range []environment.Info{env.Info, fork.Info} {
			kept, err := w.envs.Catalogue.Get(ctx, told.ID)
			if err != nil || !kept.Created.Equal(told.Created) || !kept.Expires.Equal(told.Expires) {
				t.Errorf("told %v and %v, kept %v and %v: %v", told.Created, told.Expires, kept.Created, kept.Expires, err)
			}
		}
		told, err := w.Snapshot(ctx, env.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := w.Snapshots(ctx, env.ID, "", 1)
		if err != nil || len(kept) != 1 || !kept[0].Created.Equal(told.Created) {
			t.Errorf("told %v, kept %v: %v", told.Created, kept, err)
		}
	}
}
