package native_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store/sqlite/native"
)

// various are definitions of all kinds that are copied.
var various = []string{
	"CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INT DEFAULT 5, m REAL DEFAULT -1.5, at TEXT DEFAULT CURRENT_TIMESTAMP, s TEXT DEFAULT 'it''s', e INT DEFAULT (1 + abs(-2) * 3), b BLOB DEFAULT x'00ff')",
	"CREATE TABLE keyed (a TEXT, b INT, c TEXT COLLATE NOCASE, d, PRIMARY KEY (b, a)) WITHOUT ROWID",
	"CREATE TABLE checked (a INT CHECK (a > 0 AND a < 100), b TEXT CONSTRAINT named CHECK (b IN ('x', 'y') OR length(b) > 3), UNIQUE (a, b), UNIQUE (b COLLATE NOCASE))",
	"CREATE TABLE derived (a INT, b INT GENERATED ALWAYS AS (a * 2 + 1) STORED, c TEXT AS (CASE WHEN a > 5 THEN 'big' ELSE upper('small') END) VIRTUAL, d TEXT)",
	"CREATE TABLE firm (a INTEGER, b ANY, c BLOB, PRIMARY KEY (a DESC)) STRICT",
	`CREATE TABLE "with ""quotes""" ("a b" VARCHAR(20) DEFAULT "text", [c d] DECIMAL(10, 5) NOT NULL DEFAULT 0)`,
	"CREATE TABLE wide (" + manyColumns(70) + ")",
	"CREATE TABLE counted (a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT)",
	"CREATE VIRTUAL TABLE words USING fts5 (body, other, tokenize = 'unicode61 remove_diacritics 2', content = '')",
	"CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row')",
	"CREATE INDEX plain_name ON plain (name, n DESC)",
	"CREATE INDEX plain_part ON plain (m) WHERE n > 3 AND name <> '' OR s IS NULL",
	"CREATE UNIQUE INDEX plain_expression ON plain (lower(name) || '-' || n, e)",
	"CREATE INDEX keyed_c ON keyed (c, d COLLATE RTRIM)",
	"CREATE INDEX derived_c ON derived (c, b) WHERE b BETWEEN 3 AND 90",
	"CREATE INDEX firm_b ON firm (b, coalesce(c, x'01'))",
}

func manyColumns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("column%d INT DEFAULT %d", i, i*7))
	}
	return strings.Join(all, ", ")
}

// statements use the tables in ways whose compiled forms contain what was parsed.
var statements = []string{
	"INSERT INTO plain (name) VALUES ('a')", "INSERT INTO plain (name, n) VALUES ('b', 9) ON CONFLICT DO NOTHING",
	"INSERT INTO keyed VALUES ('a', 1, 'c', 2) ON CONFLICT (b, a) DO UPDATE SET d = excluded.d + 1", "REPLACE INTO checked VALUES (1, 'x')",
	"INSERT INTO derived (a, d) VALUES (7, 'd')", "INSERT INTO firm VALUES (3, 'any', x'01')", `INSERT INTO "with ""quotes""" DEFAULT VALUES`,
	"INSERT INTO wide (column3) VALUES (1)", "UPDATE plain SET n = n + 1, s = NULL WHERE name = 'a'", "UPDATE derived SET a = 1 WHERE c = 'big'",
	"DELETE FROM keyed WHERE c = 'C'", "SELECT * FROM plain JOIN keyed ON keyed.b = plain.n WHERE plain.name > 'a' ORDER BY plain.n DESC",
	"SELECT * FROM plain WHERE n > 3 AND name <> '' OR s IS NULL ORDER BY m", "SELECT e FROM plain WHERE lower(name) || '-' || n = 'a-5'",
	"SELECT count(*), max(c) FROM derived WHERE b BETWEEN 3 AND 90 GROUP BY c", "SELECT * FROM firm WHERE b = 1 AND coalesce(c, x'01') = x'01'",
	"INSERT INTO counted (b) VALUES ('x')", "DELETE FROM counted WHERE a = 1", "INSERT INTO words (rowid, body, other) VALUES (1, 'some words', 'more')",
	"SELECT rowid FROM words WHERE words MATCH 'some' ORDER BY rank", "SELECT term, doc FROM vocabulary WHERE term > 'a'", "SELECT seq FROM sqlite_sequence", "DROP TABLE words",
	"SELECT column69 FROM wide", "SELECT * FROM checked WHERE b = 'X' COLLATE NOCASE", "SELECT name, sql FROM sqlite_schema",
}

// file is a connection to a file, of the driver and without it.
type file struct {
	*native.Conn
	raw driver.Conn
	db  *sql.DB
}

