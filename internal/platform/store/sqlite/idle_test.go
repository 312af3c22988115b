package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/pages"
)

// The tables of worlds that are served by the same connections: with an index of
// texts, a counter and rows without numbers.
var served = []store.Schema{{Name: "served", Tables: map[string]store.Class{"note": store.WorldClass, "pair": store.WorldClass, "found": store.WorldClass, "log": store.WorldClass},
	Migrations: fstest.MapFS{"0001_served.sql": &fstest.MapFile{Data: []byte(`CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
		CREATE INDEX note_text ON note (text);
		CREATE TABLE pair (a TEXT NOT NULL PRIMARY KEY, b BIGINT NOT NULL) WITHOUT ROWID;
		CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, note BIGINT NOT NULL);
		CREATE VIRTUAL TABLE found USING fts5(text);`)}}}}

// modelled is a world beside what it must hold.
type modelled struct {
	mu    sync.Mutex // one writes at a time
	world *store.World
	notes map[int64]string
	pairs map[string]int64
	log   int64 // entries ever made
}

func (m *modelled) copy(w *store.World) *modelled {
	return &modelled{world: w, notes: maps.Clone(m.notes), pairs: maps.Clone(m.pairs), log: m.log}
}

var errUndone = errors.New("undone")

// change writes at random, and undoes some of it.
func (m *modelled) change(r *rand.Rand) error {
	words := strings.Fields("anna bert carl dora emil frida gustav hanna")
	id, text := int64(r.IntN(400)), words[r.IntN(len(words))]+" "+words[r.IntN(len(words))]+" "+strings.Repeat("x", r.IntN(60)*r.IntN(60))
	key, undo := fmt.Sprint(id%50), r.IntN(8) == 0
	notes, pairs, log := maps.Clone(m.notes), maps.Clone(m.pairs), m.log
	err := m.world.Write(context.Background(), func(tx *store.Tx) error {
		var one []string
		switch r.IntN(4) {
		case 0:
			one = []string{`DELETE FROM note WHERE id = ?1`, `DELETE FROM found WHERE rowid = ?1`}
			delete(notes, id)
		case 1:
			pairs[key]++
			if _, err := tx.Exec(`INSERT INTO pair (a, b) VALUES (?, 1) ON CONFLICT (a) DO UPDATE SET b = b + 1`, key); err != nil {
				return err
			}
		default:
			if _, err := tx.Exec(`INSERT OR REPLACE INTO note (id, text) VALUES (?, ?)`, id, text); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT OR REPLACE INTO found (rowid, text) VALUES (?, ?)`, id, text); err != nil {
				return err
			}
			one = []string{`INSERT INTO log (note) VALUES (?1)`}
			notes[id] = text
			log++
		}
		for _, sql := range one {
			if _, err := tx.Exec(sql, id); err != nil {
				return err
			}
		}
		if undo {
			return errUndone
		}
		return nil
	})
	if undo && errors.Is(err, errUndone) {
		return nil
	}
	m.notes, m.pairs, m.log = notes, pairs, log
	return err
}

// check compares the world with what it must hold.
func (m *modelled) check(word string) error {
	return m.world.Read(context.Background(), func(tx *store.Tx) error {
		notes, pairs := map[int64]string{}, map[string]int64{}
		err := tx.Each(`SELECT id, text FROM note`, nil, func(row store.Row) error {
			var id int64
			var text string
			err := row.Scan(&id, &text)
			notes[id] = text
			return err
		})
		if err != nil {
			return err
		}
		err = tx.Each(`SELECT a, b FROM pair`, nil, func(row store.Row) error {
			var a string
			var b int64
			err := row.Scan(&a, &b)
			pairs[a] = b
			return err
		})
		if err != nil {
			return err
		}
		var found []int64
		err = tx.Each(`SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid`, []any{word}, func(row store.Row) error {
			var id int64
			err := row.Scan(&id)
			found = append(found, id)
			return err
		})
		if err != nil {
			return err
		}
		var last int64
		var intact string
		if _, err = tx.Get(`SELECT COALESCE(MAX(seq), 0) FROM log`, nil, &last); err != nil {
			return err
		}
		if _, err = tx.Get(`PRAGMA integrity_check`, nil, &intact); err != nil {
			return err
		}
		var want []int64
		for id, text := range m.notes {
			if slices.Contains(strings.Fields(text), word) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		if !maps.Equal(notes, m.notes) || !maps.Equal(pairs, m.pairs) || !slices.Equal(found, want) || last != m.log || intact != "ok" {
			return fmt.Errorf("%s holds %d notes, %d pairs, found %v, logged %d (%s); want %d, %d, %v, %d", m.world.Name,
				len(notes), len(pairs), found, last, intact, len(m.notes), len(m.pairs), want, m.log)
		}
		return nil
	})
}

// Many worlds in memory, of two kinds, that a few connections serve in turn hold
// what each of them was given, while they are copied, closed and opened again.
func TestConnectionsServeOneWorldAfterTheOther(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	create := func(name, from string) *store.World {
		w, err := s.Create(ctx, store.InMemory(name), from, served)
		s.check(err)
		return w
	}
	var mu sync.Mutex
	all := []*modelled{}
	for i := range 6 {
		all = append(all, &modelled{world: create(fmt.Sprint("first", i), ""), notes: map[int64]string{}, pairs: map[string]int64{}})
	}
	other := s.made(store.InMemory("other"), "")
	var wg sync.WaitGroup
	for worker := range uint64(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(worker, 3))
			for step := range 800 {
				mu.Lock()
				m := all[r.IntN(len(all))]
				mu.Unlock()
				m.mu.Lock()
				var err error
				switch n := r.IntN(40); {
				case n == 0:
					name := store.InMemory(fmt.Sprintf("copy%d_%d", worker, step))
					w, e := s.Create(ctx, name, m.world.Name, served)
					if err = e; err == nil {
						mu.Lock()
						all = append(all, m.copy(w))
						mu.Unlock()
					}
				case n == 1:
					if err = m.world.Close(); err == nil {
						m.world, err = s.Open(ctx, m.world.Name, served)
					}
				case n == 2:
					m.world.Suspend()
				case n == 3:
					err = other.Write(ctx, func(tx *store.Tx) error {
						_, err := tx.Exec(`INSERT INTO note (text) VALUES (?)`, fmt.Sprint(worker, " ", step))
						return err
					})
				case n < 8:
					err = m.check([]string{"anna", "dora", "hanna"}[n%3])
				default:
					err = m.change(r)
				}
				m.mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, m := range all {
		if err := m.check("bert"); err != nil {
			t.Error(err)
		}
		s.check(m.world.Close())
	}
	if open := s.share.conns.Load(); open > maxIdle {
		t.Errorf("%d connections are open for %d worlds", open, len(all))
	}
	s.check(other.Close())
	s.check(s.Close())
	if open := s.share.conns.Load(); open != 0 {
		t.Errorf("%d connections are open after the end", open)
	}
}

// A world is served by a connection that knows its very tables. Two copies whose
// tables were changed differ on one of the pages that define them, and in nothing
// that SQLite itself would compare.
func TestOtherTablesNeedAnotherConnection(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	base := s.made(store.InMemory("base"), "")
	s.write(base, "in all")
	s.check(base.Write(ctx, func(tx *store.Tx) error {
		for i := range 60 {
			if _, err := tx.Exec(fmt.Sprintf(`CREATE TABLE t%d (%s TEXT)`, i, strings.Repeat("long", 40))); err != nil {
				return err
			}
		}
		return nil
	}))
	if n := len(pages.OfDefinitions(base.Backend().(*world).db, 4096)); n < 3 {
		t.Fatalf("the tables are defined on %d pages", n)
	}
	worlds := map[string]*store.World{}
	for _, name := range []string{"one", "two", "three"} {
		w, err := s.Create(ctx, store.InMemory(name), base.Name, notes)
		s.check(err)
		worlds[name] = w
		if name == "three" {
			continue
		}
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`CREATE TABLE ` + name + ` (` + name + ` TEXT)`)
			if err == nil {
				_, err = tx.Exec(`INSERT INTO `+name+` VALUES (?)`, name)
			}
			return err
		}))
	}
	for range 3 {
		for name, w := range worlds {
			for _, table := range []string{"one", "two"} {
				var got string
				err := w.Read(ctx, func(tx *store.Tx) error {
					_, err := tx.Get(`SELECT `+table+` FROM `+table, nil, &got)
					return err
				})
				if (table == name) != (err == nil) || err == nil && got != name {
					t.Errorf("world %s, table %s: %q, %v", name, table, got, err)
				}
			}
			s.holdsCount(w, 1)
		}
	}
}

func (s fixture) holdsCount(w *store.World, want int64) {
	s.t.Helper()
	var n int64
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT COUNT(*) FROM note`, nil, &n)
		return err
	}))
	if n != want {
		s.t.Errorf("%s has %d notes, want %d", w.Name, n, want)
	}
}

