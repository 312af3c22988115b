package storetest

import (
	"testing"

	"understudy/internal/platform/store"
)

// lazyWorldsAreMadeWhenWrittenTo checks that a world from Lazily reads as empty
// without being created, and that the first write creates it.
func lazyWorldsAreMadeWhenWrittenTo(t *testing.T, s store.Store) {
	w := store.Lazily(s, "lazy", counted)
	defer func() { _ = w.Close() }()
	holds := func(want, wantWorlds int) {
		t.Helper()
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			var counters, entries int
			if _, err := tx.Get("SELECT COUNT(*) FROM counter", nil, &counters); err != nil {
				return err
			}
			if _, err := tx.Get("SELECT COUNT(*) FROM entry", nil, &entries); err != nil {
				return err
			}
			if counters != 1 || entries != want {
				t.Errorf("the world has %d counters and %d entries", counters, entries)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		known, err := store.SizeOf(t.Context(), s, w)
		if size, e := s.Size(t.Context(), "lazy"); err != nil || e != nil || known != size || (known == 0) != (wantWorlds == 0) {
			t.Errorf("it has %d bytes, the store says %d: %v, %v", known, size, err, e)
		}
		worlds, err := s.Worlds(t.Context())
		if err != nil || len(worlds) != wantWorlds || w.Absent(t.Context()) != (wantWorlds == 0) {
			t.Errorf("the store has the worlds %q, %v", worlds, err)
		}
	}
	holds(0, 0)
	holds(0, 0)
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO entry (text) VALUES (?)", "one")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	holds(1, 1)
	other := store.Lazily(s, "other", counted)
	defer func() { _ = other.Close() }()
	if err := other.Read(t.Context(), func(tx *store.Tx) error {
		var n int
		if _, err := tx.Get("SELECT COUNT(*) FROM entry", nil, &n); err != nil || n != 0 {
			t.Errorf("another world that was not written to has %d entries, %v", n, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
