package sqlite

import (
	"fmt"
	"sync"
	"unsafe"

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
	err := setting("lookaside", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_LOOKASIDE, libc.VaList(args, int32(lookasideSlot), int32(lookasideSlots)))
	})
	if err != nil {
		return err
	}
	return separatePageCaches()
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

// leaveLog sets a connection to leave the log as it is when it is closed, even
// when it is the last. Otherwise SQLite writes the log back then, which waits for
// the disk twice and changes a file that may have other names.
func leaveLog(handle uintptr) error {
	return enable("leave the log", handle, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
}

// lighten turns off two things that a connection with one user does not need:
// the lock around each call, and preparing a statement again when the planner
// might choose another plan for a bound value.
func lighten(handle uintptr) error {
	if err := enable("stable plans", handle, sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG); err != nil {
		return err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	db := (*sqlite3.Tsqlite3)(unsafe.Add(nil, handle)) // not memory of Go
	sqlite3.Xsqlite3_mutex_free(tls, db.Fmutex)
	db.Fmutex = 0
	return nil
}

func enable(name string, handle uintptr, option int32) error {
	return setting(name, func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_db_config(tls, handle, option, libc.VaList(args, int32(1), uintptr(0)))
	})
}
