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
	calmLooks   = 3 // consecutive checks without a connection to accept
	// mostArrival bounds the wait for a client that sends the header of a request
	// slowly.
	mostArrival = 100 * time.Millisecond
)

// Arrived waits until each request that the system had received at the call has
// reached its environment (httpkit.Reached) or has been answered, or ctx ends. So
// a request is not overlooked because the program has not read it yet. Where the
// system does not report what it has received, Arrived does not wait.
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
			calm = 0 // the last accepted connections may not be listed yet
		}
		if !wait() {
			return
		}
	}
	for behind := s.behind(nil); len(behind) > 0 && wait(); {
		behind = s.behind(behind)
	}
}

// knock reports whether a connection is waiting to be accepted.
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

// behind returns the connections with a received request that has not reached its
// environment, each with the number of requests before it. Given an earlier
// result, it returns only connections that are still at the same request.
func (s *Connections) behind(before map[*Conn]int64) map[*Conn]int64 {
	out := map[*Conn]int64{}
	type awaiting struct { // a connection that is blocked in a read
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

// rawOf returns the underlying connection of the system, nil for none.
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