// Two callers read a world in memory at a time, also one that was written to, and
// a write waits for both.
func TestAWorldInMemoryIsReadByTwoAtATime(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	s.write(w, "one")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var both, done sync.WaitGroup
	both.Add(2)
	inside, left := make(chan struct{}), make(chan struct{})
	for range 2 {
		done.Go(func() {
			s.check(w.Read(ctx, func(tx *store.Tx) error {
				var n int64
				if _, err := tx.Get(`SELECT COUNT(*) FROM note`, nil, &n); err != nil {
					return err
				}
				both.Done()
				select {
				case <-left:
				case <-ctx.Done():
					t.Error("the other read did not begin")
				}
				_, err := tx.Get(`SELECT COUNT(*) FROM note`, nil, &n)
				if n != 1 {
					t.Errorf("%d notes within a read", n)
				}
				return err
			}))
		})
	}
	go func() { both.Wait(); close(inside) }()
	select {
	case <-inside:
	case <-ctx.Done():
		t.Fatal("two reads do not run at a time")
	}
	wrote := make(chan struct{})
	go func() { s.write(w, "two"); close(wrote) }()
	select {
	case <-wrote:
		t.Error("a write did not wait for reads")
	case <-time.After(20 * time.Millisecond):
	}
	close(left)
	<-wrote
	done.Wait()
	s.holdsCount(w, 2)
}

