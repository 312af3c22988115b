package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/pages"
)

// The tables of worlds that are compared: by rowid, by key, with long rows.
var compared = []store.Schema{{Name: "notes", Tables: map[string]store.Class{"note": store.WorldClass, "pair": store.WorldClass, "other": store.WorldClass},
	Migrations: fstest.MapFS{"0001_notes.sql": &fstest.MapFile{Data: []byte(`CREATE TABLE note (text TEXT NOT NULL);
		CREATE INDEX note_text ON note (text);
		CREATE TABLE pair (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a)) WITHOUT ROWID;
		CREATE TABLE other (n INTEGER PRIMARY KEY, text TEXT NOT NULL);`)}}}}

var comparedTables = []string{"note", "pair", "other"}

// bySQL is a connection whose pages are read with statements, wherever they are.
type bySQL struct{ *paged }

func (bySQL) Content() (pages.Content, error) { return nil, nil }

// both calls f with the two states that two reads see.
func (s fixture) both(a, b *store.World, f func(a, b *paged)) {
	s.t.Helper()
	read := func(w *store.World) (*paged, func()) {
		l := &deferredRead{w: w.Backend().(*world), ctx: context.Background()}
		p, err := pagedOf(l)
		s.check(err)
		return p, func() { s.check(l.end()) }
	}
	x, end := read(a)
	defer end()
	y, end := read(b)
	defer end()
	f(x, y)
}

// rowsOf returns what a difference knows of each table.
func (s fixture) rowsOf(d store.Difference) (out string) {
	s.t.Helper()
	for _, table := range comparedTables {
		rows, all, err := d.Rows(table)
		s.check(err)
		out += fmt.Sprint(table, " ", rows, all, "; ")
	}
	return out
}

// change makes a random change.
func (s fixture) change(w *store.World, r *rand.Rand) {
	s.t.Helper()
	text := strings.Repeat(string(rune('a'+r.Intn(26))), 1+r.Intn(40))
	if r.Intn(10) == 0 {
		text = strings.Repeat(text, 500) // over several pages
	}
	n := r.Intn(2000)
	s.check(w.Write(context.Background(), func(tx *store.Tx) error {
		statements := []struct {
			sql  string
			args []any
		}{
			{`INSERT INTO note (text) VALUES (?)`, []any{text}},
			{`UPDATE note SET text = ? WHERE rowid = ?`, []any{text, n % 300}},
			{`DELETE FROM note WHERE rowid = ?`, []any{n % 300}},
			{`INSERT INTO pair (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b`, []any{fmt.Sprint(n % 200), text}},
			{`DELETE FROM pair WHERE a = ?`, []any{fmt.Sprint(n % 200)}},
			{`INSERT INTO other (n, text) VALUES (?, ?) ON CONFLICT (n) DO UPDATE SET text = excluded.text`, []any{n, text}},
		}
		one := statements[r.Intn(len(statements))]
		_, err := tx.Exec(one.sql, one.args...)
		return err
	}))
}

// Worlds in memory and small files are compared as bytes; what is found is what
// statements find.
func TestSmallWorldsAreComparedAsBytes(t *testing.T) {
	for name, world := range map[string]func(string) string{"in memory": store.InMemory, "in files": func(name string) string { return name }} {
		t.Run(name, func(t *testing.T) { compareAsBytes(t, world) })
	}
}

func compareAsBytes(t *testing.T, world func(string) string) {
	s := newFixture(t, t.TempDir())
	ctx, r := context.Background(), rand.New(rand.NewSource(7))
	create := func(name, from string) *store.World {
		w, err := s.Create(ctx, name, from, compared)
		s.check(err)
		return w
	}
	w := create(world("w"), "")
	for range 600 {
		s.change(w, r)
	}
	for round := range 30 {
		name := world(fmt.Sprint("copy", round))
		s.copied(w.Name, name)
		before, err := s.OpenCopy(ctx, name, compared)
		s.check(err)
		for range r.Intn(12) {
			s.change(w, r)
		}
		s.both(before, w, func(a, b *paged) {
			for _, side := range []*paged{a, b} {
				if content, err := side.Content(); err != nil || content == nil {
					t.Fatalf("the content is not read: %v", err)
				}
			}
			inBytes, err := pages.Compare(ctx, a, b)
			s.check(err)
			inSQL, err := pages.Compare(ctx, bySQL{a}, bySQL{b})
			s.check(err)
			mixed, err := pages.Compare(ctx, bySQL{a}, b)
			s.check(err)
			if x, y, z := s.rowsOf(inBytes), s.rowsOf(inSQL), s.rowsOf(mixed); x != y || x != z {
				t.Fatalf("round %d: by bytes\n%s\nby statements\n%s\nby both\n%s", round, x, y, z)
			}
		})
		s.check(before.Close())
		s.check(s.Drop(ctx, name))
	}
}

