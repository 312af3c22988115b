package sqlite

import (
	"errors"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store/sqlite/native"
)

// SQLite writes each frame of the log with two system calls: for a header of 24 bytes,
// then for the page. While a commit runs, a joiner replaces functions of the log's
// file: it collects contiguous frames and writes them with one call, at the latest
// when it has the last frame of the transaction, whose header has a mark. SQLite
// shows the frames to readers and acknowledges the commit only after that, so nothing
// that is in use is ever missing in the file, and an error of a delayed write is
// returned within the commit, which then fails as after any failed write. Frames
// that are written before the commit, where a transaction has more pages than its
// cache, are not delayed: a failed statement would not undo those before it.
const (
	frameHeader  = 24
	framePage    = 4096 // frames of other sizes are not joined
	joinedFrames = 128  // the most that are written at once
	// maxJoiners is how many unused joiners are kept for the next commits of any world.
	maxJoiners = 8
)

// joiner is in SQLite's memory. It begins with the functions for a file, so that it
// is found by the address at which SQLite finds them.
type joiner struct {
	methods sqlite3.Tsqlite3_io_methods
	system  *sqlite3.Tsqlite3_io_methods // the file's own functions
	start   int64                        // where the first of parts belongs
	next    int64                        // where the part after the last one belongs
	end     int64                        // of what the commit has written so far
	marked  bool                         // the header collected last is that of the last frame
	used    int                          // of parts
	parts   [2 * joinedFrames]part       // headers and pages in turn
	headers [joinedFrames][frameHeader / 8]uint64
}

// part is what the system calls iovec. The pages are SQLite's own, which does not
// change or free them until all frames of a commit are written.
type part struct{ at, size uintptr }

var joiners struct {
	mu   sync.Mutex
	idle []*joiner
}

// acquireJoiner returns nil if there is no memory.
func acquireJoiner() *joiner {
	joiners.mu.Lock()
	defer joiners.mu.Unlock()
	if n := len(joiners.idle); n > 0 {
		j := joiners.idle[n-1]
		joiners.idle = joiners.idle[:n-1]
		return j
	}
	tls := libc.NewTLS()
	defer tls.Close()
	return (*joiner)(address(libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(joiner{})))))
}

func releaseJoiner(j *joiner) {
	joiners.mu.Lock()
	defer joiners.mu.Unlock()
	if len(joiners.idle) < maxJoiners {
		joiners.idle = append(joiners.idle, j)
		return
	}
	tls := libc.NewTLS()
	defer tls.Close()
	libc.Xfree(tls, uintptr(unsafe.Pointer(j)))
}

var errNotJoined = errors.New("SQLite did not write the last frame of a commit to the log")

// commitJoined commits the transaction of a connection whose file has a log.
func commitJoined(c *conn) error {
	at := native.Log(c.db)
	if at == 0 {
		return c.run(commit)
	}
	j := acquireJoiner()
	if j == nil {
		return c.run(commit)
	}
	defer releaseJoiner(j)
	j.use(at)
	err := c.run(commit)
	j.leave(at)
	if err == nil && j.used > 0 {
		return errNotJoined
	}
	return err
}

// use replaces the functions of a file.
func (j *joiner) use(at uintptr) {
	f := unixFile(at)
	j.system, j.used, j.end = (*sqlite3.Tsqlite3_io_methods)(address(f.FpMethod)), 0, 0
	j.methods = *j.system
	write, read, truncate, sync, size := joinWrite, joinedRead, joinedTruncate, joinedSync, joinedSize
	// A function pointer in C is what the function value in Go points to.
	j.methods.FxWrite, j.methods.FxRead = *(*uintptr)(unsafe.Pointer(&write)), *(*uintptr)(unsafe.Pointer(&read))
	j.methods.FxTruncate, j.methods.FxSync = *(*uintptr)(unsafe.Pointer(&truncate)), *(*uintptr)(unsafe.Pointer(&sync))
	j.methods.FxFileSize = *(*uintptr)(unsafe.Pointer(&size))
	f.FpMethod = uintptr(unsafe.Pointer(j))
}

func (j *joiner) leave(at uintptr) {
	if f := unixFile(at); f.FpMethod == uintptr(unsafe.Pointer(j)) {
		f.FpMethod = uintptr(unsafe.Pointer(j.system))
	}
}

