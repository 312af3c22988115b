package native_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

func open(t *testing.T) *native.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := db.Driver().Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	c, err := native.Of(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := errors.Join(raw.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func prepare(t *testing.T, c *native.Conn, text string) *native.Stmt {
	t.Helper()
	s, err := c.Prepare(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// first runs a statement to its first row and reads that.
func first(t *testing.T, s *native.Stmt, args []any, dest ...any) {
	t.Helper()
	if err := s.Bind(args); err != nil {
		t.Fatal(err)
	}
	if row, err := s.Step(); err != nil || !row {
		t.Fatalf("row %v, %v", row, err)
	}
	if err := s.Scan(dest...); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
}

type (
	word   string
	number int
	yes    bool
	raw    []byte
)

// What goes in as an argument comes out of a column as the types that services use.
func TestValuesComeBack(t *testing.T) {
	c := open(t)
	echo := prepare(t, c, "SELECT ?")
	long := strings.Repeat("€", 40_000) // more than a connection keeps room for
	text, n, f, b := "text", int64(-3), 2.5, true
	var none *string
	for _, one := range []struct{ in, want any }{
		{"", ""}, {"a\x00b", "a\x00b"}, {long, long}, {word("w"), "w"}, {&text, text}, {none, nil},
		{[]byte("x"), "x"}, {[]byte{}, ""}, {[]byte(nil), nil}, {raw("y"), "y"}, {raw(nil), nil},
		{store.Blob("z"), []byte("z")}, {store.Blob(nil), nil}, {store.Blob(long), []byte(long)},
		{int64(math.MinInt64), int64(math.MinInt64)}, {7, int64(7)}, {number(8), int64(8)}, {&n, n},
		{f, f}, {math.Inf(-1), math.Inf(-1)}, {&f, f}, {true, int64(1)}, {false, int64(0)}, {yes(true), int64(1)}, {&b, int64(1)}, {nil, nil},
	} {
		var got any
		first(t, echo, []any{one.in}, &got)
		if !reflect.DeepEqual(got, one.want) {
			t.Errorf("%T %.20v came back as %T %.20v", one.in, one.in, got, got)
		}
	}
	var s string
	var ps *string
	var pi *int64
	var bs []byte
	var bo store.Borrowed
	var w word
	var r raw
	var i int
	var nr number
	var y yes
	var fl float64
	first(t, prepare(t, c, "SELECT 'a', 'b', NULL, 'c', x'64', 'e', 'f', 1, 2, 1, 3"), nil, &s, &ps, &pi, &bs, &bo, &w, &r, &i, &nr, &y, &fl)
	if got := fmt.Sprintln(s, *ps, pi, string(bs), w, string(r), i, nr, y, fl); got != "a b <nil> c e f 1 2 true 3\n" {
		t.Error(got)
	}
	var zeros []byte
	var size int64
	first(t, prepare(t, c, "SELECT zeroblob(?), CAST('12' AS INTEGER) + 1"), []any{3}, &zeros, &size)
	if !bytes.Equal(zeros, make([]byte, 3)) || size != 13 {
		t.Errorf("%v, %d", zeros, size)
	}
	nothing := prepare(t, c, "SELECT NULL, 'x', 1, 1.5")
	for _, dest := range [][]any{{&s, &s, &i, &fl}, {&bs, &i, &i, &fl}, {&bs, &s, &s, &fl}, {&bs, &s, &i, &i}, {&bs}} {
		if err := nothing.Bind(nil); err != nil {
			t.Fatal(err)
		}
		if _, err := nothing.Step(); err != nil {
			t.Fatal(err)
		}
		if err := nothing.Scan(dest...); err == nil {
			t.Errorf("%T was scanned", dest)
		}
		if err := nothing.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

// Statements that run at once keep their own arguments, and borrowed bytes hold
// until the next row.
func TestStatementsRunSideBySide(t *testing.T) {
	c := open(t)
	if err := prepare(t, c, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, data BLOB)").Exec(nil); err != nil {
		t.Fatal(err)
	}
	insert := prepare(t, c, "INSERT INTO t (text, data) VALUES (?, ?)")
	r := rand.New(rand.NewPCG(1, 2))
	var want []string
	for n := range 200 {
		text := strings.Repeat(string(rune('a'+n%26)), r.IntN(1000)*(1+n%3*30))
		if err := insert.Exec([]any{text, store.Blob(text)}); err != nil {
			t.Fatal(err)
		}
		if c.LastInsertID() != int64(n+1) || c.Changes() != 1 {
			t.Fatalf("id %d, %d changes", c.LastInsertID(), c.Changes())
		}
		want = append(want, text)
	}
	all := prepare(t, c, "SELECT text, data, ? FROM t ORDER BY id")
	one := prepare(t, c, "SELECT text, ? FROM t WHERE id = ? AND ? <> ''")
	mark := strings.Repeat("mark", 100)
	if err := all.Bind([]any{mark}); err != nil {
		t.Fatal(err)
	}
	for n, text := range want {
		if row, err := all.Step(); err != nil || !row {
			t.Fatal(row, err)
		}
		var borrowed store.Borrowed
		var data []byte
		var got, other, again string
		if err := all.Scan(&borrowed, &data, &got); err != nil {
			t.Fatal(err)
		}
		first(t, one, []any{fmt.Sprint("other", n), n + 1, strings.Repeat("x", r.IntN(70_000)+1)}, &again, &other)
		if string(borrowed) != text || string(data) != text || got != mark || again != text || other != fmt.Sprint("other", n) {
			t.Fatalf("row %d: %d, %d and %d bytes instead of %d, marks %.10s and %s", n, len(borrowed), len(data), len(again), len(text), got, other)
		}
	}
	if row, err := all.Step(); err != nil || row {
		t.Fatal(row, err)
	}
	if err := all.Reset(); err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	c := open(t)
	if err := prepare(t, c, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT UNIQUE)").Exec(nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", " ", "-- nothing", "SELEC 1", "SELECT 1; SELECT 2", "SELECT * FROM nowhere"} {
		if s, err := c.Prepare(text); err == nil {
			t.Errorf("%q was prepared: %v", text, s.Close())
		}
	}
	insert := prepare(t, c, "INSERT INTO t (text) VALUES (?);\n ")
	if err := insert.Exec(nil); err == nil {
		t.Error("a statement ran without its argument")
	}
	if err := insert.Exec([]any{struct{}{}}); err == nil {
		t.Error("a struct was stored")
	}
	for n := range 3 { // it runs again after an error
		err := insert.Exec([]any{"taken"})
		var e *native.Error
		if n == 0 && err != nil || n > 0 && (!errors.As(err, &e) || e.Code() != sqlite3.SQLITE_CONSTRAINT_UNIQUE || !strings.Contains(e.Error(), "t.text")) {
			t.Errorf("time %d: %v", n, err)
		}
	}
	if err := insert.Exec([]any{"free", "one too many"}); err != nil || c.LastInsertID() != 2 {
		t.Error(err, c.LastInsertID())
	}
	if _, err := native.Of(other{}); err == nil {
		t.Error("another driver's connection was used")
	}
}

type other struct{ driver.Conn }

// A place that takes any value has that of its row, whatever the row before had.
func TestValuesOfRowsInARow(t *testing.T) {
	c := open(t)
	s := prepare(t, c, "SELECT column1 FROM (VALUES ('a'), ('a'), ('b'), (''), (NULL), (''), (x'61'), ('a'), (1), ('1'))")
	want := []any{"a", "a", "b", "", nil, "", []byte("a"), "a", int64(1), "1"}
	if err := s.Bind(nil); err != nil {
		t.Fatal(err)
	}
	var got any
	for i := range want {
		if more, err := s.Step(); err != nil || !more {
			t.Fatal(i, more, err)
		}
		if err := s.Scan(&got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("row %d is %#v, want %#v", i, got, want[i])
		}
	}
}

// The texts of a row are what they are one by one, and are allocated at once.
func TestTextsOfARowAreScannedTogether(t *testing.T) {
	c := open(t)
	s := prepare(t, c, `SELECT 'a', '', 'bc', 1, NULL, x'0102', 'déf', 'last', 2.5, ''`)
	if err := s.Bind(nil); err != nil {
		t.Fatal(err)
	}
	if row, err := s.Step(); err != nil || !row {
		t.Fatalf("row %v, %v", row, err)
	}
	type places struct {
		a, empty, bc, def string
		one               int64
		null              *string
		blob              string
		last              word
		real              float64
		end               string
	}
	dest := func(p *places) []any {
		return []any{&p.a, &p.empty, &p.bc, &p.one, &p.null, &p.blob, &p.def, &p.last, &p.real, &p.end}
	}
	var together, alone places
	into := dest(&together)
	if err := s.ScanTogether(&store.Texts{}, into...); err != nil {
		t.Fatal(err)
	}
	if err := s.Scan(dest(&alone)...); err != nil {
		t.Fatal(err)
	}
	if together != alone || together.def != "déf" {
		t.Errorf("together %+v, one by one %+v", together, alone)
	}
	var blob store.Borrowed
	into = []any{&together.a, &together.empty, &together.bc, &together.one, &together.null, &blob, &together.def, &together.end, &together.real, &alone.end}
	if n := testing.AllocsPerRun(100, func() { _ = s.ScanTogether(&store.Texts{}, into...) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
	var number int64
	into[0] = &number
	if err := s.ScanTogether(&store.Texts{}, into...); err == nil {
		t.Error("a text went into a number")
	}
	if err := s.ScanTogether(&store.Texts{}, &together.a); err == nil {
		t.Error("ten columns went into one place")
	}
}
