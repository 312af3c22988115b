// Package edge handles what every request passes before a handler: it bounds how
// long a slow client may hold up a request, checks to which host a request is
// addressed, and decides which other sites may read replies.
package edge

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// StallTime is how long a client may send nothing of a body, or accept nothing
	// of a reply.
	StallTime = 30 * time.Second
	watchTime = time.Second
	drainTime = 20 * time.Millisecond
)

// Connections holds the open connections of all listeners. The zero value is
// empty.
type Connections struct {
	mu        sync.Mutex
	open      map[*Conn]bool
	listeners []syscall.RawConn
}

// Listen returns l with its connections registered. on is the system's listener
// from which l accepts.
func (s *Connections) Listen(l, on net.Listener) net.Listener {
	if has, ok := on.(syscall.Conn); ok {
		if raw, err := has.SyscallConn(); err == nil {
			s.mu.Lock()
			s.listeners = append(s.listeners, raw)
			s.mu.Unlock()
		}
	}
	return &listener{l, s}
}

type listener struct {
	net.Listener
	set *Connections
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn := &Conn{Conn: c, set: l.set}
	conn.atStart.Store(true)
	l.set.mu.Lock()
	defer l.set.mu.Unlock()
	if l.set.open == nil {
		l.set.open = map[*Conn]bool{}
	}
	l.set.open[conn] = true
	return conn, nil
}

func (s *Connections) list() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*Conn, 0, len(s.open))
	for c := range s.open {
		out = append(out, c)
	}
	return out
}

// Watch ends requests whose client makes no progress for StallTime, until ctx
// ends.
func (s *Connections) Watch(ctx context.Context) {
	seen := stalls{}
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			open := s.list()
			seen.forget(open)
			for _, c := range open {
				seen.end(c, StallTime)
			}
		}
	}
}

// DrainLimits is how long a drain waits for clients.
type DrainLimits struct {
	Stall time.Duration // without progress
	Total time.Duration // with progress
}

// Drain ends the waits for slow clients in requests to an environment, or with ""
// in all requests, until ctx ends. Requests that do not wait for a client
// continue.
func (s *Connections) Drain(ctx context.Context, env string, limits DrainLimits) {
	seen := stalls{}
	tick := time.NewTicker(drainTime)
	defer tick.Stop()
	for end := clock.Real().Add(limits.Total); ; {
		for _, c := range s.list() {
			if in := c.inside.Load(); env != "" && (in == nil || *in != env) {
				continue
			}
			if clock.Real().After(end) {
				seen.end(c, 0)
			} else {
				seen.end(c, limits.Stall)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// stalls holds, for each connection, since when its current operations have been
// running.
type stalls map[*Conn]*[2]stall // of reading and of writing

type stall struct {
	operation int64
	since     time.Time
}

// end fails a read of a body or write of a reply that has waited for the client
// at least for after.
func (s stalls) end(c *Conn, after time.Duration) {
	both := s[c]
	if both == nil {
		both = &[2]stall{}
		s[c] = both
	}
	past := clock.Real().Add(-time.Second)
	if both[0].lasts(c.reads.Load()) >= after && c.awaitsBody.Load() {
		_ = c.SetReadDeadline(past)
	}
	if both[1].lasts(c.writes.Load()) >= after {
		_ = c.SetWriteDeadline(past)
	}
}

// lasts returns how long an operation has been observed to run, -1 if none is
// running.
func (s *stall) lasts(operation int64) time.Duration {
	if operation%2 == 0 {
		s.operation = operation
		return -1
	}
	if s.operation != operation {
		s.operation, s.since = operation, clock.Real()
	}
	return clock.Real().Sub(s.since)
}

func (s stalls) forget(open []*Conn) {
	if len(s) < 2*len(open)+64 {
		return
	}
	still := map[*Conn]bool{}
	for _, c := range open {
		still[c] = true
	}
	for c := range s {
		if !still[c] {
			delete(s, c)
		}
	}
}
