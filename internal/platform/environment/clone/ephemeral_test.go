package clone_test

import (
	"context"
	"errors"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// What is ephemeral is gone at the next start, on PostgreSQL too, where it stood
// in the database; what was forked from it to stay, stays.
func TestWhatIsEphemeralEndsWithTheProgram(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		w, ctx := open(t, s), context.Background()
		yes, no := true, false
		env := w.create(t, ephemeral)
		stays, err := w.Fork(ctx, env.ID, clone.Fork{Ephemeral: &no})
		if err != nil {
			t.Fatal(err)
		}
		goes, err := w.Fork(ctx, stays.ID, clone.Fork{Ephemeral: &yes})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Snapshot(ctx, env.ID, ""); err != nil {
			t.Fatal(err)
		}
		if err := w.envs.Close(); err != nil {
			t.Fatal(err)
		}
		w = open(t, s)
		defer func() { _ = w.envs.Close() }()
		for id, want := range map[string]error{env.ID: environment.NotFound, goes.ID: environment.NotFound, stays.ID: nil} {
			if _, err := w.envs.Open(ctx, id); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", id, err, want)
			}
		}
		for _, name := range envtest.Worlds(t, s) {
			if id, _ := worlds.Owner(name); environment.IsEphemeralID(id) {
				t.Errorf("%s is left", name)
			}
		}
	})
}
