package edge

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"understudy/internal/platform/httpkit"
)

// writeSize is the largest single write: a client that accepts that much within
// StallTime makes progress.
const writeSize = 256 << 10

// Conn is a connection of a client.
type Conn struct {
	net.Conn
	set *Connections
	// reads and writes are incremented at the start and end of each operation: odd
	// numbers mean that one is running.
	reads, writes atomic.Int64
	// awaitsBody is true while a request is being handled whose body has not arrived
	// completely.
	awaitsBody atomic.Bool
	inside     atomic.Pointer[string] // the environment of the current request
	atStart    atomic.Bool            // the next read begins a request
	reached    atomic.Bool            // the last request has reached its environment
	answered   atomic.Int64           // number of requests that have done so
	broken     atomic.Bool            // an invalid percent escape in the request's path was replaced

	// Only the reading goroutine uses these: bytes read beyond the current request,
	// and the unread length of its body. A read ends at the end of a request, so
	// that the next one is inspected when its turn comes.
	behind []byte
	left   int64
}

func (c *Conn) Read(p []byte) (n int, err error) {
	if len(c.behind) > 0 {
		n = copy(p, c.behind)
		c.behind = c.behind[n:]
	} else {
		c.reads.Add(1)
		n, err = c.Conn.Read(p)
		c.reads.Add(1)
	}
	if n == 0 {
		return n, err
	}
	end := int64(n) // of the current request in p
	if c.atStart.Load() {
		c.atStart.Store(false)
		c.broken.Store(mendPath(p[:n]))
		c.left = 0
		if size := requestSize(p[:n]); size > 0 {
			end, c.left = min(end, size), max(0, size-end)
		}
	} else if c.left > 0 {
		end = min(end, c.left)
		c.left -= end
	}
	if end < int64(n) {
		c.behind = append(bytes.Clone(p[end:n]), c.behind...)
		n = int(end)
	}
	return n, err
}

// Write writes p, at most writeSize at a time.
func (c *Conn) Write(p []byte) (n int, err error) {
	for {
		part := p[n:min(len(p), n+writeSize)]
		c.writes.Add(1)
		m, err := c.Conn.Write(part)
		c.writes.Add(1)
		if n += m; err != nil || n >= len(p) {
			return n, err
		}
	}
}

// Close closes and unregisters the connection.
func (c *Conn) Close() error {
	c.set.mu.Lock()
	delete(c.set.open, c)
	c.set.mu.Unlock()
	return c.Conn.Close()
}

type connKey struct{}

// WithConn is the ConnContext of a server whose listener is one of Listen.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	if conn, ok := c.(*Conn); ok {
		return httpkit.WithReached(httpkit.WithConn(context.WithValue(ctx, connKey{}, conn), conn.Conn), conn.reach)
	}
	return ctx
}

// State is the ConnState of that server.
func State(c net.Conn, state http.ConnState) {
	if conn, ok := c.(*Conn); ok && state == http.StateIdle {
		conn.awaitsBody.Store(false)
		conn.reached.Store(false)
		conn.atStart.Store(true)
	}
}

// Enter records that a request is in an environment, until leave is called.
func Enter(r *http.Request, env *string) (leave func()) {
	conn, ok := r.Context().Value(connKey{}).(*Conn)
	if !ok {
		return func() {}
	}
	conn.inside.Store(env)
	return conn.leave
}

func (c *Conn) leave() { c.inside.Store(nil) }

// begin records that a request is being handled whose body may still have to
// arrive.
func (c *Conn) begin(r *http.Request) {
	if t, ok := c.Conn.(*tls.Conn); ok {
		state := t.ConnectionState()
		r.TLS = &state
	}
	if r.Body == nil || r.Body == http.NoBody {
		c.awaitsBody.Store(false)
		return
	}
	c.awaitsBody.Store(true)
	r.Body = &body{r.Body, c}
}

// reach records that the last request has reached its environment.
func (c *Conn) reach() {
	c.reached.Store(true)
	c.answered.Add(1)
}

// body clears awaitsBody when it has been read completely.
type body struct {
	io.ReadCloser
	conn *Conn
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.conn.awaitsBody.Store(false)
	}
	return n, err
}
