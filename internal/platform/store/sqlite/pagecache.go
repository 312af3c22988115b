package sqlite

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// pageCaches is the state that the page caches of all connections share. The
// driver offers no other access; its compile-time option
// SQLITE_ENABLE_MEMORY_MANAGEMENT makes all connections use one list of pages,
// with one lock that each access to a page acquires.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches sqlite3.TPCacheGlobal

// separatePageCaches makes each connection use its own list of pages, which needs no
// lock: connections are not used concurrently. This is SQLite's behaviour without
// that option. See decision 0122.
func separatePageCaches() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if rc := sqlite3.Xsqlite3_initialize(tls); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("configure SQLite: page caches: code %d", rc)
	}
	pageCaches.FseparateCache = 1
	return nil
}
