package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/platform/store"
)

// Caches grow while there is memory for them, and what a closed connection had
// taken is there for others.
func TestCachesOfAllWorldsShareABound(t *testing.T) {
	s := newFixture(t, t.TempDir())
	s.share.maxPages = fewPages * growth
	use := func(w *store.World) {
		for range 4 * usesToGrow {
			s.check(w.Read(context.Background(), func(tx *store.Tx) error {
				var n int64
				_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
				return err
			}))
		}
	}
	a, b := s.made("a", ""), s.made("b", "")
	use(a)
	grown := s.share.pages.Load()
	if grown == 0 || grown > s.share.maxPages {
		t.Fatalf("caches have grown by %d pages of %d", grown, s.share.maxPages)
	}
	if use(b); s.share.pages.Load() > s.share.maxPages {
		t.Errorf("caches have grown by %d pages of %d", s.share.pages.Load(), s.share.maxPages)
	}
	a.Suspend()
	b.Suspend()
	if pages, conns := s.share.pages.Load(), s.share.conns.Load(); pages != 0 || conns != 0 {
		t.Errorf("%d pages and %d connections are counted and nothing is open", pages, conns)
	}
}

// A connection that has run few statements, but long ones, has room for more than
// the way to one row.
func TestTheCacheGrowsWithWhatIsRead(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made("a", "")
	read := func(bytes int) {
		s.check(w.Read(context.Background(), func(tx *store.Tx) error {
			var text string
			_, err := tx.Get("SELECT hex(zeroblob(?))", []any{bytes / 2}, &text)
			return err
		}))
	}
	read(readToGrow / 2)
	if read(10); s.share.pages.Load() != 0 {
		t.Errorf("the cache has grown by %d pages after little was read", s.share.pages.Load())
	}
	read(readToGrow)
	for range 3 { // it grows once
		if read(readToGrow); s.share.pages.Load() != fewPages*(growth-1) {
			t.Errorf("the cache has grown by %d pages, want %d", s.share.pages.Load(), fewPages*(growth-1))
		}
	}
}

// While a copy is made its connection keeps every statement, and grows its cache
// early; from MakeDurable on it is as small as that of any other world.
func TestACopyThatIsMadeKeepsItsStatements(t *testing.T) {
	s := newFixture(t, t.TempDir())
	s.check(s.made("parent", "").Close())
	made, err := s.Create(context.Background(), "made", "parent", notes)
	s.check(err)
	defer func() { s.check(made.Close()) }()
	run := func() {
		s.check(made.Write(context.Background(), func(tx *store.Tx) error {
			for i := range 3 * fewStatements {
				var n int64
				if _, err := tx.Get("SELECT count(*) FROM note"+strings.Repeat(" ", i), nil, &n); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for range 10 {
		run()
	}
	writer := s.worlds["made"].writer
	if kept, pages := len(writer.stmts), s.share.pages.Load(); kept < 3*fewStatements || pages == 0 {
		t.Errorf("while the world is made %d statements are kept, and caches have grown by %d pages", kept, pages)
	}
	s.check(made.MakeDurable(context.Background()))
	run()
	if kept, pages := len(writer.stmts), s.share.pages.Load(); kept > fewStatements || pages != 0 {
		t.Errorf("of a world that is durable %d statements are kept, and caches have grown by %d pages", kept, pages)
	}
}

// A connection that reads much maps its file, few of all worlds do, and a file
// that shrinks under the mapping is read as before.
func TestMappedFilesShrink(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	var worlds []*store.World
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		worlds = append(worlds, s.made(name, ""))
	}
	for i, w := range worlds {
		w.Backend().(*world).crowded.Store(true) // the reader is another connection than the writer
		read := func(rows int64) {
			t.Helper()
			var n, bytes int64
			s.check(w.Read(ctx, func(tx *store.Tx) error {
				_, err := tx.Get("SELECT count(*), sum(length(text)) FROM note", nil, &n, &bytes)
				return err
			}))
			if n != rows || bytes != 1000*rows {
				t.Fatalf("%d rows of %d bytes in all, want %d of 1000", n, bytes, rows)
			}
		}
		text := strings.Repeat("x", 1000)
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			rows := make([][]any, 2000)
			for i := range rows {
				rows[i] = []any{text}
			}
			return tx.ExecBatch("INSERT INTO note (text) VALUES (?)", rows)
		}))
		for range usesToGrow {
			read(2000)
		}
		before, err := s.Size(ctx, w.Name)
		s.check(err)
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("DELETE FROM note WHERE rowid > 10")
			return err
		}))
		read(10)
		s.check(w.Compact(ctx, true))
		if after, err := s.Size(ctx, w.Name); err != nil || after > before/4 {
			t.Errorf("%d bytes, %d before: %v", after, before, err)
		}
		read(10)
		if n := s.share.mappings.count(); n != min(i+1, maxMaps) {
			t.Errorf("%d files are mapped", n)
		}
	}
	for _, w := range worlds {
		w.Suspend()
	}
	if n := s.share.mappings.count(); n != 0 {
		t.Errorf("%d files are mapped and no connection is open", n)
	}
}

