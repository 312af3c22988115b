// Package outbox keeps the events of an environment: each is appended in the
// transaction of the change that it tells of, so that there is no event
// without its change and no change without its event. Webhooks and realtime
// derive from it. It knows no service; a payload is opaque to it.
package outbox

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"sync/atomic"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/obs"
	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema is what the outbox keeps in each world.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "outbox", Migrations: sub,
		Tables: map[string]store.Class{"outbox_event": store.RuntimeClass}}
}

// Appended is published after commit with an Event for each event.
const Appended bus.Topic = "outbox.appended"

// keep is how many events stay in the table; trimming runs when twice as many may be there.
const keep = 20_000

// Event is something that happened.
type Event struct {
	Seq       int64
	Service   string          // "messaging", "crm", …
	Tenant    string          // workspace, portal, organization
	Type      string          // the service's event type
	Key       string          // events of one key keep their order: a channel, a record
	Payload   json.RawMessage // the inner event as receivers see it
	At        int64           // microseconds on the environment's clock
	RequestID string          // the request that caused it
	Audience  any             // not stored: who may see it, for receivers in this process
}

// Outbox appends events to one world.
type Outbox struct {
	clock    *clock.Clock
	bus      *bus.Bus
	appended atomic.Int64
}

// New gives the outbox of an environment.
func New(c *clock.Clock, b *bus.Bus) *Outbox { return &Outbox{clock: c, bus: b} }

// Append adds an event to the transaction of its change.
func (o *Outbox) Append(ctx context.Context, tx *store.Tx, e Event) error {
	e.At, e.RequestID = o.clock.Micros(), obs.RequestID(ctx)
	if err := insert(tx, &e); err != nil {
		return err
	}
	if o.appended.Add(1)%keep == 0 {
		if err := trim(tx, e.Seq-keep); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { o.bus.Publish(Appended, e) })
	return nil
}

// Recent gives the newest events, oldest first, at most limit of them.
func (o *Outbox) Recent(tx *store.Tx, limit int) ([]Event, error) { return recent(tx, limit) }
