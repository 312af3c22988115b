package sqlite

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// pageCaches is what the page caches of all connections share. The driver has no
// other way to it; its compile-time option SQLITE_ENABLE_MEMORY_MANAGEMENT sets it so
// that there is one list of pages, with one lock, which each access to a page takes.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches sqlite3.TPCacheGlobal

// separatePageCaches makes each connection have a list of pages of its own, which
// needs no lock: one goroutine at a time uses a connection. It is what SQLite does by
// itself without that option. See decision 0122.
func separatePageCaches() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if rc := sqlite3.Xsqlite3_initialize(tls); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("configure SQLite: page caches: code %d", rc)
	}
	pageCaches.FseparateCache = 1
	return nil
}
