package sqlite

import (
	"context"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/store"
)

// A copy whose original is open is read without giving it a file of its own, and
// shows its moment, whatever happens to the original.
func TestACopyOfAnOpenWorldIsReadWhole(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w := s.made("w", "")
	s.write(w, "one")
	s.copied("w", "copy")
	s.write(w, "two")
	acts := s.acts()
	read := func() *store.World {
		c, err := s.OpenCopy(ctx, "copy", notes)
		s.check(err)
		return c
	}
	c := read()
	s.holds(c, "one")
	if want := []string{"read copy.db"}; !slices.Equal(*acts, want) || s.names("copy") != 2 {
		t.Errorf("%q, want %q; the file has %d names", *acts, want, s.names("copy"))
	}
	if _, err := s.OpenCopy(ctx, "copy", notes); err == nil {
		t.Error("it is open twice")
	}
	// The log of the original is written back, so the copy gets a file of its own.
	inner := w.Backend().(*world)
	s.check(inner.alone(func() error {
		if err := inner.unshare(); err != nil {
			return err
		}
		return inner.writeBack()
	}))
	s.check(c.Read(ctx, func(tx *store.Tx) error { // two at once
		_, err := tx.Get("SELECT COUNT(*) FROM note", nil, new(int64))
		s.holds(c, "one")
		return err
	}))
	s.check(c.Close())
	s.copied("copy", "another")
	c = read()
	s.holds(c, "one")
	s.check(c.Close())
	s.holds(w, "one two")
	s.check(w.Close())
	s.holdsClosed("copy", "one")
	s.holdsClosed("another", "one")
}

// A copy that cannot be read whole is opened like any other world: one with a
// log, one from before the tables changed, a large one.
func TestCopiesThatAreNotReadWhole(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w := s.made("w", "")
	s.write(w, "one")
	s.copied("w", "first")
	s.write(w, "two")
	s.copied("w", "logged") // which the first one keeps from being written back
	acts := s.acts()
	c, err := s.OpenCopy(ctx, "logged", notes)
	s.check(err)
	s.holds(c, "one two")
	s.check(c.Close())
	newer := slices.Clone(notes)
	newer[0].Name = "other"
	if whole, err := openWhole(s.Store, "first", newer); whole != nil || err != nil {
		t.Errorf("tables from before a change are read whole: %v", err)
	}
	for range 20 {
		s.write(w, strings.Repeat("long ", maxWhole/50))
	}
	s.copied("w", "large")
	if whole, err := openWhole(s.Store, "large", notes); whole != nil || err != nil {
		t.Errorf("%d bytes are read whole: %v", s.folder.Size("large"), err)
	}
	if slices.ContainsFunc(*acts, func(act string) bool { return act == "read logged.db" || act == "read large.db" }) {
		t.Errorf("%q", *acts)
	}
	s.check(w.Close())
}

// A world and its copy are the same until one of them is opened or changes.
func TestCopiesAreKnownToBeTheSame(t *testing.T) {
	for name, world := range map[string]func(string) string{"in memory": store.InMemory, "in files": func(name string) string { return name }} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t, t.TempDir())
			w := s.made(world("w"), "")
			s.write(w, "one")
			s.check(w.Close())
			s.copied(world("w"), world("copy"))
			lazy := func(name string) *store.World { return store.Lazily(s.Store, world(name), notes) }
			copied := store.LazilyCopy(s.Store, world("copy"), notes)
			if w := lazy("w"); !store.Same(w, copied) || !store.Same(copied, w) || store.Same(w, lazy("none")) || store.Same(lazy("none"), lazy("other")) {
				t.Error("a copy is not the same as its original, or what is not there is the same as something")
			}
			again := lazy("w")
			s.holds(again, "one")
			if store.Same(again, copied) {
				t.Error("it is the same while it is open")
			}
			s.check(again.Close())
			if w := lazy("w"); !store.Same(w, copied) {
				t.Error("reading has changed it")
			}
			changed := lazy("w")
			s.write(changed, "two")
			s.check(changed.Close())
			if w := lazy("w"); store.Same(w, copied) {
				t.Error("it is the same after a change")
			}
			s.holds(copied, "one")
			s.check(copied.Close())
		})
	}
}
