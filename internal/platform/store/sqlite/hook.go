package sqlite

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

// hooks maps SQLite's handle of a connection to the notes of its changed rows.
type hooks struct {
	mu    sync.RWMutex
	notes map[uintptr]*changedRows
}

var hooked = hooks{notes: map[uintptr]*changedRows{}}

// set registers notes for the rows that a connection changes; nil unregisters. It
// replaces the driver's own hook, which copies the names of database and table
// for each row and costs more than all else that is done with a row.
func (h *hooks) set(handle uintptr, notes *changedRows) {
	tls := libc.NewTLS()
	defer tls.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if notes == nil {
		delete(h.notes, handle)
		sqlite3.Xsqlite3_preupdate_hook(tls, handle, 0, 0)
		return
	}
	h.notes[handle] = notes
	// A function pointer in C is what the function value in Go points to.
	sqlite3.Xsqlite3_preupdate_hook(tls, handle, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr, uintptr, int32, uintptr, uintptr, int64, int64)
	}{noteRow})), handle)
}

// noteRow is the callback of SQLite.
func noteRow(tls *libc.TLS, handle, at uintptr, op int32, _, table uintptr, old, changed int64) {
	hooked.mu.RLock()
	n := hooked.notes[handle]
	hooked.mu.RUnlock()
	if n == nil || n.witness == nil {
		return
	}
	if t := n.table(table); t.Number != 0 {
		n.add(t, &changedRow{tls: tls, at: at, op: op, old: old, new: changed})
	}
}

// table returns how to record the rows of the table whose name is at an address
// of SQLite's memory.
func (n *changedRows) table(at uintptr) store.Noted {
	length := 0
	for *(*byte)(unsafe.Add(nil, at+uintptr(length))) != 0 {
		length++
	}
	name := unsafe.String((*byte)(unsafe.Add(nil, at)), length)
	t, known := n.tables[name]
	if !known {
		name = string([]byte(name))
		t = n.witness.Table(name)
		n.tables[name] = t
	}
	return t
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