func openFile(t *testing.T, path string) *file {
	t.Helper()
	db, err := sql.Open("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := db.Driver().Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := native.Of(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &file{c, raw, db}
}

func (f *file) end(t *testing.T) {
	t.Helper()
	f.Close()
	if err := errors.Join(f.raw.Close(), f.db.Close()); err != nil {
		t.Error(err)
	}
}

func (f *file) run(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := f.try(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

func (f *file) try(text string) error {
	_, err := f.raw.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return err
}

// rows returns the result of a query as text, and its error.
func (f *file) rows(text string) string {
	rows, err := f.raw.(driver.QueryerContext).QueryContext(context.Background(), text, nil)
	if err != nil {
		return err.Error() + "\n"
	}
	defer func() { _ = rows.Close() }()
	var out strings.Builder
	values := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(values); err != nil {
			_, _ = fmt.Fprintln(&out, err)
			return out.String()
		}
		_, _ = fmt.Fprintln(&out, values)
	}
}

// knows returns all that a connection reports of its definitions: the columns of tables and
// indexes, and how it compiles statements.
func (f *file) knows(statements []string) string {
	out := f.rows("SELECT m.name, x.* FROM sqlite_schema m, pragma_table_xinfo(m.name) x") +
		f.rows("SELECT m.name, l.name, l.origin, l.partial, x.* FROM sqlite_schema m, pragma_index_list(m.name) l, pragma_index_xinfo(l.name) x")
	for _, text := range statements {
		out += own.ReplaceAllString(f.rows("EXPLAIN "+text), "$1") + f.rows("EXPLAIN QUERY PLAN "+text)
	}
	return out
}

// own matches what differs between connections: how often they have parsed their definitions,
// and addresses.
var own = regexp.MustCompile(`(Transaction \d+ \d+ \d+) \d+|vtab:[0-9A-F]+`)

// definitionsOf returns what a new connection parses.
func definitionsOf(t *testing.T, path string) *native.Parsed {
	t.Helper()
	f := openFile(t, path)
	defer f.end(t)
	f.run(t, "PRAGMA cache_size = 4")
	parsed, err := native.Definitions(f.Conn)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// allocated returns the bytes that SQLite has allocated in the process.
func allocated() int64 {
	tls := libc.NewTLS()
	defer tls.Close()
	return sqlite3.Xsqlite3_memory_used(tls)
}

func copyOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// difference returns the first lines in which two texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return g[i] + "\nand parsed:\n" + w[i]
		}
	}
	return fmt.Sprint(len(g), " lines, ", len(w), " parsed")
}

// A connection that has loaded definitions works as one that has parsed them: it reports the
// same of them, compiles statements to the same code, checks the constraints, sees the changes of
// others, makes changes, and frees all memory.
func TestLoadedDefinitionsAreAsParsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	first := openFile(t, path)
	first.run(t, various...)
	first.run(t, "INSERT INTO checked VALUES (1, 'x')")
	first.end(t)
	parsed := definitionsOf(t, path)
	before := allocated()
	for _, changes := range [][]string{
		nil,
		{"ALTER TABLE plain ADD COLUMN more TEXT DEFAULT 'm'", "DROP INDEX plain_name"},
		{"ALTER TABLE keyed RENAME COLUMN c TO c2", "ALTER TABLE derived RENAME TO renamed", "CREATE INDEX later ON plain (e)"},
		{"ALTER TABLE plain DROP COLUMN b", "DROP TABLE firm", "VACUUM"},
		{"REINDEX", "ANALYZE", "CREATE VIEW v AS SELECT * FROM plain", "CREATE TRIGGER tr AFTER INSERT ON keyed BEGIN UPDATE plain SET n = 1; END"},
		{"CREATE TEMP TABLE passing (a INT)", "PRAGMA journal_mode = WAL", "BEGIN", "CREATE TABLE undone (a INT)", "ROLLBACK"},
	} {
		for _, who := range []string{"itself", "another", "another before"} {
			copied := copyOf(t, path)
			loaded, by := openFile(t, copied), openFile(t, copied)
			if who == "another before" { // so that the definitions are not those of the file
				by.run(t, changes...)
			}
			if err := parsed.Load(loaded.Conn); err != nil {
				t.Fatal(err)
			}
			if parsed.Load(loaded.Conn) == nil {
				t.Error("definitions were loaded twice")
			}
			switch who {
			case "itself":
				loaded.run(t, changes...)
			case "another":
				by.run(t, changes...)
			}
			if got, want := loaded.knows(statements), by.knows(statements); got != want {
				t.Errorf("after %q by %s: %s", changes, who, difference(got, want))
			}
			for i, text := range statements {
				switch {
				case strings.HasPrefix(text, "SELECT"):
				case i%2 == 0:
					_ = by.try(text)
				default:
					_ = loaded.try(text)
				}
			}
			if loaded.try("INSERT INTO checked VALUES (-1, 'x')") == nil || loaded.try("INSERT INTO checked VALUES (2, 'z')") == nil || loaded.try("INSERT INTO checked VALUES (3, 'X')") == nil {
				t.Error("a constraint did not hold")
			}
			if got, want := loaded.rows("SELECT * FROM plain"), by.rows("SELECT * FROM plain"); got != want || strings.Count(got, "\n") < 3 {
				t.Errorf("%s\n%s", got, want)
			}
			if got := loaded.rows("PRAGMA integrity_check"); !strings.HasPrefix(got, "[ok]\n") {
				t.Error(got)
			}
			by.end(t)
			loaded.end(t)
		}
	}
	if after := allocated(); after != before {
		t.Errorf("%d bytes were allocated before, %d after", before, after)
	}
}

