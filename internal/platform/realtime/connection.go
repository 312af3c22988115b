package realtime

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/zishang520/socket.io/parsers/engine/v3/packet"
	"github.com/zishang520/socket.io/servers/socket/v3"

	"understudy/internal/platform/fault"
)

// The bounds of what a client has not read yet: a client beyond them is
// disconnected.
const (
	maxLag      = 2000    // packets
	maxLagBytes = 4 << 20 // their size
)

// connection is a client with its socket.
type connection struct {
	Client
	token  string
	socket *socket.Socket
	gone   atomic.Bool
}

// admit accepts a client, or rejects it with the reason as connect_error.
func (h *Hub) admit(s *socket.Socket, next func(*socket.ExtendedError)) {
	c := &connection{token: tokenOf(s.Handshake()), socket: s}
	h.active.Add(1)
	_ = s.On("disconnect", func(...any) { h.leave(c) })
	_ = s.Conn().On("close", func(...any) { h.leave(c) })
	h.watch(s)
	go func() {
		var err error
		if c.Client, err = h.rules.Admit(context.Background(), c.token); err != nil {
			h.refuse(c, err, next)
			return
		}
		h.enter(c, 0, next)
	}()
}

func (h *Hub) refuse(c *connection, err error, next func(*socket.ExtendedError)) {
	h.leave(c)
	next(socket.NewExtendedError(h.reason(err), nil))
}

// leave unregisters a client, once.
func (h *Hub) leave(c *connection) {
	if c.gone.CompareAndSwap(false, true) {
		h.active.Add(-1)
		h.step(func() { h.forget(c) })
	}
}

// reason returns the body of connect_error for a rejected client.
func (h *Hub) reason(err error) string {
	if e, ok := fault.As(err); ok {
		return string(e.Reason)
	}
	h.log.Error("a realtime client was refused, because its check failed", "error", err)
	return "internal_error"
}

// enter adds a client to its rooms and connects it, in one step. If members have
// moved since the rooms were read, it reads them again.
func (h *Hub) enter(c *connection, try int, next func(*socket.ExtendedError)) {
	moves := h.moves.Load()
	rooms, err := h.rules.Rooms(context.Background(), c.Client)
	if err != nil {
		h.refuse(c, err, next)
		return
	}
	h.step(func() {
		if h.moves.Load() != moves && try < admitTries {
			go h.enter(c, try+1, next)
			return
		}
		for _, r := range rooms {
			c.socket.Join(socket.Room(r))
		}
		if h.bySubject[c.Subject] == nil {
			h.bySubject[c.Subject] = map[*connection]bool{}
		}
		before := h.isSeen(c.Subject)
		h.bySubject[c.Subject][c] = true
		if h.isSeen(c.Subject) != before {
			h.present(c.Client, true)
		}
		if c.gone.Load() {
			h.forget(c)
		}
		next(nil)
	})
}

func (h *Hub) forget(c *connection) {
	if !h.bySubject[c.Subject][c] {
		return // already rejected or unregistered
	}
	before := h.isSeen(c.Subject)
	delete(h.bySubject[c.Subject], c)
	if h.isSeen(c.Subject) != before {
		h.present(c.Client, false)
	}
	if len(h.bySubject[c.Subject]) == 0 {
		delete(h.bySubject, c.Subject)
	}
}

// isSeen reports whether a user has a connection that counts for Present.
func (h *Hub) isSeen(subject string) bool {
	for c := range h.bySubject[subject] {
		if !c.Unseen {
			return true
		}
	}
	return false
}

func (h *Hub) present(c Client, in bool) {
	if h.rules.Present != nil {
		h.rules.Present(c, in)
	}
}

// recheck disconnects clients whose token was revoked or whose session has ended.
func (h *Hub) recheck() {
	var all []*connection
	for _, list := range h.bySubject {
		for c := range list {
			if c.gone.Load() { // the queue was full when it should have been unregistered
				h.forget(c)
				continue
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return
	}
	go func() {
		for _, c := range all {
			_, err := h.rules.Admit(context.Background(), c.token)
			if e, ok := fault.As(err); ok && e.Kind == fault.Unauthenticated {
				c.socket.Disconnect(true)
			}
		}
	}()
}

// watch disconnects a client that does not read what it receives.
func (h *Hub) watch(s *socket.Socket) {
	var lag, bytes atomic.Int64
	var cut atomic.Bool
	conn := s.Conn()
	_ = conn.On("packetCreate", func(args ...any) {
		n, b := lag.Add(1), bytes.Add(sizeOf(args))
		if (n > maxLag || n > 1 && b > maxLagBytes) && cut.CompareAndSwap(false, true) {
			h.log.Info("a realtime client that does not read was disconnected", "packets", n)
			go conn.Close(true)
		}
	})
	_ = conn.On("flush", func(args ...any) {
		if len(args) == 0 {
			return
		}
		if sent, ok := args[0].([]*packet.Packet); ok {
			lag.Add(-int64(len(sent)))
			for _, p := range sent {
				bytes.Add(-sizeOf([]any{p}))
			}
		}
	})
}

func sizeOf(args []any) int64 {
	if len(args) == 0 {
		return 0
	}
	p, ok := args[0].(*packet.Packet)
	if !ok {
		return 0
	}
	if l, ok := p.Data.(interface{ Len() int }); ok {
		return int64(l.Len())
	}
	return 0
}

// tokenOf returns the token in the handshake's auth, or the bearer token of the
// request.
func tokenOf(h *socket.Handshake) string {
	if t, ok := h.Auth["token"].(string); ok && t != "" {
		return strings.TrimPrefix(t, "Bearer ")
	}
	scheme, token, ok := strings.Cut(h.Headers.Header().Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
