package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// counted is a schema whose migrations leave rows behind.
var counted = []store.Schema{{Name: "counted", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`
		CREATE TABLE counter (id BIGINT PRIMARY KEY, next BIGINT NOT NULL);
		INSERT INTO counter (id, next) VALUES (1, 1);
		CREATE TABLE entry (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL);
		CREATE TABLE other (id TEXT PRIMARY KEY);
		CREATE INDEX entry_text ON entry (text);`)},
}}}

// upgraded is counted in a later build.
var upgraded = []store.Schema{{Name: "counted", Migrations: fstest.MapFS{
	"0001_init.sql": counted[0].Migrations.(fstest.MapFS)["0001_init.sql"],
	"0002_more.sql": {Data: []byte(`
		DROP INDEX entry_text;
		ALTER TABLE entry ADD COLUMN note TEXT NOT NULL DEFAULT 'none';
		ALTER TABLE other ADD COLUMN note TEXT NOT NULL DEFAULT 'none';`)},
}}}

func onBoth(t *testing.T, test func(t *testing.T, open func() store.Store)) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			url, dir := "", t.TempDir()
			if name == "postgres" {
				url = storetest.DatabaseURL(t)
			}
			test(t, func() store.Store {
				s, err := store.Open(t.Context(), url, dir)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			})
		})
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func change(t *testing.T, w *store.World, statements ...string) {
	t.Helper()
	err := w.Write(context.Background(), func(tx *store.Tx) error {
		for _, sql := range statements {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holds tells what is in the three tables.
func holds(t *testing.T, w *store.World) string {
	t.Helper()
	var out []string
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		out = nil
		for _, sql := range []string{"SELECT next, 'counter' FROM counter", "SELECT seq, text FROM entry ORDER BY seq", "SELECT 0, id FROM other ORDER BY id"} {
			err := tx.Each(sql, nil, func(r store.Row) error {
				var n int64
				var text string
				err := r.Scan(&n, &text)
				out = append(out, fmt.Sprint(n, " ", text))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, ", ")
}

func shows(t *testing.T, w *store.World, what, want string) {
	t.Helper()
	if got := holds(t, w); got != want {
		t.Errorf("%s holds %q, want %q", what, got, want)
	}
}

func closed(t *testing.T, worlds ...*store.World) {
	t.Helper()
	for _, w := range worlds {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A world that takes the place of one that was removed begins as the first did.
func TestAWorldBeginsAnew(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() store.Store) {
		ctx := context.Background()
		s := open()
		for i := range 12 {
			name := fmt.Sprint("w", i%5)
			w := must[*store.World](t)(s.Create(ctx, name, "", counted))
			shows(t, w, "a new world", "1 counter")
			if i%2 == 0 {
				change(t, w, "DELETE FROM counter")
			}
			change(t, w, "INSERT INTO entry (text) VALUES ('a')", "INSERT INTO entry (text) VALUES ('b')", "INSERT INTO other (id) VALUES ('c')")
			if err := w.Seal(ctx); err != nil {
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
	})
}

// A copy is as its original was, however it is opened, and can be copied back.
func TestCopiesAreReadAndPutBack(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() store.Store) {
		ctx := context.Background()
		s := open()
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
		shows(t, w, "what was put back", "1 a")
		change(t, w, "INSERT INTO entry (text) VALUES ('d')")
		shows(t, w, "it, after a change,", "1 a, 2 d")

		f := must[*store.World](t)(s.Create(ctx, "fork", "copy", counted))
		change(t, f, "INSERT INTO entry (text) VALUES ('e')")
		shows(t, f, "the fork", "1 a, 2 e")
		c = must[*store.World](t)(s.Open(ctx, "copy", counted)) // to be written to
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
	})
}

// What an older build has copied can be opened, and put back, by a newer one.
func TestCopiesSurviveAnUpgrade(t *testing.T) {
	onBoth(t, func(t *testing.T, open func() store.Store) {
		ctx := context.Background()
		s := open()
		w := must[*store.World](t)(s.Create(ctx, "one", "", counted))
		change(t, w, "INSERT INTO entry (text) VALUES ('a')")
		if err := w.Seal(ctx); err != nil {
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

		s = open()
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
		shows(t, w, "what was put back", "1 counter, 1 a")
		change(t, w, "INSERT INTO entry (text, note) VALUES ('b', 'y')")
		shows(t, w, "it, after a change,", "1 counter, 1 a, 2 b")
		f := must[*store.World](t)(s.Create(ctx, "fork", "back", upgraded))
		change(t, f, "UPDATE entry SET note = 'z'")
		closed(t, f, w)
	})
}
