package sqlite

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/system"
)

var notes = []store.Schema{{Name: "notes", Tables: map[string]store.Class{"note": store.WorldClass}, Migrations: fstest.MapFS{
	"0001_notes.sql": &fstest.MapFile{Data: []byte("CREATE TABLE note (text TEXT NOT NULL);")}}}}

// fixture is a store with worlds that hold notes.
type fixture struct {
	t   *testing.T
	dir string
	*Store
}

func newFixture(t *testing.T, dir string) fixture {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, dir, s}
}

func (s fixture) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s fixture) opened(world string) *store.World {
	s.t.Helper()
	w, err := s.Open(context.Background(), world, notes)
	s.check(err)
	return w
}

func (s fixture) made(world, from string) *store.World {
	s.t.Helper()
	w, err := s.Create(context.Background(), world, from, notes)
	s.check(err)
	s.check(w.MakeDurable(context.Background()))
	return w
}

// connected is made with a connection to the file.
func (s fixture) connected(world string) *store.World {
	s.t.Helper()
	w := s.made(world, "")
	s.check(withWriter(w, func(*conn) error { return nil }))
	return w
}

func (s fixture) copied(from, to string) {
	s.t.Helper()
	s.check(s.Copy(context.Background(), from, to))
}

func (s fixture) write(w *store.World, text string) {
	s.t.Helper()
	s.check(w.Write(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO note (text) VALUES (?)`, text)
		return err
	}))
}

func (s fixture) holds(w *store.World, want string) {
	s.t.Helper()
	var got []string
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		return tx.Each(`SELECT substr(text, 1, 8) FROM note ORDER BY rowid`, nil, func(r store.Row) error {
			var text string
			err := r.Scan(&text)
			got = append(got, text)
			return err
		})
	}))
	if strings.Join(got, " ") != want {
		s.t.Errorf("%s holds %q, want %q", w.Name, strings.Join(got, " "), want)
	}
}

func (s fixture) holdsClosed(world, want string) {
	s.t.Helper()
	w := s.opened(world)
	s.holds(w, want)
	s.check(w.Close())
}

// names reports how many names a world's file has.
func (s fixture) names(world string) uint64 {
	s.t.Helper()
	_, n, err := system.Inode(s.folder.Path(world))
	s.check(err)
	return n
}

func TestACopySharesItsFileUntilTheWorldChanges(t *testing.T) {
	for end, f := range map[string]func(*store.World) error{
		"close": (*store.World).Close, "discard": (*store.World).Discard, "relax": func(w *store.World) error { w.Suspend(); return nil },
	} {
		t.Run(end, func(t *testing.T) {
			s := newFixture(t, t.TempDir())
			a := s.made("a", "")
			s.write(a, "one")
			s.copied("a", "b")
			s.copied("b", "c")
			if n := s.names("a"); n != 3 {
				t.Errorf("the file has %d names, want 3", n)
			}
			s.write(a, "two")
			s.copied("a", "d") // with a log
			s.write(a, "three")
			s.check(f(a))
			s.holdsClosed("b", "one")
			s.holdsClosed("c", "one")
			s.holdsClosed("d", "one two")
			switch end {
			case "close":
				a = s.opened("a")
			case "discard":
				s.copied("b", "a")
				a = s.opened("a")
				s.holds(a, "one")
				s.write(a, "two")
				s.write(a, "three")
			}
			s.holds(a, "one two three")
			s.check(a.Close())
			s.holdsClosed("b", "one")
			s.holdsClosed("c", "one")
		})
	}
}

func TestTwoNamesOfAFileAreOpenedApart(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	s.copied("a", "b")
	b := s.opened("b")
	s.write(a, "of a")
	s.write(b, "of b")
	fork := s.made("fork", "a")
	s.write(fork, "of fork")
	s.holds(a, "one of a")
	s.holds(b, "one of b")
	s.holds(fork, "one of a of fork")
	for _, w := range []*store.World{fork, b, a} {
		s.check(w.Close())
	}
	s.holdsClosed("a", "one of a")
	s.holdsClosed("b", "one of b")
	s.holdsClosed("fork", "one of a of fork")
	closed := s.made("late", "b") // of a closed one
	s.write(closed, "late")
	s.holds(closed, "one of b late")
	s.check(closed.Close())
	s.holdsClosed("b", "one of b")
}

func TestALongLogIsWrittenBackBesideACopy(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	s.copied("a", "b")
	want := "one"
	for i := range 40 {
		text := fmt.Sprintf("long-%03d", i)
		s.write(a, text+strings.Repeat("x", 1<<20))
		want += " " + text
	}
	if n := s.names("a"); n != 1 {
		t.Errorf("the file has %d names when its log has grown to 40 MB, want 1", n)
	}
	s.holdsClosed("b", "one")
	s.holds(a, want)
	s.check(a.Close())
	s.holdsClosed("a", want)
}

// Suspending or closing a world flushes nothing: a short log stays where it is,
// and the file beside it keeps its other names. A long log is written back.
func TestAShortLogStaysWhenAWorldRests(t *testing.T) {
	for end, f := range map[string]func(*store.World) error{
		"close": (*store.World).Close, "relax": func(w *store.World) error { w.Suspend(); return nil },
	} {
		t.Run(end, func(t *testing.T) {
			s := newFixture(t, t.TempDir())
			a := s.made("a", "")
			s.write(a, "one")
			s.copied("a", "b")
			s.write(a, "two")
			rest := func(log string, names uint64) {
				t.Helper()
				s.check(f(a))
				info, err := os.Stat(s.folder.Path("a") + "-wal")
				if kept := err == nil && info.Size() > 0; kept != (log == "kept") {
					t.Errorf("the log is there: %v, want it %s", kept, log)
				}
				if _, err := os.Stat(s.folder.Path("a") + "-shm"); err == nil {
					t.Error("the index of the log is there still")
				}
				if n := s.names("a"); n != names {
					t.Errorf("the file has %d names, want %d", n, names)
				}
			}
			wake := func() {
				if end == "close" {
					a = s.opened("a")
				}
			}
			rest("kept", 2)
			s.copied("a", "c")
			s.holdsClosed("c", "one two")
			wake()
			s.write(a, strings.Repeat("x", maxKeptLog))
			rest("gone", 1)
			wake()
			s.holds(a, "one two xxxxxxxx")
			s.check(a.Close())
			s.holdsClosed("b", "one")
			s.holdsClosed("c", "one two")
		})
	}
}

// While somebody reads, the log cannot be written back: it stays when the world
// is closed.
func TestALogThatSomebodyReadsIsKept(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a, err := s.Create(context.Background(), "a", "", notes)
	s.check(err)
	world := a.Backend().(*world)
	s.check(withWriter(a, func(c *conn) error { return c.runAnew("PRAGMA busy_timeout = 10") }))
	world.crowded.Store(true) // so that the reader has a connection of its own
	s.write(a, "one")
	s.check(a.Read(context.Background(), func(tx *store.Tx) error {
		var n int64
		if _, err := tx.Get("SELECT count(*) FROM note", nil, &n); err != nil {
			return err
		}
		s.write(a, "two")
		return a.MakeDurable(context.Background())
	}))
	s.check(a.Close())
	s.holdsClosed("a", "one two")
}

// Names that an earlier run has stored are found again, and files that a crash
// left are removed.
func TestNamesOfAnEarlierRunAreKnown(t *testing.T) {
	dir := t.TempDir()
	s := newFixture(t, dir)
	a := s.made("a", "")
	s.write(a, "one")
	s.copied("a", "b")
	s.check(a.Close())
	for _, left := range []string{"a.db.new", "gone.db-wal", "gone.db-shm"} {
		s.check(os.WriteFile(dir+"/"+left, []byte("x"), 0o600))
	}
	s = newFixture(t, dir)
	a = s.opened("a")
	s.write(a, "two")
	s.check(a.Close())
	s.holdsClosed("b", "one")
	s.holdsClosed("a", "one two")
	files, err := os.ReadDir(dir)
	s.check(err)
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".new") || strings.HasPrefix(f.Name(), "gone") {
			t.Errorf("%s is left", f.Name())
		}
	}
	worlds, err := s.Worlds(context.Background())
	if s.check(err); len(worlds) != 2 {
		t.Errorf("the worlds are %v", worlds)
	}
}

func TestAWorldInMemoryIsCopiedAndPutBack(t *testing.T) {
	dir := t.TempDir()
	s := newFixture(t, dir)
	a, b := store.InMemory("a"), store.InMemory("b")
	w := s.made(a, "")
	s.write(w, "one")
	s.copied(a, b)
	s.write(w, "two")
	fork := s.made(store.InMemory("fork"), a)
	s.holds(fork, "one two")
	s.check(w.Discard())
	s.copied(b, a)
	w = s.opened(a)
	s.holds(w, "one")
	// Reading within reading: of a copy that nobody writes to, and of the same copy.
	before := s.opened(b)
	s.check(before.Read(context.Background(), func(*store.Tx) error {
		s.holds(before, "one")
		s.holds(w, "one")
		return nil
	}))
	s.write(w, "three")
	s.holds(w, "one three")
	s.holds(before, "one")
	s.check(before.Close())
	s.holdsClosed(b, "one")
	s.check(w.Close())
	w = s.opened(a)
	s.holds(w, "one three")
	s.write(w, "four")
	s.check(w.Close())
	s.holdsClosed(a, "one three four")
	if err := s.Copy(context.Background(), store.InMemory("nothing"), b); err != store.ErrNoWorld {
		t.Errorf("copying what is not there: %v", err)
	}
	worlds, err := s.Worlds(context.Background())
	if s.check(err); len(worlds) != 0 {
		t.Errorf("the folder has %v", worlds)
	}
}

func TestALazyWorldIsMadeWhenItIsUsed(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := store.Lazily(s, "lazy", notes)
	if err := s.Copy(context.Background(), "lazy", "copy"); err != store.ErrNoWorld || !w.Absent(context.Background()) {
		t.Errorf("copying what was not used: %v", err)
	}
	s.holds(w, "")
	if !w.Absent(context.Background()) {
		t.Error("reading it has made it")
	}
	s.write(w, "one")
	s.copied("lazy", "copy")
	s.holds(w, "one")
	if w.Absent(context.Background()) {
		t.Error("it is absent when it holds something")
	}
	s.check(w.Close())
	s.holdsClosed("copy", "one")
	if err := w.Read(context.Background(), func(*store.Tx) error { return nil }); err == nil {
		t.Error("it is read after it was closed")
	}
}
