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

// writeSize bounds what is written at once: a client that takes that much in StallTime makes progress.
const writeSize = 256 << 10

// Conn is a connection of a client.
type Conn struct {
	net.Conn
	set *Connections
	// reads and writes count the beginnings and ends of operations: an odd
	// number is that of the one under way.
	reads, writes atomic.Int64
	// awaitsBody is true while a request is answered whose body has not arrived.
	awaitsBody atomic.Bool
	inside     atomic.Pointer[string] // the environment of the request that is answered
	atStart    atomic.Bool            // what is read next begins a request
	reached    atomic.Bool            // the request that was read last counts as under way
	answered   atomic.Int64           // how many requests have done so
	broken     atomic.Bool            // the path of the request holds a broken percent escape, which was replaced

	// What only the one who reads uses: what was read of a request behind the
	// present one, and how much of that one's body was not read yet. A read ends
	// where a request ends, so that the next one is looked at when its turn comes.
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
	end := int64(n) // of the request in what was read
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

// Write writes p, at most writeSize at once.
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

// Close closes the connection and forgets it.
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

// State is the ConnState of such a server.
func State(c net.Conn, state http.ConnState) {
	if conn, ok := c.(*Conn); ok && state == http.StateIdle {
		conn.awaitsBody.Store(false)
		conn.reached.Store(false)
		conn.atStart.Store(true)
	}
}

// Enter notes that a request is inside an environment, until the returned function is called.
func Enter(r *http.Request, env *string) (leave func()) {
	conn, ok := r.Context().Value(connKey{}).(*Conn)
	if !ok {
		return func() {}
	}
	conn.inside.Store(env)
	return conn.leave
}

func (c *Conn) leave() { c.inside.Store(nil) }

// begin notes that a request is being answered, and that its body may still have to arrive.
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

// reach notes that the request that was read last counts as under way.
func (c *Conn) reach() {
	c.reached.Store(true)
	c.answered.Add(1)
}

// body notes when all of it has arrived.
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
