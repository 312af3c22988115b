package clone_test

import (
	"context"
	"slices"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A process that starts and one that ends remove what crashes have left, but
// nothing that another process is making, and none of its ephemeral environments.
func TestNodesSpareWhatOthersMake(t *testing.T) {
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	first := open(t, envtest.Store(t, url, ""))
	ephemeral := first.create(t, ephemeral)
	stray := worlds.Of(environment.NewID(false))
	if _, err := first.store.Open(ctx, stray, []store.Schema{environment.WorldSchema()}); err != nil {
		t.Fatal(err)
	}
	first.probe.Flush = func(context.Context) error { // a new environment is not in the catalogue yet
		first.probe.Flush = nil
		return open(t, envtest.Store(t, url, "")).envs.Close()
	}
	env := first.create(t, lifecycle.Create{})
	if first.probe.Flush != nil {
		t.Fatal("no other process came and went")
	}
	if _, err := first.Reset(ctx, env.ID); err != nil {
		t.Errorf("an environment that was made meanwhile: %v", err)
	}
	if _, err := first.Reset(ctx, ephemeral.ID); err != nil {
		t.Errorf("an ephemeral one: %v", err)
	}
	if err := first.store.Leave(ctx, func() error { return nil }); err != nil { // as if it was killed
		t.Fatal(err)
	}
	last := open(t, envtest.Store(t, url, ""))
	defer func() { _ = last.envs.Close() }()
	if left := envtest.Worlds(t, last.store); slices.Contains(left, stray) || slices.Contains(left, worlds.Of(ephemeral.ID)) || !slices.Contains(left, worlds.Of(env.ID)) {
		t.Errorf("it has left %v", left)
	}
}