// A connection that has read many bytes maps its file, also one that writes: what it or
// another one writes is read, and a file that shrinks is read as before.
func TestMappedFilesOfWriters(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w := s.made("a", "")
	text := func(n int) string { return strings.Repeat(string(rune('a'+n%26)), 100_000) }
	write := func(sql string, args ...any) {
		t.Helper()
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(sql, args...)
			return err
		}))
	}
	read := func(want ...int) {
		t.Helper()
		var got []int
		s.check(w.Read(ctx, func(tx *store.Tx) error {
			return tx.Each("SELECT text FROM note ORDER BY text", nil, func(r store.Row) error {
				var one string
				err := r.Scan(&one)
				if n := int(one[0] - 'a'); one == text(n) {
					got = append(got, n)
				}
				return err
			})
		}))
		if !slices.Equal(got, want) {
			t.Fatalf("notes %v, want %v", got, want)
		}
	}
	for n := range 20 {
		write("INSERT INTO note (text) VALUES (?)", text(n))
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	for range readToMap/(20*100_000) + 2 {
		read(all...)
	}
	b := w.Backend().(*world)
	if b.crowded.Load() || b.writer.mapping == nil || s.share.mappings.count() != 1 {
		t.Fatalf("the connection that writes has the mapping %v, %d files are mapped", b.writer.mapping, s.share.mappings.count())
	}
	write("UPDATE note SET text = ? WHERE text LIKE 'a%'", text(20))
	read(append(all[1:], 20)...)
	before, err := s.Size(ctx, w.Name)
	s.check(err)
	write("DELETE FROM note WHERE text > 'd'")
	s.check(w.Compact(ctx, true))
	if after, err := s.Size(ctx, w.Name); err != nil || after > before/4 {
		t.Errorf("%d bytes, %d before: %v", after, before, err)
	}
	read(1, 2)
	for n := range 10 {
		write("INSERT INTO note (text) VALUES (?)", text(3+n))
	}
	b.crowded.Store(true) // now another connection reads
	read(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	write("DELETE FROM note WHERE text > 'c'")
	read(1)
	b.crowded.Store(false)
	read(1)
	w.Suspend()
	if n := s.share.mappings.count(); n != 0 {
		t.Errorf("%d files are mapped and no connection is open", n)
	}
	read(1)
}

// What is read in memory takes none of the places of connections that map their file.
func TestWorldsInMemoryMapNoFile(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	s.write(w, strings.Repeat("x", readToMap/4))
	for range 6 {
		var text string
		s.check(w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get(`SELECT text FROM note`, nil, &text)
			return err
		}))
	}
	if c := s.idle.conns[0]; c.db.Read() < readToMap || c.mapping != nil || s.share.mappings.count() != 0 {
		t.Errorf("a connection that has read %d bytes in memory has the mapping %v, and %d files are mapped", c.db.Read(), c.mapping, s.share.mappings.count())
	}
}

