package native

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// CountLog disables the automatic checkpoints of the connection: LogPages then
// returns the length of the log, and the caller runs checkpoints.
func CountLog(c *Conn) error {
	if c.logged != 0 {
		return nil
	}
	var err error
	if c.logged, err = c.allocate(int(unsafe.Sizeof(int32(0)))); err != nil {
		return err
	}
	*(*int32)(address(c.logged)) = 0
	// A function pointer in C is what the function value in Go points to.
	sqlite3.Xsqlite3_wal_hook(c.tls, c.handle, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr, uintptr, uintptr, int32) int32
	}{setLogged})), c.logged)
	return nil
}

// setLogged is SQLite's callback after a commit.
func setLogged(_ *libc.TLS, at, _, _ uintptr, pages int32) int32 {
	*(*int32)(address(at)) = pages
	return sqlite3.SQLITE_OK
}

// LogPages returns the number of pages in the log after the last commit of a
// connection that CountLog was called for; 0 before its first commit.
func LogPages(c *Conn) int {
	if c.logged == 0 {
		return 0
	}
	return int(*(*int32)(address(c.logged)))
}
