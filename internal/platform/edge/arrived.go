package edge

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"

	"understudy/internal/platform/clock"
)

const (
	arrivalLook = 500 * time.Microsecond
	calmLooks   = 3 // at which nothing waits to be accepted any more
	// mostArrival bounds the wait for a client that sends the head of a request bit by bit.
	mostArrival = 100 * time.Millisecond
)

// Arrived waits until each request that the system had received when it was called
// counts as under way, by httpkit.Reached, or has been answered, or ctx ends: a client
// that has ended since is not overlooked because the program has not come to read what
// it sent. Where the system does not say what it has received, it waits for none.
func (s *Connections) Arrived(ctx context.Context) {
	tick := time.NewTicker(arrivalLook)
	defer tick.Stop()
	end := clock.Real().Add(mostArrival)
	wait := func() bool {
		select {
		case <-tick.C:
			return clock.Real().Before(end)
		case <-ctx.Done():
			return false
		}
	}
	calm := calmLooks
	for calm < calmLooks || s.knock() {
		if calm++; s.knock() {
			calm = 0 // what was accepted last may not be listed yet
		}
		if !wait() {
			return
		}
	}
	for behind := s.behind(nil); len(behind) > 0 && wait(); {
		behind = s.behind(behind)
	}
}

// knock reports whether a connection waits to be accepted.
func (s *Connections) knock() bool {
	s.mu.Lock()
	at := s.listeners
	s.mu.Unlock()
	for _, ready := range readable(at) {
		if ready {
			return true
		}
	}
	return false
}

// behind returns the connections on which a request, or its beginning, has arrived
// that does not count as under way yet, with how many did before it. With those that
// were so before, it returns the ones among them that still are, with the same request.
func (s *Connections) behind(before map[*Conn]int64) map[*Conn]int64 {
	out := map[*Conn]int64{}
	type awaiting struct { // a connection that waits for its client
		*Conn
		reads int64
	}
	var waiting []awaiting
	var raw []syscall.RawConn
	for _, c := range s.list() {
		answered, reads := c.answered.Load(), c.reads.Load()
		if at, ok := before[c]; before != nil && (!ok || at != answered) || c.answering() {
			continue
		}
		if reads%2 == 0 {
			out[c] = answered
		} else if r := rawOf(c.Conn); r != nil {
			waiting, raw = append(waiting, awaiting{c, reads}), append(raw, r)
		}
	}
	for i, ready := range readable(raw) {
		if c := waiting[i]; (ready || c.reads != c.Conn.reads.Load()) && !c.answering() {
			out[c.Conn] = c.answered.Load()
		}
	}
	return out
}

// answering reports whether a request is being answered.
func (c *Conn) answering() bool { return c.reached.Load() && !c.atStart.Load() }

// rawOf returns the connection of the system, nil for none.
func rawOf(c net.Conn) syscall.RawConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if has, ok := c.(syscall.Conn); ok {
		if raw, err := has.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}
