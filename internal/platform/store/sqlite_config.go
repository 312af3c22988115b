package store

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

// configure sets what holds for all connections of the process, and must come
// before the first of them.
var configure = sync.OnceValue(func() error {
	return setting("lookaside", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_LOOKASIDE, libc.VaList(args, int32(lookasideSlot), int32(lookasideSlots)))
	})
})

// setting calls a function of SQLite that takes two arguments beside the name
// of what it sets; args is room for them.
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

// keepLog has a connection leave the log as it is when it is closed, though it
// be the last. Otherwise SQLite writes it back then, which waits for the disk
// twice, and changes a file that may have other names. The driver has no setting
// for this, so its handle is looked up.
func keepLog(conn driver.Conn) error {
	v := reflect.Indirect(reflect.ValueOf(conn))
	if v.Kind() != reflect.Struct {
		return errNoHandle
	}
	handle := v.FieldByName("db")
	if handle.Kind() != reflect.Uintptr {
		return errNoHandle
	}
	return setting("keep the log", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_db_config(tls, uintptr(handle.Uint()), sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
			libc.VaList(args, int32(1), uintptr(0)))
	})
}
