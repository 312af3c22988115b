// Package native runs statements on a connection of the SQLite driver by calling
// SQLite's own functions.
//
// The driver copies each argument and each column, looks up the names of all
// parameters and columns for each run of a statement, and returns values as
// interfaces. That takes as long as a short statement itself (decision 0105). The
// driver still opens, configures and closes the connection.
package native

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// Conn is a connection of the driver. It is not safe for concurrent use.
type Conn struct {
	tls    *libc.TLS
	handle uintptr
	out    uintptr // room for two addresses that SQLite returns
	logged uintptr // the number of pages in the log; 0 unless CountLog was called

	room arguments // for the arguments of one running statement
	read int64     // bytes of texts and blobs scanned
}

var errNoHandle = errors.New("this version of the SQLite driver keeps its handle elsewhere")

// Of returns a connection of the driver. The caller must call Close before it
// closes the driver's connection.
func Of(conn driver.Conn) (*Conn, error) {
	v := reflect.Indirect(reflect.ValueOf(conn))
	if v.Kind() != reflect.Struct {
		return nil, errNoHandle
	}
	handle, tls := v.FieldByName("db"), v.FieldByName("tls")
	if handle.Kind() != reflect.Uintptr || handle.Uint() == 0 || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() || tls.IsNil() {
		return nil, errNoHandle
	}
	c := &Conn{tls: (*libc.TLS)(tls.UnsafePointer()), handle: uintptr(handle.Uint())}
	var err error
	c.out, err = c.allocate(2 * int(unsafe.Sizeof(uintptr(0))))
	return c, err
}

// Handle returns SQLite's own handle of the connection.
func (c *Conn) Handle() uintptr { return c.handle }

// File returns the address of SQLite's structure for the open file of a connection; 0 if
// there is none.
func File(c *Conn) uintptr {
	*(*uintptr)(address(c.out)) = 0
	if sqlite3.Xsqlite3_file_control(c.tls, c.handle, 0, sqlite3.SQLITE_FCNTL_FILE_POINTER, c.out) != sqlite3.SQLITE_OK {
		return 0
	}
	return *(*uintptr)(address(c.out))
}

// ReadFile reads the file of a connection at an offset, without a lock and without the log.
func ReadFile(c *Conn, b []byte, offset int64) error {
	at := File(c)
	if at == 0 {
		return errors.New("SQLite: the connection has no file")
	}
	room, err := c.allocate(len(b))
	if err != nil {
		return err
	}
	defer c.free(room)
	read := (*sqlite3.Tsqlite3_io_methods)(address((*sqlite3.Tsqlite3_file)(address(at)).FpMethods)).FxRead
	// A function pointer in C is what the function value in Go points to.
	rc := (*(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(unsafe.Pointer(&struct{ uintptr }{read})))(c.tls, at, room, int32(len(b)), offset)
	copy(b, memory(room, len(b)))
	return c.check(rc)
}

// Read returns the number of bytes of texts and blobs scanned.
func (c *Conn) Read() int64 { return c.read }

// Close frees the memory of arguments. All statements must be closed.
func (c *Conn) Close() {
	c.room.free(c)
	c.free(c.out)
	if c.logged != 0 {
		sqlite3.Xsqlite3_wal_hook(c.tls, c.handle, 0, 0)
		c.free(c.logged)
	}
	c.out, c.logged = 0, 0
}

func (c *Conn) allocate(n int) (uintptr, error) {
	p := libc.Xmalloc(c.tls, types.Size_t(n))
	if p == 0 {
		return 0, fmt.Errorf("SQLite: no memory for %d bytes", n)
	}
	return p, nil
}

func (c *Conn) free(p uintptr) {
	if p != 0 {
		libc.Xfree(c.tls, p)
	}
}

// address returns a pointer into SQLite's memory, which Go's collector neither
// moves nor frees.
func address(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// memory returns n bytes of SQLite's memory.
func memory(p uintptr, n int) []byte { return unsafe.Slice((*byte)(address(p)), n) }

// Prepare compiles a statement. It returns an error for a text with several.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	text, err := c.allocate(len(sql) + 1)
	if err != nil {
		return nil, err
	}
	defer c.free(text)
	b := memory(text, len(sql)+1)
	copy(b, sql)
	b[len(sql)] = 0
	tail := c.out + unsafe.Sizeof(uintptr(0))
	// Persistent statements do not use the few slots for short-lived memory.
	if rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.handle, text, int32(len(b)), sqlite3.SQLITE_PREPARE_PERSISTENT, c.out, tail); rc != sqlite3.SQLITE_OK {
		return nil, c.errorOf(rc)
	}
	s := &Stmt{conn: c, handle: *(*uintptr)(address(c.out))}
	rest := sql[min(len(sql), int(*(*uintptr)(address(tail))-text)):]
	if s.handle == 0 || strings.TrimSpace(rest) != "" {
		return nil, errors.Join(fmt.Errorf("one statement is expected, not %.120q", sql), s.Close())
	}
	s.params = int(sqlite3.Xsqlite3_bind_parameter_count(c.tls, s.handle))
	s.columns = int(sqlite3.Xsqlite3_column_count(c.tls, s.handle))
	return s, nil
}

// Release frees the memory of cached pages that no statement needs.
func (c *Conn) Release() { sqlite3.Xsqlite3_db_release_memory(c.tls, c.handle) }

// Rests reports whether no transaction is open.
func (c *Conn) Rests() bool {
	return sqlite3.Xsqlite3_txn_state(c.tls, c.handle, 0) == sqlite3.SQLITE_TXN_NONE
}

// Writes reports whether a transaction is open that has written or reserved the
// write lock.
func (c *Conn) Writes() bool {
	return sqlite3.Xsqlite3_txn_state(c.tls, c.handle, 0) == sqlite3.SQLITE_TXN_WRITE
}

// InUse reports whether a statement is not closed. SQLite then frees a connection
// that is closed with the last statement.
func (c *Conn) InUse() bool { return sqlite3.Xsqlite3_next_stmt(c.tls, c.handle, 0) != 0 }

// OnChange sets the function that SQLite calls for each row that a connection is about to
// change, and its first argument; 0 for none.
func OnChange(c *Conn, function, argument uintptr) {
	sqlite3.Xsqlite3_preupdate_hook(c.tls, c.handle, function, argument)
}

// OnCompile sets the function that SQLite calls for each thing that a statement will do
// when a connection compiles it, and its first argument; 0 for none. Prepared statements are
// compiled again.
func OnCompile(c *Conn, function, argument uintptr) {
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.handle, function, argument)
}

// Changes returns the number of rows that the last writing statement changed.
func (c *Conn) Changes() int64 { return int64(sqlite3.Xsqlite3_changes(c.tls, c.handle)) }

// LastInsertID returns the key of the last inserted row.
func (c *Conn) LastInsertID() int64 {
	return int64(sqlite3.Xsqlite3_last_insert_rowid(c.tls, c.handle))
}

// Error is an error of SQLite.
type Error struct {
	text string
	code int
}

// Error implements error.
func (e *Error) Error() string { return e.text }

// Code returns SQLite's extended code.
func (e *Error) Code() int { return e.code }

// check returns the error for the result code of a call.
func (c *Conn) check(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	return c.errorOf(rc)
}

// errorOf returns the error of a call that has failed.
func (c *Conn) errorOf(rc int32) error {
	kind := libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))
	if text := libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.handle)); text != kind {
		kind += ": " + text
	}
	return &Error{fmt.Sprintf("%s (%d)", kind, rc), int(rc)}
}
