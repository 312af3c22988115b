package clone_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A database belongs to one process. One that starts after a crash removes what
// the crash has left, strays and ephemeral environments, and nothing else.
func TestADatabaseBelongsToOneProcess(t *testing.T) {
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	first := open(t, envtest.Store(t, url, ""))
	ephemeral, env := first.create(t, ephemeral), first.create(t, lifecycle.Create{})
	stray := worlds.Of(environment.NewID(false))
	if _, err := first.store.Open(ctx, stray, []store.Schema{environment.WorldSchema()}); err != nil {
		t.Fatal(err)
	}
	if err := envtest.Store(t, url, "").Claim(ctx, slog.New(slog.DiscardHandler)); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	if _, err := first.Reset(ctx, env.ID); err != nil {
		t.Errorf("the first is of no use any more: %v", err)
	}
	first.store.Release() // as if it was killed
	last := open(t, envtest.Store(t, url, ""))
	defer func() { _ = last.envs.Close() }()
	if left := envtest.Worlds(t, last.store); slices.Contains(left, stray) || slices.Contains(left, worlds.Of(ephemeral.ID)) || !slices.Contains(left, worlds.Of(env.ID)) {
		t.Errorf("it has left %v", left)
	}
}
