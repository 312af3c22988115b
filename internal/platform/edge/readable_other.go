//go:build !unix

package edge

import "syscall"

// readable returns false for each connection, since this system is not queried.
func readable(conns []syscall.RawConn) []bool { return make([]bool, len(conns)) }
