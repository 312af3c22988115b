package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"understudy/internal/platform/store"
)

// Copies of one world equal it, are independent of each other, and replace closed
// worlds of their names.
func multipliedWorldsShareNothing(t *testing.T, s store.Store) {
	for _, memory := range []bool{false, true} {
		name := func(n string) string {
			if memory {
				return store.InMemory(n)
			}
			return n
		}
		ctx := context.Background()
		names := []string{name("first"), name("second"), name("third"), name("fourth"), name("fifth")}
		if err := s.Multiply(ctx, name("absent"), names, sample); !errors.Is(err, store.ErrNoWorld) {
			t.Errorf("of a world that does not exist: %v", err)
		}
		logs := func(w *store.World, what, want string) {
			t.Helper()
			var got []string
			err := w.Read(ctx, func(tx *store.Tx) error {
				got = nil
				return tx.Each("SELECT item_id FROM log ORDER BY seq", nil, func(r store.Row) error {
					var one string
					err := r.Scan(&one)
					got = append(got, one)
					return err
				})
			})
			if text := strings.Join(got, " "); err != nil || text != want {
				t.Errorf("%s holds %q, want %q: %v", what, text, want, err)
			}
		}
		replaced := name("replaced")
		old, err := s.Open(ctx, replaced, sample)
		if err != nil {
			t.Fatal(err)
		}
		change(t, old, "INSERT INTO log (item_id) VALUES ('old')")
		closed(t, old)
		original, err := s.Create(ctx, name("original"), "", sample)
		if err != nil {
			t.Fatal(err)
		}
		change(t, original, "INSERT INTO log (item_id) VALUES ('original')")
		if err := original.MakeDurable(ctx); err != nil {
			t.Fatal(err)
		}
		change(t, original, "INSERT INTO log (item_id) VALUES ('later')") // in the log, not in the file
		closed(t, original)
		if err := s.Multiply(ctx, name("original"), append(names, replaced), sample); err != nil {
			t.Fatal(err)
		}
		for i, n := range append(names, replaced, name("original")) {
			w, err := s.Open(ctx, n, sample)
			if err != nil {
				t.Fatal(n, err)
			}
			logs(w, n, "original later")
			change(t, w, "INSERT INTO log (item_id) VALUES ('"+n+"')")
			if i%2 == 0 { // some stay open, some do not
				closed(t, w)
				w, err = s.Open(ctx, n, sample)
				if err != nil {
					t.Fatal(n, err)
				}
			}
			logs(w, n, "original later "+n)
			t.Cleanup(func() { _ = w.Close(); _ = s.Drop(ctx, n) })
		}
	}
}
