package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/definitions"
)

// isCopied reports whether the writer's connection has not read the definitions
// itself.
func isCopied(s *Store, name string) bool {
	w := s.worlds[name]
	return w.writer != nil && w.writer.copied != definitions.Copy{}
}

// After a few worlds with the same tables the next ones do not read the definitions,
// while they are made, opened, forked with a log, and in memory.
func TestDefinitionsAreReadAFewTimes(t *testing.T) {
	s := newFixture(t, t.TempDir())
	first := s.made("first", "")
	if isCopied(s.Store, "first") {
		t.Error("the first world did not read its definitions")
	}
	s.write(first, "one")
	for n := range opensToLearn {
		s.check(s.made(fmt.Sprint("w", n), "").Close())
	}
	made, err := s.Create(context.Background(), "made", "", notes)
	s.check(err)
	if !isCopied(s.Store, "made") {
		t.Error("a new world has read the definitions")
	}
	s.check(made.MakeDurable(context.Background()))
	s.write(made, "two")
	fork := s.made("fork", "first")
	if !isCopied(s.Store, "fork") {
		t.Error("a fork has read the definitions")
	}
	s.write(fork, "three")
	s.holds(fork, "one three")
	s.check(first.Close())
	if s.folder.LogSize("first") == 0 {
		t.Fatal("the first world has no log")
	}
	s.holds(s.opened("first"), "one")
	if !isCopied(s.Store, "first") {
		t.Error("a world with a log has read the definitions")
	}
	s.check(made.Close())
	s.holdsClosed("made", "two")
}

// columnOf is a world with a table of one column, made in a store of its own.
func columnOf(t *testing.T, column string) []store.Schema {
	t.Helper()
	return []store.Schema{{Name: "notes", Tables: map[string]store.Class{"note": store.WorldClass}, Migrations: fstest.MapFS{
		"0001_notes.sql": &fstest.MapFile{Data: []byte("CREATE TABLE note (" + column + " TEXT NOT NULL);")}}}}
}

// Definitions are copied only to a connection that sees the same ones, also where
// SQLite's own number for them is the same and the difference is only in the log.
func TestOtherDefinitionsAreRead(t *testing.T) {
	s := newFixture(t, t.TempDir())
	s.check(s.made("a", "").Close())
	for n := range opensToLearn {
		s.check(s.made(fmt.Sprint("w", n), "").Close())
	}
	w := s.opened("a")
	if !isCopied(s.Store, "a") {
		t.Fatal("the world has read the definitions")
	}
	s.write(w, "one")
	db, err := sql.Open("sqlite", s.uri("a"))
	s.check(err)
	db.SetMaxOpenConns(1)
	for _, text := range []string{"PRAGMA writable_schema = 1", "UPDATE sqlite_schema SET sql = replace(sql, 'text', 'word') WHERE name = 'note'"} {
		_, err := db.Exec(text)
		s.check(err)
	}
	s.check(db.Close())
	s.check(w.Close())
	if s.folder.LogSize("a") == 0 {
		t.Fatal("the change is not in a log")
	}
	see := func() {
		t.Helper()
		w := s.opened("a")
		if isCopied(s.Store, "a") {
			t.Error("the world has definitions of others")
		}
		var word string
		s.check(w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get("SELECT word FROM note", nil, &word)
			return err
		}))
		if word != "one" {
			t.Errorf("the note is %q", word)
		}
		if err := s.worlds["a"].alone(s.worlds["a"].writeBack); err != nil {
			t.Error(err)
		}
		s.check(w.Close())
	}
	see()
	if s.folder.LogSize("a") != 0 {
		t.Fatal("the change is still in the log")
	}
	see()
	s.holdsClosed("w0", "")
}

// More sets of tables than are remembered are used beside each other.
func TestManySetsOfTables(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	for n := range 3 * (maxTables + 2) {
		column := fmt.Sprint("c", n%(maxTables+2))
		w, err := s.Create(ctx, fmt.Sprint("w", n), "", columnOf(t, column))
		s.check(err)
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO note (" + column + ") VALUES ('x')")
			return err
		}))
	}
	if n := len(s.known.all); n > maxTables {
		t.Errorf("%d sets of tables are known", n)
	}
}