// A comparison finds changes that are not committed, which the bytes lack.
func TestAChangeThatIsNotCommittedIsCompared(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	s.write(w, "one")
	s.copied(w.Name, store.InMemory("copy"))
	before := s.opened(store.InMemory("copy"))
	s.check(before.Read(context.Background(), func(a *store.Tx) error {
		return w.Write(context.Background(), func(b *store.Tx) error {
			if _, err := b.Exec(`INSERT INTO note (text) VALUES ('two')`); err != nil {
				return err
			}
			d, err := store.Compare(context.Background(), a, b)
			s.check(err)
			if rows, all, err := d.Rows("note"); err != nil || !all && !slices.Contains(rows, 2) {
				t.Errorf("rows %v, all %v: %v", rows, all, err)
			}
			return nil
		})
	}))
}

// Copies of a world that is written to at the same time are each the world as of
// a commit, do not change afterwards, and share their bytes as long as they are equal.
func TestCopiesInMemoryStayAsTheyWere(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	const writes, copies = 300, 60
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range writes {
			s.write(w, fmt.Sprintf("%08d", i))
		}
	})
	var taken [copies][]byte
	for i := range copies {
		name := store.InMemory(fmt.Sprint("copy", i))
		s.copied(w.Name, name)
		taken[i] = contentOf(s.images.get(name))
	}
	wg.Wait()
	s.copied(w.Name, store.InMemory("one"))
	s.copied(w.Name, store.InMemory("two"))
	if one, two := s.images.get(store.InMemory("one")), s.images.get(store.InMemory("two")); one != two {
		t.Error("two copies of a world that has not changed have bytes of their own")
	}
	for i := range copies {
		name := store.InMemory(fmt.Sprint("copy", i))
		if !bytes.Equal(taken[i], contentOf(s.images.get(name))) {
			t.Fatalf("%s has changed", name)
		}
		c := s.opened(name)
		s.check(c.Read(context.Background(), func(tx *store.Tx) error {
			var n, last int64
			var intact string
			if _, err := tx.Get(`SELECT COUNT(*), COALESCE(MAX(text), '-1') + 1 FROM note`, nil, &n, &last); err != nil {
				return err
			}
			_, err := tx.Get(`PRAGMA integrity_check`, nil, &intact)
			if n != last || intact != "ok" {
				t.Errorf("%s has %d notes up to %d: %s", name, n, last, intact)
			}
			return err
		}))
		s.write(c, "its own")
		s.check(c.Discard())
	}
	s.holdsClosedCount(store.InMemory("one"), writes)
	s.holdsClosedCount(store.InMemory("two"), writes)
}

func (s fixture) holdsClosedCount(world string, want int64) {
	s.t.Helper()
	w := s.opened(world)
	defer func() { s.check(w.Close()) }()
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		var n int64
		_, err := tx.Get(`SELECT COUNT(*) FROM note`, nil, &n)
		if n != want {
			s.t.Errorf("%s has %d notes, want %d", world, n, want)
		}
		return err
	}))
}

// A write waits while its world is compared, and no copy made before sees it.
func TestAWriteWaitsForAComparisonInMemory(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	for i := range 500 {
		s.write(w, fmt.Sprint("note ", i))
	}
	s.copied(w.Name, store.InMemory("copy"))
	before := s.opened(store.InMemory("copy"))
	s.write(w, "after")
	var wg sync.WaitGroup
	s.both(before, w, func(a, b *paged) {
		content, err := b.Content()
		s.check(err)
		size := w.Backend().(*world).db.Size()
		was := bytes.Clone(content.Part(0, size))
		for i := range 4 {
			wg.Go(func() { s.write(w, fmt.Sprint("meanwhile ", i)) })
		}
		for range 50 {
			d, err := pages.Compare(context.Background(), a, b)
			s.check(err)
			if rows, _, err := d.Rows("note"); err != nil || !slices.Contains(rows, 501) || slices.Contains(rows, 502) {
				t.Fatalf("rows %v: %v", rows, err)
			}
		}
		if !bytes.Equal(was, content.Part(0, size)) {
			t.Error("the bytes changed while they were compared")
		}
	})
	wg.Wait()
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		var n int64
		_, err := tx.Get(`SELECT COUNT(*) FROM note`, nil, &n)
		if n != 505 {
			t.Errorf("%d notes", n)
		}
		return err
	}))
}

