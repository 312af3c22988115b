package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
)

// left returns which files a world has, by what follows its name.
func (s fixture) left(world string) (out []string) {
	s.t.Helper()
	found, err := filepath.Glob(s.folder.Path(world) + "*")
	s.check(err)
	for _, path := range found {
		out = append(out, path[len(s.folder.Path(world))-len(".db"):])
	}
	return out
}

// after returns the store as it is found when the machine stops now.
func (s fixture) after() fixture {
	s.t.Helper()
	dir := s.t.TempDir()
	s.check(os.CopyFS(dir, os.DirFS(s.dir)))
	return newFixture(s.t, dir)
}

// A world that is made, with the copy that a reset goes back to, has a file and nothing
// beside it until it is used; what is written then goes to a log, and not to the copy.
func TestAWorldThatIsMadeHasNoLog(t *testing.T) {
	for _, from := range []string{"nothing", "a world without a log", "a world with a log"} {
		t.Run(from, func(t *testing.T) {
			s := newFixture(t, t.TempDir())
			ctx := context.Background()
			parent, want := "", "one"
			if from != "nothing" {
				w, err := s.Create(ctx, "parent", "", notes)
				s.check(err)
				s.write(w, "first")
				s.check(w.MakeDurable(ctx))
				parent, want = "parent", "first one"
				if from == "a world with a log" {
					s.write(w, "logged")
					want = "first logged one"
				}
			}
			w, err := s.Create(ctx, "made", parent, notes)
			s.check(err)
			s.write(w, "one")
			s.holds(w, want)
			alone := func(want ...string) {
				t.Helper()
				if files := s.left("made"); !slices.Equal(files, want) {
					t.Errorf("the world has %q, want %q", files, want)
				}
			}
			if from == "nothing" {
				alone() // it is in memory
			} else {
				alone(".db")
			}
			s.copied("made", "base")
			alone(".db")
			s.check(w.MakeDurable(ctx))
			alone(".db")
			then := s.after()
			then.holdsClosed("made", want)
			then.holdsClosed("base", want)
			s.write(w, "two")
			if s.folder.LogSize("made") == 0 {
				t.Error("a write to a world that was made is not in a log")
			}
			then = s.after()
			then.holdsClosed("made", want+" two")
			then.holdsClosed("base", want)
			s.holds(w, want+" two")
			s.check(w.Close())
			s.holdsClosed("base", want)
			s.holdsClosed("made", want+" two")
		})
	}
}

// A write that fails changes nothing in a world that is being made, also where it has
// changed more than the cache holds.
func TestAWorldThatIsMadeUndoesWhatFails(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w, err := s.Create(ctx, "made", "", notes)
	s.check(err)
	long := strings.Repeat("x", 3000)
	s.check(w.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO note SELECT ? FROM n`, long)
		return err
	}))
	refused := errors.New("refused")
	err = w.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(`UPDATE note SET text = 'y' || text`); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	s.check(w.MakeDurable(ctx))
	for _, in := range []fixture{s, s.after()} {
		var same, others int64
		found := w
		if in.dir != s.dir {
			found = in.opened("made")
		}
		in.check(found.Read(ctx, func(tx *store.Tx) error {
			_, err := tx.Get(`SELECT COUNT(*) FILTER (WHERE text = ?), COUNT(*) FROM note`, []any{long}, &same, &others)
			return err
		}))
		if same != 200 || others != 200 {
			t.Errorf("%d of %d notes are as they were", same, others)
		}
	}
}

// Whoever reads a world that is being made waits for who writes to it, and has a
// connection of its own once the world is durable.
func TestAWorldThatIsMadeHasOneConnection(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w, err := s.Create(context.Background(), "made", "", notes)
	s.check(err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				s.write(w, "x")
				var n int64
				if err := w.Read(context.Background(), func(tx *store.Tx) error {
					_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
					return err
				}); err != nil || n == 0 {
					t.Errorf("%d notes: %v", n, err)
				}
			}
		})
	}
	all.Wait()
	if n := s.share.conns.Load(); n != 1 {
		t.Errorf("%d connections to a world that is being made", n)
	}
	s.check(w.MakeDurable(context.Background()))
	if s.Store.opened("made").unlogged.Load() {
		t.Fatal("a durable world has one connection") // a read beside a write would wait for ever
	}
	s.check(w.Write(context.Background(), func(*store.Tx) error {
		return w.Read(context.Background(), func(tx *store.Tx) error {
			var n int64
			_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
			if n != 160 {
				t.Errorf("a read beside a write finds %d notes", n)
			}
			return err
		})
	}))
}

// A new world that becomes large is filled in its file, by one connection, with all that
// was written before.
func TestAWorldThatIsMadeOutgrowsMemory(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	for _, overwrites := range []bool{false, true} {
		name, schemas := fmt.Sprint("made_", overwrites), []store.Schema{notes[0]}
		schemas[0].Overwrite = overwrites
		w, err := s.Create(ctx, name, "", schemas)
		s.check(err)
		inner := w.Backend().(*world)
		for n := range 2 * maxFilling / 1_000_000 {
			s.write(w, strings.Repeat("x", 1_000_000))
			if size, err := s.Size(ctx, name); err != nil || size < int64(n+1)*1_000_000 {
				t.Fatalf("after %d notes of a megabyte it has %d bytes, %v", n+1, size, err)
			}
			if (inner.db != nil) == (overwrites || n >= maxFilling/1_000_000) {
				t.Fatalf("after %d notes of a megabyte, it is in memory: %v", n+1, inner.db != nil)
			}
		}
		if n := s.folder.Size(name); n < maxFilling || !inner.unlogged.Load() || inner.writer == nil {
			t.Errorf("the file has %d bytes; it is being filled: %v", n, inner.unlogged.Load())
		}
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE note SET text = 'long'`)
			return err
		}))
		refused := errors.New("refused")
		if err := w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`DELETE FROM note`)
			return errors.Join(err, refused)
		}); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if files := s.left(name); !slices.Equal(files, []string{".db"}) {
			t.Errorf("the world has %q", files)
		}
		var secure int64
		s.check(w.Read(ctx, func(tx *store.Tx) error {
			_, err := tx.Get("PRAGMA secure_delete", nil, &secure)
			return err
		}))
		if (secure == 1) != overwrites {
			t.Errorf("what is deleted is overwritten: %d, want %v", secure, overwrites)
		}
		s.copied(name, name+"_base")
		s.check(w.MakeDurable(ctx))
		s.write(w, "more")
		then := s.after()
		for world, want := range map[string]int64{name: 1, name + "_base": 0} {
			found := then.opened(world)
			var long, more int64
			s.check(found.Read(ctx, func(tx *store.Tx) error {
				_, err := tx.Get(`SELECT COUNT(*) FILTER (WHERE text = 'long'), COUNT(*) FILTER (WHERE text = 'more') FROM note`, nil, &long, &more)
				return err
			}))
			if long < maxFilling/1_000_000 || more != want {
				t.Errorf("%s holds %d long notes and %d more, want %d", world, long, more, want)
			}
			s.check(found.Close())
		}
		s.check(w.Close())
	}
}

