//go:build unix

package edge

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// readable reports for each connection or listener whether it has received
// something. It may return true for a closed one.
func readable(conns []syscall.RawConn) []bool {
	if len(conns) == 0 {
		return nil
	}
	asked := make([]unix.PollFd, len(conns))
	for i, c := range conns {
		asked[i].Fd = -1 // poll ignores it
		_ = c.Control(func(fd uintptr) { asked[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN} })
	}
	out := make([]bool, len(conns))
	_, err := unix.Poll(asked, 0)
	for err == unix.EINTR {
		_, err = unix.Poll(asked, 0)
	}
	if err != nil {
		return out
	}
	for i := range asked {
		out[i] = asked[i].Revents&unix.POLLIN != 0
	}
	return out
}
