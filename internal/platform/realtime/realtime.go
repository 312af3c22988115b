// Package realtime sends committed events to connected clients, over Socket.IO
// (long polling and WebSocket). The service decides who may connect, in which
// rooms a client is, and what a room receives; the package knows no service.
//
// One goroutine does what decides about what a client sees, in the order of
// commits: it adds clients, moves members and sends events. It waits for no
// client: one that does not read is disconnected.
package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zishang520/socket.io/servers/socket/v3"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/outbox"
)

const (
	// queueSize is how many steps may wait. When more would, all clients are
	// disconnected: they connect again and read what they missed.
	queueSize = 1 << 14
	// recheckEvery is how often the hub checks whether clients may still be
	// connected, because a token can expire. It also checks when a service asks.
	recheckEvery = 30 * time.Second
	// endTime is how long Close waits for clients to receive the disconnection.
	endTime = 500 * time.Millisecond
	// admitTries bounds how often the rooms of an entering client are read
	// again because members moved meanwhile.
	admitTries = 10

	maxMessage = 64 << 10 // bytes of what a client sends; clients have nothing to say here
)

// Client is who is connected.
type Client struct {
	Subject string // the same for all connections of one user
	Grant   any    // the service's: what this connection may see
	Unseen  bool   // it does not count for Present
}

// Emission is one event for those in some rooms.
type Emission struct {
	Rooms   []string
	Name    string
	Payload json.RawMessage
}

// Rules are the decisions of a service about its clients.
type Rules struct {
	Service string
	// Admit returns who a token belongs to, or a refusal, whose text is shown to the client.
	Admit func(ctx context.Context, token string) (Client, error)
	// Rooms returns the rooms that a client is in when it connects.
	Rooms func(ctx context.Context, c Client) ([]string, error)
	// Emissions returns what to send about an event, and to which rooms.
	Emissions func(e outbox.Event) []Emission
	// Present, if set, is called when the first connection of a client was let
	// in, and when the last one has ended. It must not wait.
	Present func(c Client, in bool)
	// Ended is published when some may not be connected any more.
	Ended bus.Topic
}

// Hub serves the clients of one service in one environment. It makes its
// server when the first client comes.
type Hub struct {
	rules  Rules
	log    *slog.Logger
	unhook []func()

	once    sync.Once
	server  *socket.Server
	handler http.Handler
	steps   chan func()
	done    chan struct{}
	closing sync.Once
	active  atomic.Int64 // clients, those who are just coming included
	lost    atomic.Bool  // a step found no place in the queue
	ended   atomic.Bool  // some may not be connected any more

	// Of the steps' goroutine alone.
	bySubject map[string]map[*connection]bool
	moves     atomic.Uint64
}

// New returns a hub that listens to committed events.
func New(rules Rules, b *bus.Bus, log *slog.Logger) *Hub {
	h := &Hub{rules: rules, log: log, done: make(chan struct{}), bySubject: map[string]map[*connection]bool{}}
	h.unhook = append(h.unhook, b.Subscribe(outbox.Appended, func(m any) {
		if h.active.Load() == 0 {
			return
		}
		if e, ok := m.(outbox.Event); ok && e.Service == rules.Service {
			h.step(func() { h.tell(e) })
		}
	}), b.Subscribe(rules.Ended, func(any) {
		if h.active.Load() == 0 {
			return
		}
		h.ended.Store(true)
		h.step(func() {
			if h.ended.Swap(false) { // once for all that ended meanwhile
				h.recheck()
			}
		})
	}))
	return h
}

// ServeHTTP answers a request of a Socket.IO client.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-h.done:
		http.Error(w, "closing", http.StatusServiceUnavailable)
		return
	default:
	}
	h.once.Do(h.open)
	g := &gate{w, make(chan struct{})}
	defer close(g.over)
	h.handler.ServeHTTP(g, r)
}

func (h *Hub) open() {
	h.steps = make(chan func(), queueSize)
	opts := socket.DefaultServerOptions()
	opts.SetServeClient(false)
	opts.SetMaxHttpBufferSize(maxMessage)
	h.server = socket.NewServer(nil, opts)
	h.server.Use(h.admit)
	h.handler = h.server.ServeHandler(nil)
	cleanOnce(h.server.Engine())
	go h.run()
}

// step queues something to be done in order; it never waits.
func (h *Hub) step(f func()) {
	select {
	case h.steps <- f:
	default:
		h.lost.Store(true)
	}
}

func (h *Hub) run() {
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for {
		select {
		case f := <-h.steps:
			f()
			if h.lost.CompareAndSwap(true, false) {
				h.log.Warn("realtime events fell behind; all clients were disconnected")
				h.server.DisconnectSockets(true)
			}
		case <-tick.C:
			h.recheck()
		case <-h.done:
			h.end()
			return
		}
	}
}

// end disconnects the clients, and then closes the connections that are left.
func (h *Hub) end() {
	h.server.DisconnectSockets(true)
	for wait := time.After(endTime); h.active.Load() > 0; {
		select {
		case f := <-h.steps: // who leaves now
			f()
			continue
		case <-wait:
		case <-time.After(5 * time.Millisecond):
			continue
		}
		break
	}
	h.server.Close(nil)
}

func (h *Hub) tell(e outbox.Event) {
	for _, m := range h.rules.Emissions(e) {
		rooms := make([]socket.Room, len(m.Rooms))
		for i, r := range m.Rooms {
			rooms[i] = socket.Room(r)
		}
		if err := h.server.To(rooms...).Emit(m.Name, text{m.Payload}); err != nil {
			h.log.Error("a realtime event could not be sent", "event", m.Name, "error", err)
		}
	}
}

// Moved notes that a user has joined rooms or left them; rooms is asked for
// each connection of the user.
func (h *Hub) Moved(subject string, in bool, rooms func(grant any) []string) {
	if h.active.Load() == 0 {
		return
	}
	h.step(func() {
		h.moves.Add(1)
		for c := range h.bySubject[subject] {
			for _, room := range rooms(c.Grant) {
				if in {
					c.socket.Join(socket.Room(room))
				} else {
					c.socket.Leave(socket.Room(room))
				}
			}
		}
	})
}

// Send sends an event to the connections of one user, after what was queued before.
func (h *Hub) Send(subject, name string, payload json.RawMessage) {
	if h.active.Load() == 0 {
		return
	}
	h.step(func() {
		for c := range h.bySubject[subject] {
			if err := c.socket.Emit(name, text{payload}); err != nil {
				h.log.Error("a realtime event could not be sent", "event", name, "error", err)
			}
		}
	})
}

// Active returns how many clients there are.
func (h *Hub) Active() int { return int(h.active.Load()) }

// Close ends all connections.
func (h *Hub) Close() {
	for _, unhook := range h.unhook {
		unhook()
	}
	h.closing.Do(func() { close(h.done) })
}

// text is JSON that is sent as it is.
type text struct{ raw json.RawMessage }

// MarshalJSON returns the text as it is.
func (t text) MarshalJSON() ([]byte, error) { return t.raw, nil }
