package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
)

func copiesAreIndependent(t *testing.T, s store.Store) {
	ctx := context.Background()
	w, err := s.Open(ctx, "original", sample)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(); _ = s.Drop(ctx, "original") })
	add := func(w *store.World, n int) {
		for range n {
			err := w.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.InsertID("seq", "INSERT INTO log (item_id) VALUES (?)", "x")
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
	count := func(w *store.World) (n int64) {
		err := w.Read(ctx, func(tx *store.Tx) error {
			_, err := tx.Get("SELECT COUNT(*) FROM log", nil, &n)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	add(w, 20)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); add(w, 30) }()
	if err := s.Copy(ctx, "original", "copied"); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	c, err := s.Open(ctx, "copied", sample)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = s.Drop(ctx, "copied") })
	had := count(c)
	if had < 20 || had > 50 {
		t.Fatalf("the copy has %d rows", had)
	}
	add(c, 5)
	if count(c) != had+5 || count(w) != 50 {
		t.Errorf("the copy has %d of %d rows, the original %d of 50", count(c), had+5, count(w))
	}
}

func newerDataIsRefused(t *testing.T, s store.Store) {
	ctx := context.Background()
	w, err := s.Open(ctx, "one", sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	older := []store.Schema{{Name: "sample", Migrations: fstest.MapFS{
		"0001_init.sql": {Data: []byte(`CREATE TABLE item (id TEXT PRIMARY KEY);`)}}}}
	if _, err := s.Open(ctx, "one", older); !errors.Is(err, store.ErrNewerData) {
		t.Fatalf("opened newer data: %v", err)
	}
	if w, err = s.Open(ctx, "one", sample); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
}

// A world that replaces a removed one is in the same initial state.
func worldsBeginAnew(t *testing.T, reopen func() store.Store) {
	ctx := context.Background()
	s := reopen()
	for i := range 12 {
		name := fmt.Sprint("w", i%5)
		w := must[*store.World](t)(s.Create(ctx, name, "", counted))
		shows(t, w, "a new world", "1 counter")
		if i%2 == 0 {
			change(t, w, "DELETE FROM counter")
		}
		change(t, w, "INSERT INTO entry (text) VALUES ('a')", "INSERT INTO entry (text) VALUES ('b')", "INSERT INTO other (id) VALUES ('c')")
		if err := w.MakeDurable(ctx); err != nil {
			t.Fatal(err)
		}
		if want := "1 a, 2 b, 0 c"; !strings.HasSuffix(holds(t, w), want) {
			t.Errorf("it holds %s", holds(t, w))
		}
		closed(t, w)
		if i%3 > 0 {
			if err := s.Drop(ctx, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if list := must[[]string](t)(s.Worlds(ctx)); !slices.Equal(slices.Sorted(slices.Values(list)), []string{"w4"}) {
		t.Errorf("the worlds are %v", list)
	}
}

// A copy equals its original, however it is opened, and can be copied back.
func copiesAreReadAndRestored(t *testing.T, reopen func() store.Store) {
	ctx := context.Background()
	s := reopen()
	w := must[*store.World](t)(s.Create(ctx, "one", "", counted))
	change(t, w, "INSERT INTO entry (text) VALUES ('a')", "DELETE FROM counter")
	many := make([][]any, 20_000)
	for i := range many {
		many[i] = []any{fmt.Sprintf("%06d", i)}
	}
	if err := s.Copy(ctx, "one", "copy"); err != nil {
		t.Fatal(err)
	}
	c := must[*store.World](t)(s.OpenCopy(ctx, "copy", counted))
	shows(t, c, "the copy", "1 a")
	closed(t, c)
	if err := s.Copy(ctx, "none", "other"); !errors.Is(err, store.ErrNoWorld) {
		t.Errorf("copying nothing: %v", err)
	}

	change(t, w, "INSERT INTO entry (text) VALUES ('b')", "INSERT INTO counter (id, next) VALUES (1, 7)", "INSERT INTO other (id) VALUES ('c')")
	if err := w.Discard(); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(ctx, "copy", "one"); err != nil {
		t.Fatal(err)
	}
	w = must[*store.World](t)(s.Open(ctx, "one", counted))
	shows(t, w, "what was restored", "1 a")
	change(t, w, "INSERT INTO entry (text) VALUES ('d')")
	shows(t, w, "it, after a change,", "1 a, 2 d")

	f := must[*store.World](t)(s.Create(ctx, "fork", "copy", counted))
	change(t, f, "INSERT INTO entry (text) VALUES ('e')")
	shows(t, f, "the fork", "1 a, 2 e")
	c = must[*store.World](t)(s.Open(ctx, "copy", counted)) // open for writing
	change(t, c, "INSERT INTO entry (text) VALUES ('f')", "INSERT INTO other (id) VALUES ('g')")
	shows(t, c, "the copy, after a change,", "1 a, 2 f, 0 g")
	closed(t, c, f)

	// With more rows than are copied without their index.
	if err := w.Write(ctx, func(tx *store.Tx) error { return tx.CopyFrom("other", []string{"id"}, many) }); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(ctx, "one", "large"); err != nil {
		t.Fatal(err)
	}
	l := must[*store.World](t)(s.OpenCopy(ctx, "large", counted))
	if a, b := holds(t, l), holds(t, w); a != b {
		t.Errorf("a large copy holds %d bytes, its original %d", len(a), len(b))
	}
	closed(t, l, w)
}

// Worlds in memory and in files are copied into each other, open and closed,
// including their logs.
func copiesChangeStorage(t *testing.T, s store.Store) {
	ctx := context.Background()
	w := must[*store.World](t)(s.Create(ctx, "disk", "", counted))
	change(t, w, "INSERT INTO entry (text) VALUES ('a')")
	if err := w.MakeDurable(ctx); err != nil {
		t.Fatal(err)
	}
	change(t, w, "INSERT INTO entry (text) VALUES ('b')")
	if err := s.Copy(ctx, "disk", "closed"); err != nil {
		t.Fatal(err)
	}
	change(t, w, "INSERT INTO entry (text) VALUES ('c')")
	m := must[*store.World](t)(s.Create(ctx, store.InMemory("m"), "disk", counted))
	shows(t, m, "a copy in memory", "1 counter, 1 a, 2 b, 3 c")
	change(t, m, "INSERT INTO entry (text) VALUES ('d')")
	shows(t, w, "its original", "1 counter, 1 a, 2 b, 3 c")
	c := must[*store.World](t)(s.Create(ctx, store.InMemory("c"), "closed", counted))
	shows(t, c, "a copy of a closed one", "1 counter, 1 a, 2 b")
	d := must[*store.World](t)(s.Create(ctx, "back", store.InMemory("m"), counted))
	if err := d.MakeDurable(ctx); err != nil {
		t.Fatal(err)
	}
	shows(t, d, "a copy on disk", "1 counter, 1 a, 2 b, 3 c, 4 d")
	change(t, d, "INSERT INTO entry (text) VALUES ('e')")
	shows(t, m, "its original in memory", "1 counter, 1 a, 2 b, 3 c, 4 d")
	closed(t, w, m, c, d)
	if err := s.Copy(ctx, store.InMemory("m"), "again"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"again": "1 counter, 1 a, 2 b, 3 c, 4 d", "back": "1 counter, 1 a, 2 b, 3 c, 4 d, 5 e", "closed": "1 counter, 1 a, 2 b"} {
		w := must[*store.World](t)(s.Open(ctx, name, counted))
		shows(t, w, name, want)
		closed(t, w)
	}
	for _, pair := range [][2]string{{"none", store.InMemory("x")}, {store.InMemory("none"), "x"}} {
		if err := s.Copy(ctx, pair[0], pair[1]); !errors.Is(err, store.ErrNoWorld) {
			t.Errorf("copying %s: %v", pair[0], err)
		}
	}
}

// A newer build can open and restore copies made by an older build.
func copiesSurviveAnUpgrade(t *testing.T, reopen func() store.Store) {
	ctx := context.Background()
	s := reopen()
	w := must[*store.World](t)(s.Create(ctx, "one", "", counted))
	change(t, w, "INSERT INTO entry (text) VALUES ('a')")
	if err := w.MakeDurable(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"read", "back"} {
		if err := s.Copy(ctx, "one", name); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, w)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = reopen()
	for _, name := range []string{"one", "read"} {
		w := must[*store.World](t)(s.OpenCopy(ctx, name, upgraded))
		shows(t, w, name, "1 counter, 1 a")
		change(t, w, "UPDATE entry SET note = 'x'", "INSERT INTO other (id, note) VALUES ('c', 'd')")
		closed(t, w)
	}
	if err := s.Copy(ctx, "back", "one"); err != nil {
		t.Fatal(err)
	}
	w = must[*store.World](t)(s.Open(ctx, "one", upgraded))
	shows(t, w, "what was restored", "1 counter, 1 a")
	change(t, w, "INSERT INTO entry (text, note) VALUES ('b', 'y')")
	shows(t, w, "it, after a change,", "1 counter, 1 a, 2 b")
	f := must[*store.World](t)(s.Create(ctx, "fork", "back", upgraded))
	change(t, f, "UPDATE entry SET note = 'z'")
	closed(t, f, w)
}