// bent is a connection whose content was damaged.
type bent struct {
	*paged
	content []byte
}

func (b bent) Content() (pages.Content, error) { return pages.Bytes(b.content), nil }

// A damaged image is compared without a panic and in bounded time.
func FuzzDamagedImages(f *testing.F) {
	s, err := Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	ctx := context.Background()
	w, err := s.Create(ctx, store.InMemory("w"), "", compared)
	if err != nil {
		f.Fatal(err)
	}
	err = w.Write(ctx, func(tx *store.Tx) (err error) {
		for i := range 400 {
			for _, sql := range []string{`INSERT INTO note (text) VALUES (?)`, `INSERT INTO pair (a, b) VALUES (?, 'x')`, `INSERT INTO other (text) VALUES (?)`} {
				if err == nil {
					_, err = tx.Exec(sql, strings.Repeat(fmt.Sprint(i), 1+i%7*(i%40)*20))
				}
			}
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Copy(ctx, w.Name, store.InMemory("copy")); err != nil {
		f.Fatal(err)
	}
	image := contentOf(s.images.get(store.InMemory("copy")))
	for i := range uint32(40) {
		f.Add(i*4096+i%12, []byte{byte(i), 0xff, 5, 2, 13}, uint32(0))
	}
	f.Add(uint32(16), []byte{0, 1}, uint32(0))
	f.Add(uint32(16), []byte{0, 112}, uint32(0))
	f.Add(uint32(20), []byte{255}, uint32(0))
	f.Add(uint32(0), []byte{}, uint32(50))
	f.Fuzz(func(t *testing.T, at uint32, damage []byte, length uint32) {
		damaged := bytes.Clone(image)
		copy(damaged[int(at)%len(damaged):], damage)
		if length > 0 {
			damaged = damaged[:int(length)%len(damaged)]
		}
		if db := memdb.NewDatabase(memdb.NewImage(bytes.Clone(damaged))); memdb.TablesOf(db) != nil && !memdb.TablesOf(db).In(db) {
			t.Error("a database lacks its own tables")
		}
		err := w.Read(ctx, func(tx *store.Tx) error {
			l := &deferredRead{w: w.Backend().(*world), ctx: ctx}
			p, err := pagedOf(l)
			if err != nil {
				return err
			}
			defer func() { _ = l.end() }()
			for _, sides := range [][2]pages.Conn{{bent{p, damaged}, bent{p, image}}, {bent{p, image}, bent{p, damaged}}, {bent{p, damaged}, bent{p, damaged}}} {
				d, err := pages.Compare(ctx, sides[0], sides[1])
				if err != nil {
					return err
				}
				for _, table := range comparedTables {
					if _, _, err := d.Rows(table); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A copy in memory of a file that an earlier version wrote has the tables of this one.
func TestACopyInMemoryOfAnOlderFileIsMigrated(t *testing.T) {
	s := newFixture(t, t.TempDir())
	old := s.made("old", "")
	s.write(old, "one")
	s.check(old.Close())
	newer := []store.Schema{{Name: "notes", Tables: map[string]store.Class{"note": store.WorldClass}, Migrations: fstest.MapFS{
		"0001_notes.sql": &fstest.MapFile{Data: []byte("CREATE TABLE note (text TEXT NOT NULL);")},
		"0002_more.sql":  &fstest.MapFile{Data: []byte("ALTER TABLE note ADD COLUMN more TEXT NOT NULL DEFAULT 'm';")}}}}
	w, err := s.Create(context.Background(), store.InMemory("new"), "old", newer)
	s.check(err)
	var more string
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT more FROM note`, nil, &more)
		return err
	}))
	if more != "m" {
		t.Error(more)
	}
	s.check(w.Close())
	w, err = s.OpenCopy(context.Background(), store.InMemory("new"), newer)
	s.check(err)
	s.holdsCount(w, 1)
}

func contentOf(image *memdb.Image) []byte {
	var b bytes.Buffer
	_ = image.WriteTo(&b, nil)
	return b.Bytes()
}
