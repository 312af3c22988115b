package catalogue

import (
	"context"
	"slices"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite"
)

// waits counts the writes of a world, by whether they wait for the disk.
type waits struct {
	store.Backend
	durable, derived int
}

func (w *waits) Write(ctx context.Context, fn func(*store.Tx) error) error {
	w.durable++
	return w.Backend.Write(ctx, fn)
}

func (w *waits) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	w.derived++
	return w.Backend.WriteDerived(ctx, fn)
}

// What the catalogue says of an environment on the disk is durable. What it says of
// environments in memory alone need not be: what stops the machine ends them.
func TestOnlyEnvironmentsInMemoryAreNotWaitedFor(t *testing.T) {
	s, err := sqlite.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, err := Open(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	w := &waits{Backend: c.world.Backend()}
	c.world = store.NewWorld("catalogue", w)
	entry := func(id string, ephemeral bool) Entry {
		return Entry{Info: environment.Info{ID: id, Name: id, Storage: environment.NewID(ephemeral), Ephemeral: ephemeral}}
	}
	for _, step := range []struct {
		name string
		do   func() error
		want []int
	}{
		{"on the disk", func() error { return c.Insert(ctx, entry("disk", false)) }, []int{1, 0}},
		{"in memory", func() error { return c.Insert(ctx, entry("memory", true), entry("more", true)) }, []int{0, 1}},
		{"both", func() error { return c.Insert(ctx, entry("third", true), entry("other", false)) }, []int{1, 0}},
		{"delete in memory", func() error { _, err := c.Delete(ctx, "memory", false); return err }, []int{0, 1}},
		{"delete on the disk", func() error { _, err := c.Delete(ctx, "disk", false); return err }, []int{1, 0}},
		{"replace in memory by one on the disk", func() error { _, err := c.Replace(ctx, entry("more", false)); return err }, []int{1, 0}},
	} {
		w.durable, w.derived = 0, 0
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if got := []int{w.durable, w.derived}; !slices.Equal(got, step.want) {
			t.Errorf("%s: %v writes that wait and that do not, want %v", step.name, got, step.want)
		}
	}
	if _, err := c.Delete(ctx, "memory", false); err == nil {
		t.Error("what is gone is deleted")
	}
}
