package throwaway

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// The ports of test servers are below those that systems assign automatically: a
// server binds its port some time after it was chosen, and no listener or
// connection of another test may get it meanwhile. Each process starts at another
// port; test/sdk/process.mjs does the same.
const (
	firstPort = 15_000
	ports     = 16_000
	apart     = 61
)

var given atomic.Int64

// Port returns a free loopback port for a server.
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
