package sqlite

import (
	"fmt"
	"unsafe"

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

// pendingByte is the offset of the bytes that SQLite locks in a file. The page that
// contains it is never used.
const pendingByte = 0x40000000

// renumberPage is SQLite's function that changes the number of a cached page, and
// onRenumber ours, which calls it.
var (
	renumberPage func(tls *libc.TLS, cache, page uintptr, old, now uint32)
	onRenumber   = callback(renumber)
)

// countRealPages makes page caches ignore the number that a page has while two
// pages change their numbers. That is the number of the unused page; as the largest number
// of the cache it made the next COMMIT look at all pages for those behind the end of
// the file. It must run before SQLite is initialized. See decision 0147.
func countRealPages() error {
	tls := libc.NewTLS()
	defer tls.Close()
	methods := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_pcache_methods2{})))
	if methods == 0 {
		return fmt.Errorf("configure SQLite: methods of page caches: out of memory")
	}
	defer libc.Xfree(tls, methods)
	set := func(what int32) error {
		return setting("methods of page caches", func(tls *libc.TLS, args uintptr) int32 {
			return sqlite3.Xsqlite3_config(tls, what, libc.VaList(args, methods))
		})
	}
	if err := set(sqlite3.SQLITE_CONFIG_GETPCACHE2); err != nil {
		return err
	}
	m := (*sqlite3.Tsqlite3_pcache_methods2)(address(methods))
	renumberPage = *(*func(tls *libc.TLS, cache, page uintptr, old, now uint32))(unsafe.Pointer(&struct{ f uintptr }{m.FxRekey}))
	m.FxRekey = onRenumber
	return set(sqlite3.SQLITE_CONFIG_PCACHE2)
}

// address returns a pointer into SQLite's memory, which Go's collector neither
// moves nor frees.
func address(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// renumber calls renumberPage. SQLite exchanges two pages with three calls in a row;
// after the third no page has the number of the unused page.
func renumber(tls *libc.TLS, cache, page uintptr, old, now uint32) {
	c := (*sqlite3.TPCache1)(address(cache))
	largest := c.FiMaxKey
	renumberPage(tls, cache, page, old, now)
	if largest < now && now == pendingByte/uint32(c.FszPage)+1 {
		c.FiMaxKey = largest
	}
}
