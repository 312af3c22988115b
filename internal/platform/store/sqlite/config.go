package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A connection has slots for small, short-lived memory. By default they take
// 64 KiB of each; here each of some hundred worlds has a connection or two,
// most of them for a handful of requests. These take 16 KiB.
const lookasideSlot, lookasideSlots = 1200, 6

// configure sets what applies to all connections of the process. It must run
// before the first of them is opened.
var configure = sync.OnceValue(func() error {
	return setting("lookaside", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_LOOKASIDE, libc.VaList(args, int32(lookasideSlot), int32(lookasideSlots)))
	})
})

// setting calls a function of SQLite that sets one thing with two arguments,
// which stand at args. It returns an error that carries name.
func setting(name string, set func(tls *libc.TLS, args uintptr) int32) error {
	tls := libc.NewTLS()
	defer tls.Close()
	const arguments, size = 2, 8
	args := libc.Xmalloc(tls, arguments*size)
	if args == 0 {
		return fmt.Errorf("configure SQLite: %s: out of memory", name)
	}
	defer libc.Xfree(tls, args)
	if rc := set(tls, args); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("configure SQLite: %s: code %d", name, rc)
	}
	return nil
}

var errNoHandle = errors.New("this version of the SQLite driver keeps its handle elsewhere")

// leaveLog sets a connection to leave the log as it is when it is closed, even
// when it is the last. Otherwise SQLite writes the log back then, which waits for
// the disk twice and changes a file that may have other names. The driver has no
// setting for this, so its handle is looked up.
func leaveLog(conn driver.Conn) error {
	v := reflect.Indirect(reflect.ValueOf(conn))
	if v.Kind() != reflect.Struct {
		return errNoHandle
	}
	handle := v.FieldByName("db")
	if handle.Kind() != reflect.Uintptr {
		return errNoHandle
	}
	return setting("leave the log", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_db_config(tls, uintptr(handle.Uint()), sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
			libc.VaList(args, int32(1), uintptr(0)))
	})
}
