// Package realtime sends committed events to connected clients, over Socket.IO
// (long polling and WebSocket). The service decides who may connect, in which
// rooms a client is, and what a room receives.
//
// One goroutine executes everything that decides what a client sees, in the order
// of commits: adding clients, moving members and sending events. It never waits
// for a client: one that does not read is disconnected.
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
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbox"
)

const (
	// queueSize is how many steps may wait. When the queue is full, all clients are
	// disconnected: they reconnect and read what they missed.
	queueSize = 1 << 14
	// recheckEvery is how often the hub checks that clients may still be connected,
	// because tokens expire. It also checks when Ended is published.
	recheckEvery = 30 * time.Second
	// endTime is how long Close waits for clients to receive the disconnection.
	endTime = 500 * time.Millisecond
	// admitTries is how often the rooms of an entering client are read again because
	// members have moved.
	admitTries = 10

	maxMessage = 64 << 10 // bytes of a client's message; clients only need to send little
)

// Client is the user of a connection.
type Client struct {
	Subject string // the same for all connections of one user
	Grant   any    // data of the service: what this connection may see
	Unseen  bool   // it does not count for Present
}

// Emission is one event for the clients in some rooms.
type Emission struct {
	Rooms   []string
	Name    string
	Payload json.RawMessage
}

// Rules are the decisions of a service about its clients.
type Rules struct {
	Service string
	// Admit returns the client of a token, or an error whose text is sent to the
	// client.
	Admit func(ctx context.Context, token string) (Client, error)
	// Rooms returns the initial rooms of a client.
	Rooms func(ctx context.Context, c Client) ([]string, error)
	// Emissions returns what to send for an event, and to which rooms.
	Emissions func(e outbox.Event) []Emission
	// Present is called when the first connection of a client is admitted, and when
	// the last one has ended. It may be nil, and must not block.
	Present func(c Client, in bool)
	// Ended is the topic for sessions and tokens that have ended.
	Ended bus.Topic
}

// Hub serves the clients of one service in one environment. It creates its server
// for the first client.
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
	active  atomic.Int64 // clients, including those that are connecting
	lost    atomic.Bool  // the queue was full
	ended   atomic.Bool  // tokens or sessions have ended

	// Used only by the goroutine that runs the steps.
	bySubject map[string]map[*connection]bool
	moves     atomic.Uint64
}

// New returns a hub that subscribes to committed events.
func New(rules Rules, b *bus.Bus, log *slog.Logger) *Hub {
	h := &Hub{rules: rules, log: log, done: make(chan struct{}), bySubject: map[string]map[*connection]bool{}}
	h.unhook = append(h.unhook, b.Subscribe(outbox.Appended, func(m any) {
		if h.active.Load() == 0 {
			return
		}
		if e, ok := m.(*outbox.Event); ok && e.Service == rules.Service {
			h.step(func() { h.tell(*e) })
		}
	}), b.Subscribe(rules.Ended, func(any) {
		if h.active.Load() == 0 {
			return
		}
		h.ended.Store(true)
		h.step(func() {
			if h.ended.Swap(false) { // once for all that have ended
				h.recheck()
			}
		})
	}))
	return h
}

// ServeHTTP serves a request of a Socket.IO client.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-h.done:
		http.Error(w, "closing", http.StatusServiceUnavailable)
		return
	default:
	}
	h.once.Do(h.open)
	if wrong := h.refusal(w, r); wrong != nil {
		httpkit.WriteJSON(w, http.StatusBadRequest, wrong)
		return
	}
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

// step queues a function to run in order; it never blocks.
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

// end disconnects the clients, and then closes the remaining connections.
func (h *Hub) end() {
	h.server.DisconnectSockets(true)
	for wait := time.After(endTime); h.active.Load() > 0; {
		select {
		case f := <-h.steps: // clients that leave now
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

// Moved adds a user's connections to rooms, or removes them; rooms returns the
// rooms for each connection.
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

// Send sends an event to the connections of one user, after all queued steps. If
// only is not nil, it selects the connections by their grants.
func (h *Hub) Send(subject, name string, payload json.RawMessage, only func(grant any) bool) {
	if h.active.Load() == 0 {
		return
	}
	h.step(func() {
		for c := range h.bySubject[subject] {
			if only != nil && !only(c.Grant) {
				continue
			}
			if err := c.socket.Emit(name, text{payload}); err != nil {
				h.log.Error("a realtime event could not be sent", "event", name, "error", err)
			}
		}
	})
}

// Active returns the number of clients.
func (h *Hub) Active() int { return int(h.active.Load()) }

// Close ends all connections.
func (h *Hub) Close() {
	for _, unhook := range h.unhook {
		unhook()
	}
	h.closing.Do(func() { close(h.done) })
}

// text is raw JSON.
type text struct{ raw json.RawMessage }

// MarshalJSON returns the raw JSON.
func (t text) MarshalJSON() ([]byte, error) { return t.raw, nil }
