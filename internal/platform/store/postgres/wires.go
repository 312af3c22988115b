package postgres

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy/internal/platform/clock"
)

// wires are the network connections of the pool. When the server hangs, what
// waits for a reply on them is ended by cut.
type wires struct {
	mu   sync.Mutex
	open map[*wire]bool
}

type wire struct {
	net.Conn
	wires *wires
	// committing is true while the reply to a COMMIT is awaited: only that
	// reply shows what became of the transaction, so cut leaves the connection
	// alone.
	committing atomic.Bool
}

// dialer returns dial with each connection registered.
func (s *wires) dialer(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w := &wire{Conn: c, wires: s}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open == nil {
			s.open = map[*wire]bool{}
		}
		s.open[w] = true
		return w, nil
	}
}

// Close closes the connection and forgets it.
func (w *wire) Close() error {
	w.wires.mu.Lock()
	delete(w.wires.open, w)
	w.wires.mu.Unlock()
	return w.Conn.Close()
}

// cut ends all waits for replies except those for commits. Connections that
// wait for nothing are found to be broken when they are used next.
func (s *wires) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.open {
		if !w.committing.Load() {
			_ = w.SetDeadline(clock.Real().Add(-time.Second))
		}
	}
}

// wireOf returns the wire of a connection, nil where it has none.
func wireOf(conn *pgx.Conn) *wire {
	c := conn.PgConn().Conn()
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	w, _ := c.(*wire)
	return w
}
