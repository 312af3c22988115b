package environment

import (
	"context"
	"slices"
	"testing"

	"understudy/internal/platform/store/storetest"
)

// A process that starts and one that ends remove what crashes have left, but
// nothing that another process is making, and none of its ephemeral environments.
func TestNodesSpareWhatOthersMake(t *testing.T) {
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	p := &probe{}
	first := managerOn(t, url, "", p)
	ephemeral := made(t, first, Create{Ephemeral: true})
	stray := worldOf(newID(ofEnvironment, false, 12))
	if _, err := first.o.Store.Open(ctx, stray, first.schemas); err != nil {
		t.Fatal(err)
	}
	p.settle = func(context.Context) error { // a new environment is not in the catalogue yet
		p.settle = nil
		return managerOn(t, url, "", &probe{}).Close()
	}
	env := made(t, first, Create{})
	if p.settle != nil {
		t.Fatal("no other process came and went")
	}
	if _, err := first.Reset(ctx, env.ID); err != nil {
		t.Errorf("an environment that was made meanwhile: %v", err)
	}
	if _, err := first.Reset(ctx, ephemeral.ID); err != nil {
		t.Errorf("an ephemeral one: %v", err)
	}
	if err := first.o.Store.Leave(ctx, func() error { return nil }); err != nil { // as if it was killed
		t.Fatal(err)
	}
	last := managerOn(t, url, "", &probe{})
	defer func() { _ = last.Close() }()
	if left := worlds(t, last); slices.Contains(left, stray) || slices.Contains(left, worldOf(ephemeral.ID)) || !slices.Contains(left, worldOf(env.ID)) {
		t.Errorf("it has left %v", left)
	}
}
