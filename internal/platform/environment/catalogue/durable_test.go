package catalogue

import (
	"context"
	"slices"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store/sqlite"
	"understudy/internal/platform/store/storetest"
)

// opened returns a new catalogue.
func opened(t *testing.T) *Catalogue {
	t.Helper()
	s, err := sqlite.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A change of the catalogue waits for the disk, unless it is about environments in
// memory alone: a failure of the machine ends these.
func TestOnlyEnvironmentsInMemoryAreNotWaitedFor(t *testing.T) {
	ctx, c := context.Background(), opened(t)
	counted, waits := storetest.CountWaits(c.world)
	c.world = counted
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
		waits.Durable, waits.Derived = 0, 0
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if got := []int{waits.Durable, waits.Derived}; !slices.Equal(got, step.want) {
			t.Errorf("%s: %v writes that wait and that do not, want %v", step.name, got, step.want)
		}
	}
	if _, err := c.Delete(ctx, "memory", false); err == nil {
		t.Error("what is gone is deleted")
	}
}
