package definitions

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// header is the number of bytes before each block of SQLite's memory. They contain
// the block's size, as SQLite's own functions store it; for a block that is part
// of a copy, the complement of the size, which is negative.
const header = 8

// Configure makes SQLite call the functions of this file for its memory. It must
// run before SQLite is used.
func Configure() error {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, types.Size_t(word))
	methods := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_mem_methods{})))
	if args == 0 || methods == 0 {
		return errors.New("configure SQLite: memory: out of memory")
	}
	defer libc.Xfree(tls, args)
	defer libc.Xfree(tls, methods)
	*(*sqlite3.Tsqlite3_mem_methods)(address(methods)) = sqlite3.Tsqlite3_mem_methods{
		FxMalloc:   pointer(allocate),
		FxFree:     pointer(free),
		FxRealloc:  pointer(reallocate),
		FxSize:     pointer(sizeOf),
		FxRoundup:  pointer(roundUp),
		FxInit:     pointer(start),
		FxShutdown: pointer(stop),
	}
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MALLOC, libc.VaList(args, methods)); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("configure SQLite: memory: code %d", rc)
	}
	return nil
}

// pointer returns a function pointer in C, which is what the function value in Go
// points to.
func pointer[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

func allocate(tls *libc.TLS, n int32) uintptr {
	p := libc.Xmalloc(tls, types.Size_t(n)+header)
	if p == 0 {
		return 0
	}
	*sizeAt(p + header) = int64(n)
	if r := recording.Load(); r != nil && r.tls == tls {
		r.add(p+header, 0, int(n))
	}
	return p + header
}

func free(tls *libc.TLS, p uintptr) {
	if *sizeAt(p) < 0 { // the copy is freed as a whole
		return
	}
	if r := recording.Load(); r != nil && r.tls == tls {
		delete(r.blocks, p)
	}
	libc.Xfree(tls, p-header)
}

func reallocate(tls *libc.TLS, p uintptr, n int32) uintptr {
	had := sizeOf(tls, p)
	if *sizeAt(p) < 0 {
		q := allocate(tls, n)
		if q != 0 {
			copy(memory(q, int(n)), memory(p, int(had)))
		}
		return q
	}
	q := libc.Xrealloc(tls, p-header, types.Size_t(n)+header)
	if q == 0 {
		return 0
	}
	q += header
	*sizeAt(q) = int64(n)
	if r := recording.Load(); r != nil && r.tls == tls {
		delete(r.blocks, p)
		r.add(q, int(had), int(n))
	}
	return q
}

func sizeOf(_ *libc.TLS, p uintptr) int32 {
	if p == 0 {
		return 0
	}
	if n := *sizeAt(p); n >= 0 {
		return int32(n)
	}
	return int32(^*sizeAt(p))
}

func roundUp(_ *libc.TLS, n int32) int32 { return (n + 7) &^ 7 }

func start(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK }

func stop(*libc.TLS, uintptr) {}

// recording notes the blocks of one thread while it is set.
var recording atomic.Pointer[recorder]

// recorder notes the blocks that one connection allocates and has not freed.
type recorder struct {
	tls    *libc.TLS
	blocks map[uintptr]int // sizes
}

// add notes a block, and clears what was not written before, so that equal
// definitions have equal bytes.
func (r *recorder) add(p uintptr, written, size int) {
	r.blocks[p] = size
	if size > written {
		clear(memory(p+uintptr(written), size-written))
	}
}

// address returns a pointer into SQLite's memory, which Go's collector neither
// moves nor frees.
func address(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// memory returns n bytes of SQLite's memory.
func memory(p uintptr, n int) []byte { return unsafe.Slice((*byte)(address(p)), n) }

func sizeAt(p uintptr) *int64 { return (*int64)(address(p - header)) }

func wordAt(p uintptr) *uintptr { return (*uintptr)(address(p)) }
