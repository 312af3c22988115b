// Package outbox stores the events of an environment and delivers them. An event
// is appended in the transaction of its change, so that there is no event without
// its change and no change without its event. Its targets are stored in that
// transaction too; requests to them are sent afterwards and never delay the
// caller. Realtime receives committed events over the bus. Payloads are opaque to
// this package.
package outbox

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/obs"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema returns the tables of the outbox.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "outbox", Migrations: sub, Tables: map[string]store.Class{
		"outbox_event": store.RuntimeClass, "outbox_delivery": store.RuntimeClass, "outbox_attempt": store.RuntimeClass,
		"outbox_state": store.RuntimeClass}}
}

// Appended is published after commit with a *Event for each event, which
// subscribers must not change.
const Appended bus.Topic = "outbox.appended"

// Event is something that happened.
type Event struct {
	Seq       int64
	Service   string          // "messaging", "crm", …
	Tenant    string          // workspace, portal, organization
	Type      string          // the service's event type
	Key       string          // events of one key keep their order: a channel, a record
	Payload   json.RawMessage // the inner event in the receivers' form
	At        int64           // microseconds on the environment's clock
	RequestID string          // the request that caused it
	Cause     int64           // the number of that request in its environment; 0 for none
	Trace     string          // the traceparent of that request; "" for none
	Audience  Audience        // not stored
}

// Audience is which connected clients of the tenant may see an event: those that
// match all of its fields.
type Audience struct {
	Nobody bool     // no clients: the event is only for webhooks
	Place  string   // those in this place, such as a channel; "" for anywhere
	Users  []string // only these users; nil for all
	Scope  string   // only clients whose credential has this scope; "" for any
}

// Deps are the dependencies of an outbox.
type Deps struct {
	World  *store.World
	Clock  *clock.Clock
	Bus    *bus.Bus
	Client *outbound.Client // nil to deliver nothing
	Log    *slog.Logger
	Mute   bool           // deliver nothing
	Faults *inject.Faults // injected faults; nil for none
}

// Outbox appends events to one world and delivers them.
type Outbox struct {
	Deps
	dialects map[string]*Dialect

	since  atomic.Int64 // no earlier event is pending without a stored state
	marked atomic.Bool  // the database has a mark of the first event that may be pending
	left   atomic.Bool  // a courier has stopped with pending deliveries

	trimmable atomic.Int64 // the next event at which older ones than keep are removed; 0 for none

	mu       sync.Mutex
	couriers map[address]*courier
	started  bool
	stopping bool
	offered  int64 // the last event that was offered to couriers
	agenda   agenda
	running  sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc
}

// New returns the outbox of an environment. It delivers after Start.
func New(d Deps) *Outbox {
	o := &Outbox{Deps: d, dialects: map[string]*Dialect{}, couriers: map[address]*courier{}}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

// Deliver sets the dialect of a service. Call it before Start.
func (o *Outbox) Deliver(service string, d *Dialect) { o.dialects[service] = d }

// Delivers reports whether events that a service appends with ctx are delivered.
// If not, the service need not determine their targets.
func (o *Outbox) Delivers(ctx context.Context, service string) bool {
	return !o.Mute && o.dialects[service] != nil && !IsQuiet(ctx)
}

// Append adds an event to the transaction of its change, with a delivery to each
// target. It sets the event's At, RequestID, Cause and Trace. It does nothing in
// a context of Quiet.
func (o *Outbox) Append(ctx context.Context, tx *store.Tx, e Event, to ...Target) error {
	if IsQuiet(ctx) {
		return nil
	}
	e.At, e.RequestID = o.Clock.Micros(), obs.RequestID(ctx)
	if t := record.From(ctx); t != nil {
		e.Cause, e.Trace = t.Seq(), record.TraceOf(ctx).Header()
	}
	if !o.Delivers(ctx, e.Service) {
		to = nil
	}
	if newest := o.trimmable.Swap(0); newest > 0 {
		if err := trim(tx, newest); err != nil {
			return err
		}
	}
	// Stopping couriers are not woken: the next ones load what was appended
	// meanwhile.
	mark := len(to) > 0 && (!o.marked.Load() || o.isStopping())
	if err := insert(tx, &e, to, mark); err != nil {
		return err
	}
	if mark {
		if err := setFirstUndelivered(tx, max(0, e.Seq-slack)); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() {
		if e.Seq%trimEvery == 0 {
			o.trimmable.Store(e.Seq)
		}
		if len(to) > 0 {
			if !o.marked.Swap(true) {
				o.since.Store(max(0, e.Seq-slack))
			}
			o.offer(queued{e.Seq, e.Service, e.Key, e.At, to}, &e)
		}
		o.Bus.Publish(Appended, &e)
	})
	return nil
}

// LastCause returns the number of the last request that caused one of the newest
// events, 0 for none.
func (o *Outbox) LastCause(tx *store.Tx) (int64, error) { return lastCause(tx) }

// Recent returns the newest events, oldest first, at most limit.
func (o *Outbox) Recent(tx *store.Tx, limit int) ([]Event, error) { return recent(tx, limit) }