func joinerOf(at uintptr) *joiner { return (*joiner)(address(unixFile(at).FpMethod)) }

// joinWrite replaces SQLite's function that writes n bytes to the log.
func joinWrite(tls *libc.TLS, at, from uintptr, n int32, offset int64) int32 {
	j := joinerOf(at)
	switch waits := j.used%2 == 1; { // a header, for its page
	// A header before the end is that of a frame whose checksum is written anew. No
	// page follows it, even if it has the mark.
	case n == frameHeader && offset >= j.end && (j.used == 0 || !waits && offset == j.next):
		if j.used == 0 {
			j.start = offset
		}
		header := &j.headers[j.used/2]
		for i := range header { // SQLite uses its memory for the next one; Go 1.26 cannot compile an assignment
			header[i] = *(*uint64)(address(from + uintptr(8*i)))
		}
		j.marked = *(*uint32)(address(from + 4)) != 0
		j.collect(uintptr(unsafe.Pointer(header)), n, offset)
		return sqlite3.SQLITE_OK
	case n == framePage && waits && offset == j.next:
		j.collect(from, n, offset)
		if j.marked || j.used == len(j.parts) {
			return j.flush(tls, at)
		}
		return sqlite3.SQLITE_OK
	}
	if rc := j.flush(tls, at); rc != sqlite3.SQLITE_OK {
		return rc
	}
	j.end = max(j.end, offset+int64(n))
	return callWrite(j.system.FxWrite, tls, at, from, n, offset)
}

func (j *joiner) collect(from uintptr, n int32, offset int64) {
	j.parts[j.used] = part{from, uintptr(n)}
	j.used++
	j.next = offset + int64(n)
}

// flush writes what is collected. After an error it is dropped, and the commit fails.
func (j *joiner) flush(tls *libc.TLS, at uintptr) int32 {
	parts, size := j.parts[:j.used], j.next-j.start
	if j.used = 0; len(parts) == 0 {
		return sqlite3.SQLITE_OK
	}
	j.end = max(j.end, j.next)
	if n := writeParts(tls, unixFile(at).Fh, uintptr(unsafe.Pointer(&j.parts)), int32(len(parts)), j.start); int64(n) == size {
		return sqlite3.SQLITE_OK
	}
	offset := j.start // SQLite's function finds what is wrong, or that a part was written
	for _, p := range parts {
		if rc := callWrite(j.system.FxWrite, tls, at, p.at, int32(p.size), offset); rc != sqlite3.SQLITE_OK {
			return rc
		}
		offset += int64(p.size)
	}
	return sqlite3.SQLITE_OK
}

// writeParts writes to a place in a file. Tests replace it.
var writeParts = libc.Xpwritev

func callWrite(f uintptr, tls *libc.TLS, at, from uintptr, n int32, offset int64) int32 {
	return (*(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(unsafe.Pointer(&struct{ uintptr }{f})))(tls, at, from, n, offset)
}

// The other functions of the log's file first write what is collected, though SQLite
// calls none of them between the frames of a commit.

func joinedRead(tls *libc.TLS, at, to uintptr, n int32, offset int64) int32 {
	j := joinerOf(at)
	if rc := j.flush(tls, at); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return callWrite(j.system.FxRead, tls, at, to, n, offset) // it has the same arguments
}

func joinedTruncate(tls *libc.TLS, at uintptr, size int64) int32 {
	j := joinerOf(at)
	if rc := j.flush(tls, at); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*func(*libc.TLS, uintptr, int64) int32)(unsafe.Pointer(&struct{ uintptr }{j.system.FxTruncate})))(tls, at, size)
}

func joinedSync(tls *libc.TLS, at uintptr, flags int32) int32 {
	j := joinerOf(at)
	if rc := j.flush(tls, at); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*func(*libc.TLS, uintptr, int32) int32)(unsafe.Pointer(&struct{ uintptr }{j.system.FxSync})))(tls, at, flags)
}

func joinedSize(tls *libc.TLS, at, size uintptr) int32 {
	j := joinerOf(at)
	if rc := j.flush(tls, at); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*func(*libc.TLS, uintptr, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{j.system.FxFileSize})))(tls, at, size)
}
