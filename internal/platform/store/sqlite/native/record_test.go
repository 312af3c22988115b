package native_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// each calls fn at every row of a statement.
func each(t *testing.T, s *native.Stmt, args []any, fn func()) {
	t.Helper()
	if err := s.Bind(args); err != nil {
		t.Fatal(err)
	}
	for {
		row, err := s.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !row {
			break
		}
		fn()
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, c *native.Conn, text string, args ...any) {
	t.Helper()
	each(t, prepare(t, c, text), args, func() {})
}

// anything returns a value of any type that a column can have.
func anything(r *rand.Rand) any {
	switch r.IntN(9) {
	case 0:
		return nil
	case 1:
		return int64(r.IntN(4) - 1)
	case 2:
		return int64(r.Uint64()) >> r.IntN(64)
	case 3:
		return float64(r.IntN(1000)) // which SQLite stores as an integer
	case 4:
		return math.Float64frombits(r.Uint64())
	case 5:
		return store.Blob(strings.Repeat("b", r.IntN(100)))
	case 6:
		if r.IntN(8) == 0 {
			return strings.Repeat("long", r.IntN(3000)) // may need more than a page
		}
	}
	return strings.Repeat("ä", r.IntN(80))
}

// variables returns variables of random types for n columns, twice.
func variables(r *rand.Rand, n int) (a, b []any) {
	for range n {
		switch r.IntN(8) {
		case 0:
			a, b = append(a, new(int64)), append(b, new(int64))
		case 1:
			a, b = append(a, new(bool)), append(b, new(bool))
		case 2:
			a, b = append(a, new(float64)), append(b, new(float64))
		case 3:
			a, b = append(a, new(*float64)), append(b, new(*float64))
		default:
			a, b = append(a, new(string)), append(b, new(string))
		}
	}
	return a, b
}

// What is read from the records of rows is what a statement returns that names the columns: for
// all types, on small pages and large ones, before and after columns are added and dropped. A value that
// does not go into a variable is refused by both.
//
// If this test fails with another version of SQLite, compare its cursors with what
// record.go expects before changing recordsOf.
func TestRecordsAreAsColumns(t *testing.T) {
	read, refused := 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := open(t)
		run(t, c, fmt.Sprintf("PRAGMA page_size = %d", 512<<r.IntN(8)))
		run(t, c, "CREATE TABLE things (place BIGINT, a TEXT, b BIGINT, c REAL, d BOOLEAN, e, f BLOB, g NUMERIC)")
		run(t, c, "CREATE INDEX things_place ON things (place)")
		run(t, c, "CREATE TABLE other (place BIGINT, a TEXT, b BIGINT, c REAL, d BOOLEAN, e, f BLOB, g NUMERIC)")
		run(t, c, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO other SELECT -i, 'other', i, i, i, i, i, i FROM n")
		names := []string{"place", "a", "b", "c", "d", "e", "f", "g"}
		places := 0
		for round := range 4 {
			for range 150 {
				args := []any{int64(places)}
				places += r.IntN(2)
				for range names[1:] {
					args = append(args, anything(r))
				}
				run(t, c, "INSERT INTO things ("+strings.Join(names, ", ")+") VALUES "+store.In(len(args)), args...)
			}
			of := &store.Record{Table: "Things"}
			for _, i := range r.Perm(len(names))[:1+r.IntN(len(names))] {
				of.Columns = append(of.Columns, names[i])
			}
			for _, text := range []string{
				"SELECT t.g, t.rowid FROM things t",
				"SELECT t.g, t.rowid FROM things t WHERE place <= ? ORDER BY place DESC",
				"SELECT t.place, t.rowid FROM things t WHERE place <= ? ORDER BY place DESC", // the index alone
				"SELECT t.a, t.rowid FROM things t WHERE place <= ? ORDER BY a",              // sorted
				"SELECT x.a, t.a, t.rowid FROM things x JOIN things t ON t.place = x.place + 1 WHERE x.place <= ?",
				"SELECT t.a, t.rowid FROM things t LEFT JOIN things x ON x.place = t.place - 1 WHERE EXISTS (SELECT 1 FROM things y WHERE y.place = t.place AND y.b >= 0) AND t.place <= ?",
				"SELECT t.a, t.rowid FROM other o LEFT JOIN things t ON t.place = 1 AND t.place <= ? WHERE o.place > -5",
				"SELECT o.b, t.a, t.rowid FROM other o JOIN things t ON t.rowid = o.rowid", // another table at the same number
				"SELECT 1, t.rowid FROM things t WHERE t.rowid IN (5, 9, 2, ?)",
			} {
				all := prepare(t, c, "SELECT "+strings.Join(of.Columns, ", ")+" FROM things WHERE rowid = ?")
				s := prepare(t, c, text)
				var args []any
				if strings.Contains(text, "?") {
					args = append(args, int64(r.IntN(places+1)))
				}
				texts := &store.Texts{AtOnce: 100 * r.IntN(2)}
				columns := make([]any, strings.Count(text[:strings.Index(text, " FROM")], ",")+1)
				for i := range columns {
					columns[i] = new(any)
				}
				each(t, s, args, func() {
					got, want := variables(r, len(of.Columns))
					ok := s.ScanRecord(of, texts, got...)
					if err := s.Scan(columns...); err != nil {
						t.Fatal(err)
					}
					number := *columns[len(columns)-1].(*any)
					if number == nil {
						if ok {
							t.Errorf("%s: a row that does not exist was read", text)
						}
						return
					}
					if err := errors.Join(all.Bind([]any{number}), stepped(all)); err != nil {
						t.Fatal(err)
					}
					err := all.Scan(want...)
					_ = all.Reset()
					switch {
					case ok && err != nil:
						t.Errorf("seed %d: %v was read as %v", seed, err, got)
					case ok && !same(got, want):
						t.Errorf("seed %d, round %d, %s: row %v: %v, want %v", seed, round, text, number, got, want)
					case ok:
						read++
					case err == nil:
						refused++
					}
				})
			}
			switch round {
			case 0:
				run(t, c, "ALTER TABLE things ADD COLUMN h TEXT DEFAULT 'later'")
				names = append(names, "h")
			case 1: // as many columns as before, others
				run(t, c, "ALTER TABLE things DROP COLUMN e")
				run(t, c, "ALTER TABLE things ADD COLUMN i BIGINT DEFAULT 7")
				names = append(names[:5], "f", "g", "h", "i")
			case 2:
				run(t, c, "VACUUM")
			}
		}
	}
	if read < 1000 || refused < 1000 {
		t.Errorf("%d rows were read from their records, %d were refused", read, refused)
	}
}

func stepped(s *native.Stmt) error { _, err := s.Step(); return err }

// same reports whether variables have the same values; NaN is the same as NaN.
func same(a, b []any) bool {
	for i := range a {
		x, y := reflect.ValueOf(a[i]).Elem().Interface(), reflect.ValueOf(b[i]).Elem().Interface()
		if f, ok := x.(*float64); ok && f != nil {
			if y, ok := y.(*float64); !ok || y == nil || math.Float64bits(*f) != math.Float64bits(*y) {
				return false
			}
			continue
		}
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// Most rows of a table are read from their records; those of tables with peculiarities, and
// statements without the number of the row, are not.
func TestWhichRecordsAreRead(t *testing.T) {
	if sqlite3.SQLITE_VERSION_NUMBER != 3053004 {
		t.Error("compare the cursors of this version of SQLite with record.go")
	}
	c := open(t)
	for i, one := range []struct {
		table, query string
		want         bool
	}{
		{"(a TEXT, b TEXT)", "SELECT a, rowid FROM %s", true},
		{"(a TEXT PRIMARY KEY, b TEXT)", "SELECT b, rowid FROM %s ORDER BY a", true},
		{"(a TEXT PRIMARY KEY, b TEXT)", "SELECT a, rowid FROM %s ORDER BY a", false},
		{"(a TEXT, b TEXT)", "SELECT a FROM %s", false},
		{"(a TEXT, b TEXT)", "SELECT a, 'x' FROM %s", false},
		{"(a TEXT, b TEXT)", "SELECT a, rowid + 1 FROM %s", false},
		{"(a TEXT, b TEXT)", "SELECT a, rowid FROM %s UNION SELECT b, rowid FROM other", false},
		{"(a TEXT, b TEXT, c INTEGER PRIMARY KEY)", "SELECT a, c FROM %s", false},
		{"(a TEXT, b TEXT AS (a || a))", "SELECT a, rowid FROM %s", false},
		{"(a TEXT, b TEXT AS (a || a) STORED)", "SELECT a, rowid FROM %s", false},
		{"(a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID", "SELECT b, 1 FROM %s", false},
		{"(a TEXT, c TEXT)", "SELECT a, rowid FROM %s", false},
	} {
		if i == 0 {
			run(t, c, "CREATE TABLE other (a TEXT, b TEXT)")
		}
		table := fmt.Sprint("t", i)
		run(t, c, "CREATE TABLE "+table+" "+one.table)
		run(t, c, "INSERT INTO "+table+" (a) VALUES ('x')")
		if strings.Contains(one.query, " b,") {
			run(t, c, "UPDATE "+table+" SET b = 'y'")
		}
		s := prepare(t, c, fmt.Sprintf(one.query, table))
		rows := 0
		each(t, s, nil, func() {
			rows++
			var a string
			of := &store.Record{Table: table, Columns: []string{"a"}}
			if strings.Contains(one.table, "c TEXT") {
				of.Columns = append(of.Columns, "b")
			}
			if got := s.ScanRecord(of, &store.Texts{}, &a, new(string)); got != one.want || got && a != "x" {
				t.Errorf("%s: %s: %v, %q", one.table, one.query, got, a)
			}
		})
		if rows != 1 {
			t.Errorf("%s: %d rows", one.query, rows)
		}
	}
	s := prepare(t, c, "SELECT a, rowid FROM t0")
	if s.ScanRecord(&store.Record{Table: "t0", Columns: []string{"a"}}, &store.Texts{}, new(string)) {
		t.Error("a record was read without a row")
	}
}

// A statement that was prepared before columns changed reads those of today.
func TestRecordsFollowTheDefinitions(t *testing.T) {
	c := open(t)
	run(t, c, "CREATE TABLE t (a TEXT, b TEXT, c TEXT)")
	run(t, c, "INSERT INTO t VALUES ('a', 'b', 'c')")
	s := prepare(t, c, "SELECT a, rowid FROM t")
	of := &store.Record{Table: "t", Columns: []string{"c", "b"}}
	var one, two string
	read := func() (got string) {
		each(t, s, nil, func() {
			if s.ScanRecord(of, &store.Texts{}, &one, &two) {
				got += one + two
			}
		})
		return got
	}
	before := read()
	run(t, c, "ALTER TABLE t DROP COLUMN b")
	without := read()
	run(t, c, "ALTER TABLE t ADD COLUMN b TEXT")
	stored := read() // without b
	run(t, c, "UPDATE t SET b = 'new'")
	after := read()
	run(t, c, "DROP TABLE t")
	run(t, c, "CREATE TABLE u (x TEXT)")
	run(t, c, "CREATE TABLE t (b TEXT, c TEXT, a TEXT)")
	run(t, c, "INSERT INTO t VALUES ('b', 'c', 'a')")
	if got, want := []string{before, without, stored, after, read()}, []string{"cb", "", "", "cnew", "cb"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A record that is cut off or changed is refused or read within its bounds.
func TestDamagedRecords(t *testing.T) {
	c := open(t)
	run(t, c, "CREATE TABLE t (a TEXT, b BIGINT, c TEXT)")
	run(t, c, "INSERT INTO t VALUES (?, 1234567, ?)", strings.Repeat("a", 70), strings.Repeat("c", 300))
	r := rand.New(rand.NewPCG(1, 1))
	s := prepare(t, c, "SELECT a, rowid FROM t")
	of := &store.Record{Table: "t", Columns: []string{"a", "b", "c"}}
	each(t, s, nil, func() {
		record := native.RecordOf(s, of)
		if len(record) < 370 {
			t.Fatalf("%q", record)
		}
		var a, c string
		var b int64
		if !native.ScanBytes(s, string(record), &a, &b, &c) || len(a) != 70 || b != 1234567 || len(c) != 300 {
			t.Fatal(a, b, c)
		}
		for n := range record {
			if native.ScanBytes(s, string(record[:n]), &a, &b, &c) {
				t.Errorf("%d of %d bytes were read", n, len(record))
			}
		}
		for range 20_000 {
			bad := []byte(string(record))
			for range 1 + r.IntN(3) {
				bad[r.IntN(9)] = byte(r.Uint32())
			}
			if native.ScanBytes(s, string(bad), &a, &b, &c) && len(a)+len(c) > len(bad) {
				t.Errorf("%d bytes of texts in %d", len(a)+len(c), len(bad))
			}
		}
	})
}
