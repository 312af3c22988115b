package sqlite

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store/sqlite/native"
)

// mapFile makes a connection read its file from memory, unless the file is in
// memory already or maxMaps is reached.
//
// SQLite would map the file for each connection, and again after each write of
// another one. Here all connections share one mapping, which is longer than the
// file: what is appended can be read in it too. SQLite's structure of the open
// file refers to it, and holds how much of it may be read; that is read anew
// wherever SQLite would end its mapping, before each snapshot that differs
// from the last one. The functions by which SQLite would change a mapping
// (unfetchShared, controlShared) leave it as it is.
func mapFile(c *conn) error {
	if c.file != nil || c.mapping != nil {
		return nil
	}
	at := native.File(c.db)
	if at == 0 || !shareable(at) {
		return nil
	}
	f := unixFile(at)
	id, _, err := identify(f)
	if err != nil {
		return nil //nolint:nilerr // the file is read by system calls
	}
	one := c.share.mappings.acquire(id, int(f.Fh))
	if one == nil {
		return nil
	}
	c.mapping = one
	if err := c.runAnew(fmt.Sprintf("PRAGMA mmap_size = %d", len(one.memory))); err != nil { // makes SQLite ask for mapped pages
		return err
	}
	f.FpMethod, f.FpMapRegion = methods.shared, uintptr(unsafe.Pointer(unsafe.SliceData(one.memory)))
	f.FmmapSizeActual, f.FmmapSizeMax = int64(len(one.memory)), int64(len(one.memory))
	measure(f)
	return nil
}

// unmapFile ends the use of the mapping by a connection that is about to be closed. A
// connection with open statements may still read pages in it, so then it is never unmapped.
func unmapFile(c *conn, inUse bool) {
	if c.mapping == nil {
		return
	}
	f := unixFile(native.File(c.db)) // without a mapping, or SQLite would unmap it
	f.FpMapRegion, f.FmmapSize, f.FmmapSizeActual, f.FmmapSizeMax = 0, 0, 0, 0
	if !inUse {
		f.FpMethod = methods.system
		c.share.mappings.release(c.mapping)
	}
	c.mapping = nil
}

// methods are the addresses of the functions for files: SQLite's own, and those for
// files whose mapping is shared.
var methods struct {
	mu             sync.Mutex
	system, shared uintptr
	control        uintptr // SQLite's own function to control a file
}

// shareable reports whether a file has the functions that methods.shared replaces.
func shareable(at uintptr) bool {
	methods.mu.Lock()
	defer methods.mu.Unlock()
	its := unixFile(at).FpMethod
	if methods.shared == 0 {
		tls := libc.NewTLS()
		defer tls.Close()
		p := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		if p == 0 {
			return false
		}
		own := (*sqlite3.Tsqlite3_io_methods)(address(p))
		*own = *(*sqlite3.Tsqlite3_io_methods)(address(its))
		unfetch, control := unfetchShared, controlShared
		methods.control = own.FxFileControl
		own.FxUnfetch, own.FxFileControl = *(*uintptr)(unsafe.Pointer(&unfetch)), *(*uintptr)(unsafe.Pointer(&control))
		methods.system, methods.shared = its, p
	}
	return its == methods.system
}

// unfetchShared replaces SQLite's function that is called when a mapped page at p is
// not needed any more, and with 0 where SQLite would end its mapping.
func unfetchShared(_ *libc.TLS, at uintptr, _ int64, p uintptr) int32 {
	if f := unixFile(at); p != 0 {
		f.FnFetchOut--
	} else {
		measure(f)
	}
	return sqlite3.SQLITE_OK
}

// controlShared replaces SQLite's function to control a file. SQLite maps the file anew
// before a checkpoint that makes it longer, and when the limit of its mapping changes; it
// would unmap a part of the memory that other connections read, which is then somebody
// else's. Neither is needed: the mapping is longer than the file.
func controlShared(tls *libc.TLS, at uintptr, op int32, arg uintptr) int32 {
	switch op {
	case sqlite3.SQLITE_FCNTL_SIZE_HINT:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FCNTL_MMAP_SIZE:
		*(*int64)(address(arg)) = unixFile(at).FmmapSizeMax
		return sqlite3.SQLITE_OK
	}
	return (*(*func(*libc.TLS, uintptr, int32, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{methods.control})))(tls, at, op, arg)
}

// measure sets how much of the mapping may be read: what the file has.
func measure(f *sqlite3.TunixFile) {
	_, size, err := identify(f)
	if err != nil {
		size = 0
	}
	f.FmmapSize = min(size, f.FmmapSizeActual)
}

func identify(f *sqlite3.TunixFile) (id fileID, size int64, err error) {
	var st syscall.Stat_t
	err = syscall.Fstat(int(f.Fh), &st)
	return fileID{st.Dev, st.Ino}, st.Size, err
}

func unixFile(at uintptr) *sqlite3.TunixFile { return (*sqlite3.TunixFile)(address(at)) }

// mapped maps a file, nil if the system refuses.
func mapped(fd, n int) []byte {
	memory, err := syscall.Mmap(fd, 0, n, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return memory
}

func unmapped(memory []byte) { _ = syscall.Munmap(memory) }
