package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// loads reports whether a new connection to a world need not parse its definitions.
func (s fixture) loads(world string) bool {
	s.t.Helper()
	raw, err := s.driver.Open(uriOf(s.folder.Path(world)))
	s.check(err)
	db, err := native.Of(raw)
	s.check(err)
	s.check(leaveLog(db.Handle()))
	defer func() { s.check(closeBoth(raw, db)) }()
	return s.share.definitions.load(db)
}

// alterFile changes the tables of a world's file from outside.
func (s fixture) alterFile(world, text string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", uriOf(s.folder.Path(world)))
	s.check(err)
	defer func() { s.check(db.Close()) }()
	_, err = db.Exec(text)
	s.check(err)
}

// Definitions are kept when a second connection has parsed them, and further connections
// load them: to new worlds, to copies, with and without a log, but not to files with others.
func TestDefinitionsAreLoaded(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.connected("a")
	if s.loads("a") {
		t.Error("definitions that one connection has parsed are kept")
	}
	b := s.connected("b")
	if n := len(s.share.definitions.known); n != 1 || !s.loads("a") || !s.loads("b") {
		t.Fatalf("%d definitions are kept; loaded by a: %v, by b: %v", n, s.loads("a"), s.loads("b"))
	}
	s.write(a, "one")
	c := s.made("c", "a")
	s.copied("a", "copy")
	s.write(c, "two")
	s.write(b, "other")
	for _, world := range []string{"a", "b", "c", "copy"} {
		if !s.loads(world) {
			t.Error("not loaded by", world)
		}
	}
	s.check(c.Close())
	s.alterFile("c", "ALTER TABLE note ADD COLUMN more TEXT")
	if s.loads("c") || !s.loads("a") {
		t.Errorf("loaded by the changed file: %v, by the other: %v", s.loads("c"), s.loads("a"))
	}
	s.holdsClosed("c", "one two")
	s.holds(b, "other")
	s.check(a.Close())
	s.check(b.Close())
	s.holdsClosed("a", "one")
	s.holdsClosed("copy", "one")
	if n := len(s.share.definitions.known); n != 1 {
		t.Errorf("%d definitions are kept", n)
	}
}

// Files whose definitions differ in one byte, and in nothing else, do not share them.
func TestDefinitionsThatDifferInOneByte(t *testing.T) {
	s := newFixture(t, t.TempDir())
	schemas := func(value int) []store.Schema {
		return []store.Schema{{Name: "notes", Tables: map[string]store.Class{"note": store.WorldClass}, Migrations: fstest.MapFS{
			"001_note.sql": {Data: fmt.Appendf(nil, "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, n INT NOT NULL DEFAULT %d);", value)},
		}}}
	}
	for round := range 4 {
		for value := range 6 { // more than are kept
			w, err := s.Create(context.Background(), fmt.Sprint("w", round, "_", value), "", schemas(value))
			s.check(err)
			s.check(w.MakeDurable(context.Background()))
			s.write(w, "x")
			var n int
			s.check(w.Read(context.Background(), func(tx *store.Tx) error {
				_, err := tx.Get("SELECT n FROM note", nil, &n)
				return err
			}))
			if n != value {
				t.Fatalf("round %d: %d, want %d", round, n, value)
			}
			s.check(w.Close())
		}
	}
	if n := len(s.share.definitions.known); n != maxKnown {
		t.Errorf("%d definitions are kept", n)
	}
}

// Newer definitions that are only in the log are used, not those of the file.
func TestDefinitionsInTheLog(t *testing.T) {
	s := newFixture(t, t.TempDir())
	for _, world := range []string{"a", "b", "c"} {
		s.check(s.connected(world).Close())
	}
	db, err := sql.Open("sqlite", uriOf(s.folder.Path("c")))
	s.check(err)
	defer func() { s.check(db.Close()) }()
	_, err = db.Exec("ALTER TABLE note ADD COLUMN more TEXT DEFAULT 'in the log'")
	s.check(err)
	if !s.loads("c") {
		t.Fatal("the definitions of the file are not loaded")
	}
	w := s.opened("c")
	s.write(w, "one")
	var more string
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get("SELECT more FROM note", nil, &more)
		return err
	}))
	if more != "in the log" {
		t.Errorf("more is %q", more)
	}
	s.check(w.Close())
}

// A fork of a world with a log loads its definitions, and knows beside them that its file has a log:
// other connections can use it as soon as it is durable.
func TestAForkWithALogLoadsDefinitions(t *testing.T) {
	s := newFixture(t, t.TempDir())
	for _, world := range []string{"a", "b"} {
		s.check(s.connected(world).Close())
	}
	parent := s.made("parent", "")
	s.write(parent, "one")
	if s.folder.LogSize("parent") == 0 || !s.loads("parent") {
		t.Fatal("the parent has no log, or does not load its definitions")
	}
	fork, err := s.Create(context.Background(), "fork", "parent", notes)
	s.check(err)
	s.write(fork, "two") // while it has no log
	s.check(fork.MakeDurable(context.Background()))
	other, err := sql.Open("sqlite", uriOf(s.folder.Path("fork"))+"?_pragma=busy_timeout(200)")
	s.check(err)
	defer func() { s.check(other.Close()) }()
	s.write(fork, "three")
	var texts string
	if err := other.QueryRow("SELECT group_concat(text, ' ') FROM note").Scan(&texts); err != nil || texts != "one two three" {
		t.Errorf("%q: %v", texts, err)
	}
	if _, err := other.Exec("INSERT INTO note (text) VALUES ('four')"); err != nil {
		t.Error(err)
	}
	s.holds(fork, "one two three four")
	s.check(fork.Close())
	s.check(parent.Close())
}
