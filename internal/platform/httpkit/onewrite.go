package httpkit

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// serverBuffer is the size of net/http's write buffer: it sends a larger reply as
// its header with the first part of the body, and then the rest. Before the header
// is known it buffers up to half of that.
const serverBuffer = 4 << 10

// OneWrite returns a listener for an http.Server with WithConn that sends replies
// that do not fit into the server's buffer in one write: each write is a system
// call and wakes the client. It has no effect on listeners other than TCP.
func OneWrite(l net.Listener) net.Listener { return oneWriteListener{l} }

type oneWriteListener struct{ net.Listener }

func (l oneWriteListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &oneWriteConn{TCPConn: tcp}, nil
	}
	return c, err
}

type connKey struct{}

// WithConn is the ConnContext of that server.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	if one, ok := c.(*oneWriteConn); ok {
		return context.WithValue(ctx, connKey{}, one)
	}
	return ctx
}

// oneWriteConn buffers the first write after holding is set, until the next write.
// It buffers no later one: a reply that is sent in parts may end with any of them.
type oneWriteConn struct {
	*net.TCPConn
	holding bool
	held    *[]byte // at most serverBuffer; nil for none
}

var heldBuffers = sync.Pool{New: func() any {
	b := make([]byte, 0, serverBuffer)
	return &b
}}

// Write sends p after the buffered bytes. The caller may change p afterwards.
func (c *oneWriteConn) Write(p []byte) (int, error) {
	hold := c.holding && len(p) <= serverBuffer
	c.holding = false
	if c.held == nil {
		if !hold {
			return c.TCPConn.Write(p)
		}
		c.held = heldBuffers.Get().(*[]byte)
		*c.held = append(*c.held, p...)
		return len(p), nil
	}
	first := len(*c.held)
	n, err := (&net.Buffers{*c.held, p}).WriteTo(c.TCPConn)
	*c.held = (*c.held)[:0]
	heldBuffers.Put(c.held)
	c.held = nil
	return max(int(n)-first, 0), err
}

// oneWriter is the writer of a reply on a oneWriteConn.
type oneWriter struct {
	http.ResponseWriter
	conn *oneWriteConn
}

// inOneWrite returns the writer for the reply to r.
func inOneWrite(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if c, ok := r.Context().Value(connKey{}).(*oneWriteConn); ok {
		return &oneWriter{w, c}
	}
	return w
}

// Write writes a part of the reply. The connection may hold what the server sends
// meanwhile: the server sends a full buffer only when more bytes follow, and sends
// these at the latest when the reply is complete or flushed.
func (w *oneWriter) Write(b []byte) (int, error) {
	w.conn.holding = len(b) > serverBuffer/2
	n, err := w.ResponseWriter.Write(b)
	w.conn.holding = false
	return n, err
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *oneWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
