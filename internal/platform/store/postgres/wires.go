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

// wires are the network connections of the pool. If the server hangs, cut ends
// the waits for replies on them.
type wires struct {
	mu   sync.Mutex
	open map[*wire]bool
}

type wire struct {
	net.Conn
	wires *wires
	// committing is true while the reply to a COMMIT is awaited. Only that reply
	// shows the outcome of the transaction, so cut leaves the connection alone.
	committing atomic.Bool
}

// dialer returns a dial function that registers each connection.
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

// Close closes the connection and removes it from the list.
func (w *wire) Close() error {
	w.wires.mu.Lock()
	delete(w.wires.open, w)
	w.wires.mu.Unlock()
	return w.Conn.Close()
}

// cut ends all waits for replies except those to commits. Idle connections turn
// out to be broken at their next use.
func (s *wires) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.open {
		if !w.committing.Load() {
			_ = w.SetDeadline(clock.Real().Add(-time.Second))
		}
	}
}

// wireOf returns the wire of a connection; nil for none.
func wireOf(conn *pgx.Conn) *wire {
	c := conn.PgConn().Conn()
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	w, _ := c.(*wire)
	return w
}
