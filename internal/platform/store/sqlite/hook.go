package sqlite

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// hooks holds the notes of all connections whose changes are noted. SQLite passes
// the index of a connection's notes to the callbacks.
type hooks struct {
	mu    sync.Mutex
	notes atomic.Pointer[[]*changedRows]
	free  []int // indexes
}

var hooked hooks

// callback returns the address that SQLite calls for a function: a function
// pointer in C is what the function value in Go points to.
func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

var (
	onRow     = callback(noteRow)
	onCompile = callback(noteCompiled)
)

// add registers notes of a connection.
func (h *hooks) add(n *changedRows) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.free) == 0 {
		var all []*changedRows
		if p := h.notes.Load(); p != nil {
			all = *p
		}
		grown := make([]*changedRows, max(16, 2*len(all)))
		for i := len(grown) - 1; i >= len(all); i-- {
			h.free = append(h.free, i)
		}
		copy(grown, all)
		h.notes.Store(&grown)
	}
	last := len(h.free) - 1
	n.index = h.free[last]
	h.free = h.free[:last]
	(*h.notes.Load())[n.index] = n // nobody reads it before its connection runs a statement
	native.OnCompile(n.db, onCompile, uintptr(n.index))
	n.observe(true)
}

// remove unregisters notes.
func (h *hooks) remove(n *changedRows) {
	n.observe(false)
	native.OnCompile(n.db, 0, 0)
	h.mu.Lock()
	defer h.mu.Unlock()
	(*h.notes.Load())[n.index] = nil
	h.free = append(h.free, n.index)
}

func (h *hooks) at(index uintptr) *changedRows { return (*h.notes.Load())[index] }

// observe sets whether SQLite calls noteRow. It replaces the driver's own hook,
// which copies the names of database and table for each row and costs more than
// all else that is done with a row.
func (n *changedRows) observe(rows bool) {
	if rows == n.observed {
		return
	}
	if n.observed = rows; rows {
		native.OnChange(n.db, onRow, uintptr(n.index))
	} else {
		native.OnChange(n.db, 0, 0)
	}
}

// noteCompiled is the callback of SQLite for what a statement that is compiled
// will do, its triggers and foreign keys included. SQLite compiles a prepared
// statement again, within the call that runs it, when definitions have changed.
//
// How a statement empties a table depends on whether rows are observed when it is
// compiled, so they are from here on.
func noteCompiled(_ *libc.TLS, index uintptr, action int32, table, _, _, _ uintptr) int32 {
	n := hooked.at(index)
	n.observe(true)
	n.skips = false
	s := n.compiling
	if s == nil {
		s = n.running
	}
	if s == nil {
		return sqlite3.SQLITE_OK
	}
	s.noted = noting{} // names may have moved
	switch action {
	case sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE:
	case sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
		if name := textAt(table); !slices.Contains(s.tables, name) {
			s.tables = append(s.tables, strings.Clone(name))
		}
	default:
		s.unknown = true
	}
	return sqlite3.SQLITE_OK
}

// noteRow is the callback of SQLite for a row that is about to change.
func noteRow(tls *libc.TLS, index, at uintptr, op int32, _, table uintptr, old, changed int64) {
	n := hooked.at(index)
	if n.witness == nil {
		return
	}
	t := n.tableAt(table)
	if n.skips {
		if check := checkSkips.Load(); check != nil {
			(*check)(n.sql, strings.Clone(textAt(table)), t.Number != 0)
		}
	}
	if t.Number != 0 {
		n.add(t, &changedRow{tls: tls, at: at, op: op, old: old, new: changed})
	}
}

// tableAt returns how to record the rows of the table whose name is at an address
// of SQLite's memory. A name stays where it is until definitions change; the
// running statement is compiled again then.
func (n *changedRows) tableAt(name uintptr) store.Noted {
	s := n.running
	if s == nil {
		return n.table(textAt(name))
	}
	if n.recorded(s); s.noted.name != name {
		s.noted.name, s.noted.table = name, n.table(textAt(name))
	}
	return s.noted.table
}

// checkSkips is the function of CheckSkips, nil for none.
var checkSkips atomic.Pointer[func(sql, table string, recorded bool)]

// CheckSkips is for tests. Until stop is called all rows are observed, and f is
// called for each row of a statement whose rows are otherwise not observed.
func CheckSkips(f func(sql, table string, recorded bool)) (stop func()) {
	checkSkips.Store(&f)
	return func() { checkSkips.Store(nil) }
}

// textAt returns a text in SQLite's memory, without a copy.
func textAt(at uintptr) string {
	length := 0
	for *(*byte)(unsafe.Add(nil, at+uintptr(length))) != 0 {
		length++
	}
	return unsafe.String((*byte)(unsafe.Add(nil, at)), length)
}

// changedRow is a row that is about to change. It is valid while noteRow runs.
type changedRow struct {
	tls      *libc.TLS
	at       uintptr // of the connection
	op       int32
	old, new int64 // SQLite's row ids
}

// oldKey and newKey return a hash of the first columns of the row.
func (r *changedRow) oldKey(columns int) int64 { return r.key(columns, sqlite3.Xsqlite3_preupdate_old) }
func (r *changedRow) newKey(columns int) int64 { return r.key(columns, sqlite3.Xsqlite3_preupdate_new) }

func (r *changedRow) key(columns int, read func(*libc.TLS, uintptr, int32, uintptr) int32) int64 {
	h := store.NewKeyHash()
	place := r.tls.Alloc(8)
	defer r.tls.Free(8)
	for i := range columns {
		if read(r.tls, r.at, int32(i), place) != sqlite3.SQLITE_OK {
			break // out of memory, so the statement fails
		}
		v := *(*uintptr)(unsafe.Add(nil, place))
		switch sqlite3.Xsqlite3_value_type(r.tls, v) {
		case sqlite3.SQLITE_INTEGER:
			h.Int(int64(sqlite3.Xsqlite3_value_int64(r.tls, v)))
		case sqlite3.SQLITE_FLOAT:
			h.Float(float64(sqlite3.Xsqlite3_value_double(r.tls, v)))
		case sqlite3.SQLITE_TEXT:
			text := sqlite3.Xsqlite3_value_text(r.tls, v)
			h.Text(unsafe.String((*byte)(unsafe.Add(nil, text)), sqlite3.Xsqlite3_value_bytes(r.tls, v)))
		case sqlite3.SQLITE_BLOB:
			blob := sqlite3.Xsqlite3_value_blob(r.tls, v)
			h.Text(unsafe.String((*byte)(unsafe.Add(nil, blob)), sqlite3.Xsqlite3_value_bytes(r.tls, v)))
		default:
			h.Null()
		}
	}
	return h.Sum()
}
