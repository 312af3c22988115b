//go:build !unix

package edge

import "syscall"

// readable returns false for each: the system is not asked.
func readable(conns []syscall.RawConn) []bool { return make([]bool, len(conns)) }
