package realtime

import (
	"bufio"
	"net"
	"net/http"
)

// gate delays reading from a WebSocket until its handshake has ended. The server
// greets a client before it registers its listeners: the reply of a fast client
// would be lost, and the client would wait for a timeout.
type gate struct {
	http.ResponseWriter
	over chan struct{}
}

// Hijack returns the connection, with reads delayed until the handshake has
// ended.
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
