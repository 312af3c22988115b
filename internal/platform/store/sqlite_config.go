package store

import (
	"fmt"
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
	tls := libc.NewTLS()
	defer tls.Close()
	const numbers, size = 2, 8
	args := libc.Xmalloc(tls, numbers*size)
	if args == 0 {
		return fmt.Errorf("configure SQLite: out of memory")
	}
	defer libc.Xfree(tls, args)
	rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_LOOKASIDE, libc.VaList(args, int32(lookasideSlot), int32(lookasideSlots)))
	if rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("configure SQLite: lookaside: code %d", rc)
	}
	return nil
})