// nobody is a witness of no table.
type nobody struct{ store.Witness }

func (nobody) Author(context.Context) store.Author { return store.Author{} }
func (nobody) Table(string) store.Noted            { return store.Noted{} }
func (nobody) Begin()                              {}
func (nobody) End([]store.Change)                  {}

// What a world had in memory is free when it ends.
func TestConnectionsLetGoOfAWorldThatEnds(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made(store.InMemory("w"), "")
	w.Watch(nobody{})
	s.write(w, "one")
	db := w.Backend().(*world).db
	has := func(db *memdb.Database) bool {
		return slices.ContainsFunc(s.idle.conns, func(c *conn) bool { return c.file.Database() == db })
	}
	if !has(db) {
		t.Fatal("no connection waits for the next use")
	}
	if w, _ := s.idle.conns[0].Noted(); w != nil {
		t.Error("a connection that waits has a witness")
	}
	s.check(w.Discard())
	if has(db) {
		t.Error("a connection has a world that ended")
	}
	next := s.made(store.InMemory("next"), "")
	s.write(next, "one")
	s.holdsCount(next, 1)
	if n := s.share.conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// Connections that nobody uses end, and those that are used meanwhile stay.
func TestIdleConnectionsExpire(t *testing.T) {
	s := newFixture(t, t.TempDir())
	one, two := s.made(store.InMemory("one"), ""), s.made(store.InMemory("two"), "")
	s.check(one.Read(context.Background(), func(tx *store.Tx) error { // so that each has a connection
		if err := tx.Open(); err != nil {
			return err
		}
		s.write(two, "one")
		return nil
	}))
	if n := s.share.conns.Load(); n != 2 || len(s.idle.conns) != 2 || s.idle.timer == nil {
		t.Fatalf("%d connections", n)
	}
	s.idle.conns[0].left = s.idle.conns[0].left.Add(-maxIdleTime)
	s.idle.expire()
	if n := s.share.conns.Load(); n != 1 || s.idle.timer == nil {
		t.Errorf("%d connections, want the one that was used since", n)
	}
	s.idle.conns[0].left = s.idle.conns[0].left.Add(-maxIdleTime)
	s.idle.expire()
	if n := s.share.conns.Load(); n != 0 || s.idle.timer != nil {
		t.Errorf("%d connections, want none", n)
	}
	s.holdsCount(two, 1)
}