// The size of a suspended world is remembered: it is that of its files, also
// after it was written to, and after its files became those of another world.
func TestTheSizeOfASuspendedWorldIsThatOfItsFiles(t *testing.T) {
	s := newFixture(t, t.TempDir())
	check := func(what, name string) int64 {
		t.Helper()
		n, err := s.Size(t.Context(), name)
		s.check(err)
		if want := s.folder.Size(name); n != want {
			t.Fatalf("%s: %d bytes, the files have %d", what, n, want)
		}
		return n
	}
	parent := s.made("parent", "")
	check("new, without a connection", "parent")
	if parent.Backend().(*world).resting.Load() == 0 {
		t.Fatal("the size of a world that begins empty is not remembered")
	}
	s.check(parent.Close())
	w := s.made("a", "parent")
	check("new", "a")
	remembered := func() bool { return w.Backend().(*world).resting.Load() > 0 }
	if !remembered() {
		t.Fatal("the size of a world that was made is not remembered")
	}
	s.holds(w, "")
	if check("read", "a"); !remembered() {
		t.Fatal("a read has changed the size")
	}
	s.write(w, strings.Repeat("y", 100_000))
	check("written to", "a")
	var last int64
	for range 3 {
		w.Suspend()
		if !remembered() {
			t.Fatal("the size of a suspended world is not remembered")
		}
		if n := check("suspended", "a"); n == last {
			t.Fatalf("%d bytes, before and after a write", n)
		} else {
			last = n
		}
		s.check(w.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", strings.Repeat("x", 100_000))
			return err
		}))
		check("written to", "a")
	}
	w.Suspend()
	s.check(w.Close())
	check("closed", "a")
	s.check(s.Drop(t.Context(), "a"))
	if n := check("removed", "a"); n != 0 {
		t.Fatalf("%d bytes of nothing", n)
	}
}

// Copies of a suspended world need no connection to it: it remains suspended.
func TestASuspendedWorldIsCopiedAsItIs(t *testing.T) {
	s := newFixture(t, t.TempDir())
	for name, log := range map[string]bool{"plain": false, "logged": true} {
		w := s.made(name, "")
		if log {
			s.write(w, "one")
		}
		w.Suspend()
		s.check(s.idle.close())
		used := false
		if !w.Still(func() { used = true }) {
			t.Fatal("a suspended world is not still")
		}
		s.copied(name, name+"_snapshot")
		fork, err := s.Create(t.Context(), name+"_fork", name, notes)
		s.check(err)
		s.check(fork.Close())
		if inner := w.Backend().(*world); !log && (used || inner.writer != nil || !w.Still(func() {})) {
			t.Errorf("%s: it was used: %v, has a connection: %v", name, used, inner.writer != nil)
		}
		want := ""
		if log {
			want = "one"
		}
		s.holdsClosed(name+"_snapshot", want)
		s.holdsClosed(name+"_fork", want)
		s.check(w.Close())
	}
}

// Where there are few files for further connections, a read uses the one of the
// writer whenever that is free, and a read inside another still ends.
func TestReadsDoWithOneConnection(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.connected("a")
	s.check(s.idle.close()) // what filled it in memory
	w.Backend().(*world).crowded.Store(true)
	s.share.maxConns = 1
	read := func(then func()) {
		s.check(w.Read(context.Background(), func(tx *store.Tx) error {
			var n int64
			_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
			then()
			return err
		}))
	}
	for range 50 {
		read(func() {})
	}
	if n := s.share.conns.Load(); n != 1 {
		t.Errorf("%d connections are open", n)
	}
	read(func() { read(func() {}) })
}

// A lack of file descriptors or of space is Unavailable and not an internal
// error.
func TestWithoutFilesTheStoreIsUnavailable(t *testing.T) {
	s := newFixture(t, t.TempDir())
	s.made("a", "")
	var limit syscall.Rlimit
	s.check(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	s.check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	b, created := s.Create(context.Background(), "b", "", notes)
	if created == nil { // it is in memory
		created = b.MakeDurable(context.Background())
	}
	_, opened := s.Open(context.Background(), "c", notes)
	copied := errors.Join(s.Copy(context.Background(), "a", "d"), s.Sync(context.Background())) // a link needs no file
	s.check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	for what, err := range map[string]error{"create": created, "open": opened, "copy": copied} {
		if !errors.Is(err, store.Unavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.write(b, "one")
	s.check(b.MakeDurable(context.Background()))
	s.holds(b, "one")
}