// A new world that cannot be written to its file stays as it is, and can be written
// later, or discarded.
func TestAWorldThatIsMadeWaitsForItsFile(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	for _, then := range []string{"written", "discarded"} {
		w, err := s.Create(ctx, then, "", notes)
		s.check(err)
		s.write(w, "one")
		s.check(os.Mkdir(s.folder.Path(then)+".new", 0o700)) // no file can have this name
		for what, err := range map[string]error{"copy": s.Copy(ctx, then, then+"_base"), "make durable": w.MakeDurable(ctx)} {
			if !errors.Is(err, store.Unavailable) {
				t.Errorf("%s: %v", what, err)
			}
		}
		s.write(w, "two")
		s.holds(w, "one two")
		s.check(os.Remove(s.folder.Path(then) + ".new"))
		if then == "discarded" {
			s.check(w.Discard())
			if files := s.left(then); len(files) > 0 {
				t.Errorf("a world that was discarded left %q", files)
			}
			continue
		}
		s.check(w.MakeDurable(ctx))
		s.after().holdsClosed(then, "one two")
		s.check(w.Close())
	}
}

// A copy with tables of an earlier version is migrated.
func TestAWorldThatIsMadeOfAnEarlierVersion(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	grown := []store.Schema{notes[0]}
	grown[0].Migrations = fstest.MapFS{"0001_notes.sql": notes[0].Migrations.(fstest.MapFS)["0001_notes.sql"],
		"0002_more.sql": &fstest.MapFile{Data: []byte("INSERT INTO note (text) VALUES ('migrated');")}}
	old := s.made("old", "")
	s.check(old.Close())
	w, err := s.Create(ctx, "new", "old", grown)
	s.check(err)
	s.write(w, "one")
	s.check(w.MakeDurable(ctx))
	s.holds(w, "migrated one")
	s.check(w.Close())
	s.holdsClosed("old", "")
}

// A world that is given up while it is made leaves nothing, and one that is closed
// instead holds what was written.
func TestAWorldThatIsMadeEndsEarly(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w, err := s.Create(context.Background(), "gone", "", notes)
	s.check(err)
	s.write(w, "one")
	s.check(w.Discard())
	if files := s.left("gone"); len(files) > 0 {
		t.Errorf("a world that was discarded left %q", files)
	}
	w, err = s.Create(context.Background(), "closed", "", notes)
	s.check(err)
	s.write(w, "one")
	s.check(w.Close())
	s.holdsClosed("closed", "one")
	w = s.opened("closed")
	s.write(w, "two")
	s.holds(w, "one two")
	if s.folder.LogSize("closed") == 0 {
		t.Error("a world that is opened again has no log")
	}
	s.check(w.Close())
}
