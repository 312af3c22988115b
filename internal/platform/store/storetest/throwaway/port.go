package throwaway

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// The ports of servers that tests start lie below those that systems choose for
// who asks for any: a server binds its port some time after it was chosen, and
// no listener or connection of another test may have got it meanwhile. Each
// process begins at a place of its own; test/sdk/process.mjs counts likewise.
const (
	firstPort = 15_000
	ports     = 16_000
	apart     = 61
)

var given atomic.Int64

// Port returns a loopback port on which nobody listens, for a server that is about to start.
func Port() (port int, err error) {
	for range ports {
		port = firstPort + (os.Getpid()*apart+int(given.Add(1)))%ports
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}
