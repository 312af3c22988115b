package sqlite

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// The number and size of slots that a connection has for small, short-lived
// memory: 16 KiB instead of the default of 64 KiB, since each of several hundred
// worlds has a connection or two, most of them for a few requests.
const lookasideSlot, lookasideSlots = 1200, 6

// configure makes the settings for all connections of the process. It must run
// before the first is opened.
var configure = sync.OnceValue(func() error {
	err := setting("lookaside", func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_LOOKASIDE, libc.VaList(args, int32(lookasideSlot), int32(lookasideSlots)))
	})
	if err != nil {
		return err
	}
	if err := countRealPages(); err != nil {
		return err
	}
	return separatePageCaches()
})

// setting calls a function of SQLite that makes a setting with two arguments,
// which are at args. It returns an error that contains name.
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

// leaveLog configures a connection to keep the log when it is closed, even if it
// is the last one. By default SQLite then runs a checkpoint, which waits for the
// disk twice and changes a file that may have other names.
func leaveLog(handle uintptr) error {
	return enable("leave the log", handle, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
}

// lighten disables two features that a connection with one user does not need:
// the lock around each call, and preparing a statement again when the planner
// might choose another plan for a bound value.
func lighten(handle uintptr) error {
	if err := enable("stable plans", handle, sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG); err != nil {
		return err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	db := (*sqlite3.Tsqlite3)(unsafe.Add(nil, handle)) // the memory is not Go's
	sqlite3.Xsqlite3_mutex_free(tls, db.Fmutex)
	db.Fmutex = 0
	return nil
}

func enable(name string, handle uintptr, option int32) error {
	return setting(name, func(tls *libc.TLS, args uintptr) int32 {
		return sqlite3.Xsqlite3_db_config(tls, handle, option, libc.VaList(args, int32(1), uintptr(0)))
	})
}
