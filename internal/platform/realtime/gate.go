package realtime

import (
	"bufio"
	"net"
	"net/http"
)

// gate delays the reading of a WebSocket until its handshake is over. The server
// greets a client before its listeners are set up: the answer of a quick client
// would be lost, and the client would wait until a timeout.
type gate struct {
	http.ResponseWriter
	over chan struct{}
}

// Hijack returns the connection, which is not read before the handshake is over.
func (g *gate) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(g.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return &gated{c, g.over}, rw, nil
}

type gated struct {
	net.Conn
	over chan struct{}
}

// Read waits for the end of the handshake.
func (c *gated) Read(p []byte) (int, error) {
	<-c.over
	return c.Conn.Read(p)
}