// Definitions of kinds that are not copied are refused, and so are those that are not parsed.
func TestDefinitionsThatAreNotCopied(t *testing.T) {
	for _, text := range []string{
		"CREATE VIEW v AS SELECT * FROM t", "CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET a = 1; END",
		"CREATE TABLE child (a INT REFERENCES t (a))", "INSERT INTO t VALUES (1); ANALYZE",
	} {
		path := filepath.Join(t.TempDir(), "w.db")
		f := openFile(t, path)
		f.run(t, "CREATE TABLE t (a INT UNIQUE)", text)
		f.end(t)
		f = openFile(t, path)
		if _, err := native.Definitions(f.Conn); err == nil {
			t.Error("nothing was parsed yet")
		}
		f.run(t, "PRAGMA cache_size = 4")
		if _, err := native.Definitions(f.Conn); err == nil {
			t.Errorf("%s was copied", text)
		}
		f.end(t)
	}
}

// Random definitions are the same, parsed or loaded.
func TestLoadedDefinitionsModel(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "w.db")
		f := openFile(t, path)
		var statements []string
		for table := range 1 + r.IntN(8) {
			f.run(t, randomTable(r, table))
			statements = append(statements, fmt.Sprintf("INSERT INTO t%d (c0) VALUES (1)", table), fmt.Sprintf("UPDATE t%d SET c0 = c1 WHERE c0 > c1 ORDER BY c1", table),
				fmt.Sprintf("SELECT * FROM t%d WHERE c0 = 1 AND c1 > 2 ORDER BY c2", table))
			for index := range r.IntN(5) {
				f.run(t, randomIndex(r, table, index))
			}
		}
		for i, text := range statements {
			statements[i] = strings.Replace(text, " ORDER BY c1", "", i%2)
		}
		f.end(t)
		parsed, loaded, other := definitionsOf(t, path), openFile(t, path), openFile(t, path)
		if err := parsed.Load(loaded.Conn); err != nil {
			t.Fatal(err)
		}
		if got, want := loaded.knows(statements), other.knows(statements); got != want {
			t.Errorf("seed %d: %s", seed, difference(got, want))
		}
		loaded.end(t)
		other.end(t)
	}
}

func randomTable(r *rand.Rand, table int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	text := fmt.Sprintf("CREATE TABLE t%d (", table)
	for column := range 3 + r.IntN(20) {
		text += fmt.Sprintf("c%d %s%s%s%s, ", column, pick("", "INT", "TEXT", "VARCHAR(9)", "BLOB", "REAL"), pick("", " NOT NULL"),
			pick("", " DEFAULT 7", " DEFAULT -7", " DEFAULT 'x'", " DEFAULT (1 + random())", " DEFAULT NULL", " DEFAULT 1e9", " DEFAULT 99999999999"),
			pick("", "", " UNIQUE", " COLLATE NOCASE", fmt.Sprintf(" CHECK (c%d <> 3)", column)))
	}
	if r.IntN(2) == 0 {
		return text + "PRIMARY KEY (c0))"
	}
	return text + "PRIMARY KEY (c1, c0))" + pick("", " WITHOUT ROWID")
}

func randomIndex(r *rand.Rand, table, index int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	return fmt.Sprintf("CREATE %s INDEX i%d_%d ON t%d (%s%s)%s", pick("", "UNIQUE"), table, index, table, pick("c0", "c1 DESC", "c2 COLLATE NOCASE", "lower(c0)", "c1 + 1, c0"),
		pick("", ", c2", ", c1 || c2"), pick("", " WHERE c0 > 1", " WHERE c1 IS NOT NULL AND c2 IN (1, 2, 3)", " WHERE NOT c1"))
}
