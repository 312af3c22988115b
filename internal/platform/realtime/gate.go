package realtime

import (
	"bufio"
	"net"
	"net/http"
)

// gate keeps a WebSocket from being read before its handshake is over. The
// server greets a client while it still makes what listens to it: one that
// answers at once would not be heard, and wait for the end of a timeout.
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
