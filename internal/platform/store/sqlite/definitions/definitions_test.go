package definitions_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"understudy/internal/platform/store/sqlite/definitions"
	"understudy/internal/platform/store/sqlite/native"
)

func TestMain(m *testing.M) {
	if err := definitions.Configure(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// everything is a schema with all that definitions can contain.
const everything = `
CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE UNIQUE, at REAL DEFAULT (1.5 + 2), n INT CHECK (n > 0 AND n < 100 OR n IN (200, 300)));
CREATE TABLE child (a TEXT, b TEXT DEFAULT 'x', parent INTEGER NOT NULL REFERENCES parent (id) ON DELETE CASCADE, c GENERATED ALWAYS AS (a || b) VIRTUAL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX child_parent ON child (parent, length(a) DESC) WHERE b <> 'none' AND a IS NOT NULL;
CREATE TABLE log (what TEXT);
CREATE TRIGGER noted AFTER UPDATE OF name ON parent WHEN new.name <> old.name BEGIN INSERT INTO log VALUES ('was ' || old.name); UPDATE child SET b = new.name WHERE parent = old.id; END;
CREATE VIEW both AS SELECT p.name, c.a FROM parent p JOIN child c ON c.parent = p.id;
CREATE VIRTUAL TABLE words USING fts5 (text);
`

func file(t *testing.T, schema string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) (c *native.Conn, done func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := db.Driver().Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = native.Of(raw); err != nil {
		t.Fatal(err)
	}
	return c, func() {
		c.Close()
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	}
}

func run(t *testing.T, c *native.Conn, text string) {
	t.Helper()
	s, err := c.Prepare(text)
	if err == nil {
		err = s.Exec(nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *native.Conn, text string) (out string) {
	t.Helper()
	s, err := c.Prepare(text)
	if err == nil {
		err = s.Bind(nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer func() { _ = s.Close() }()
	for {
		row, err := s.Step()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !row {
			return out
		}
		var v any
		if err := s.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprint(v, ";")
	}
}

func learned(t *testing.T, path string) *definitions.Parsed {
	t.Helper()
	a, doneA := open(t, path)
	b, doneB := open(t, path)
	defer doneA()
	defer doneB()
	p, err := definitions.Learn(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCopiedDefinitionsAreUsedLikeParsedOnes(t *testing.T) {
	path := file(t, everything)
	p := learned(t, path)
	t.Logf("%d bytes", p.Size())
	for range 3 {
		c, done := open(t, path)
		copied, err := p.Install(c)
		if err != nil {
			t.Fatal(err)
		}
		run(t, c, "PRAGMA foreign_keys = ON")
		run(t, c, "INSERT INTO parent (name, n) VALUES ('one', 5)")
		run(t, c, "INSERT INTO child (a, parent) SELECT 'k' || value, last_insert_rowid() FROM json_each('[1,2,3]')")
		run(t, c, "INSERT INTO words VALUES ('some words')")
		run(t, c, "UPDATE parent SET name = 'two'")
		if s, err := c.Prepare("INSERT INTO parent (name, n) VALUES ('bad', 150)"); err != nil || s.Exec(nil) == nil {
			t.Error("a check was not made", err)
		} else {
			_ = s.Close()
		}
		for text, want := range map[string]string{
			"SELECT name || at || n FROM parent":       "two3.55;",
			"SELECT a || b || c FROM child ORDER BY a": "k1twok1two;k2twok2two;k3twok3two;",
			"SELECT a FROM child WHERE parent > 0 AND b <> 'none' AND a IS NOT NULL ORDER BY parent, length(a) DESC LIMIT 1": "k1;",
			"SELECT * FROM log":                                "was one;",
			"SELECT name || a FROM both ORDER BY a":            "twok1;twok2;twok3;",
			"SELECT text FROM words WHERE words MATCH 'words'": "some words;",
			"SELECT name FROM parent WHERE name = 'TWO'":       "two;",
			"PRAGMA integrity_check":                           "ok;",
		} {
			if got := get(t, c, text); got != want {
				t.Errorf("%s: %s", text, got)
			}
		}
		run(t, c, "DELETE FROM parent")
		run(t, c, "DELETE FROM log")
		run(t, c, "DELETE FROM words")
		if got := get(t, c, "SELECT count(*) FROM child"); got != "0;" {
			t.Error(got)
		}
		done()
		copied.Free()
	}
}

// A connection reads the definitions itself once they have changed, by itself or
// by another connection, also within a transaction that is rolled back.
func TestCopiedDefinitionsChange(t *testing.T) {
	path := file(t, everything)
	p := learned(t, path)
	a, doneA := open(t, path)
	b, doneB := open(t, path)
	var copies []definitions.Copy
	for _, c := range []*native.Conn{a, b} {
		copied, err := p.Install(c)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, copied)
	}
	run(t, a, "SELECT count(*) FROM child")
	run(t, b, "SELECT count(*) FROM child")
	run(t, a, "ALTER TABLE log ADD COLUMN more TEXT DEFAULT 'm'")
	run(t, a, "INSERT INTO log (what) VALUES ('x')")
	if got := get(t, b, "SELECT what || more FROM log"); got != "xm;" {
		t.Error(got)
	}
	run(t, b, "BEGIN")
	run(t, b, "DROP TABLE child")
	run(t, b, "CREATE TABLE other (x)")
	run(t, b, "ROLLBACK")
	if got := get(t, b, "SELECT count(*) FROM child"); got != "0;" {
		t.Error(got)
	}
	run(t, b, "ANALYZE")
	run(t, a, "DROP VIEW both")
	run(t, b, "DROP TABLE words")
	if got := get(t, a, "PRAGMA integrity_check"); got != "ok;" {
		t.Error(got)
	}
	doneA()
	doneB()
	for _, c := range copies {
		c.Free()
	}
}

func TestOtherConnectionsAreRefused(t *testing.T) {
	path := file(t, everything)
	p := learned(t, path)
	c, done := open(t, path)
	defer done()
	run(t, c, "SELECT count(*) FROM child")
	if _, err := p.Install(c); err == nil {
		t.Error("a connection received definitions twice")
	}
	other, doneOther := open(t, path)
	defer doneOther()
	if _, err := definitions.Learn(other, c); err == nil {
		t.Error("definitions were learned from a used connection")
	}
}
