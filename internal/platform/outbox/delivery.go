package outbox

import (
	"context"
	"strconv"
	"time"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/store"
)

// The refusals of this package.
var (
	// Gone is what Render returns when the destination was removed or switched
	// off.
	Gone = fault.New(fault.NotFound, "destination_gone", "The destination of this delivery no longer exists.")
	// NotFound is an unknown delivery.
	NotFound = fault.New(fault.NotFound, "delivery_not_found", "There is no delivery with this id.")
)

// Dialect is how a service has its events delivered.
type Dialect struct {
	// Render returns the request for the next attempt. It returns Gone.
	Render func(ctx context.Context, d Delivery, e Event) (outbound.Request, error)
	// Final reports whether a reply that refuses also forbids to try again.
	Final func(outbound.Reply) bool
	// Finished is called for each delivery that has ended: delivered, or given
	// up.
	Finished func(ctx context.Context, destination string, delivered bool)
	// Retries are the delays before each further attempt, counted from the
	// failure of the one before.
	Retries []time.Duration
}

// Status is how far a delivery has come.
type Status string

// The states of a delivery.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"    // given up after the last retry
	Cancelled Status = "cancelled" // its destination went away first
)

// Delivery is an event on its way to a destination.
type Delivery struct {
	ID          int64
	Service     string
	Destination string
	Note        string
	Status      Status
	Tries       int    // attempts since it was queued
	Attempts    int    // in all, replays included
	Queued      int64  // microseconds
	Due         int64  // microseconds; when the next attempt is to be made
	Reason      string // outcome of the last failed attempt

	Fault string // what a fault rule did to it last: its id, a blank and what; "" for nothing

	met   bool       // fault rules have put it off already
	owed  *inject.Do // what they do when its time has come; nil for nothing
	key   string     // of its event
	asked bool       // somebody has asked for it again
	event *Event     // until the first try, of one that was just committed; nil when it must be read
}

// Attempt is one try to deliver.
type Attempt struct {
	Number  int
	At      int64 // microseconds on the environment's clock
	URL     string
	Outcome outbound.Outcome
	Status  int
	Took    time.Duration
	Error   string
	Reply   string // the first 64 KiB, without secrets
}

// placeBits is the number of bits of a delivery's id that number the targets of
// one event.
const placeBits = 20

// Seq returns the event that is delivered.
func (d *Delivery) Seq() int64 { return d.ID >> placeBits }

// PublicID is the id as the admin plane shows it.
func (d *Delivery) PublicID() string { return "dlv_" + strconv.FormatInt(d.ID, 36) }

// ParseID reads a public id. It returns NotFound.
func ParseID(text string) (int64, error) {
	if len(text) < 5 || text[:4] != "dlv_" {
		return 0, NotFound
	}
	id, err := strconv.ParseInt(text[4:], 36, 64)
	if err != nil {
		return 0, NotFound
	}
	return id, nil
}

// Cancel ends what is still pending for a destination, in the transaction that removes it.
func (o *Outbox) Cancel(tx *store.Tx, service, destination string) error {
	return cancelPending(tx, address{service, destination}, o.since.Load())
}

// Filter narrows a listing of deliveries; zero fields do not.
type Filter struct {
	Service     string
	Destination string
	Status      Status
	Before      int64 // only deliveries with a smaller id
	Limit       int
}

// Detail is a delivery with its event and its attempts.
type Detail struct {
	Delivery
	Event Event
	Tried []Attempt
	// Request is what the next attempt would send, or nil.
	Request *outbound.Request
}

// List returns deliveries, newest first, without what a request would hold.
func (o *Outbox) List(ctx context.Context, f Filter) (out []Detail, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = listDeliveries(tx, f)
		return err
	})
	return out, err
}

// Get returns one delivery. It returns NotFound.
func (o *Outbox) Get(ctx context.Context, id int64) (Detail, error) {
	var found []Detail
	err := o.World.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = oneDelivery(tx, id)
		return err
	})
	if err != nil {
		return Detail{}, err
	}
	if len(found) == 0 {
		return Detail{}, NotFound
	}
	d := found[0]
	if dialect := o.dialects[d.Service]; dialect != nil {
		if r, err := dialect.Render(ctx, d.Delivery, d.Event); err == nil {
			d.Request = &r
		}
	}
	return d, nil
}

// Replay queues a delivery again, whatever its status. It returns NotFound, or
// Gone when its destination is.
func (o *Outbox) Replay(ctx context.Context, id int64) (Detail, error) {
	d, err := o.Get(ctx, id)
	if err != nil {
		return d, err
	}
	if d.Request == nil {
		return d, Gone
	}
	at := o.Clock.Micros()
	err = o.World.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() { o.reload(address{d.Service, d.Destination}) })
		return requeue(tx, d.Delivery, at)
	})
	if err != nil {
		return d, err
	}
	return o.Get(ctx, id)
}
