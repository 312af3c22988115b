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

// The errors of this package.
var (
	// Gone is returned by Render when the destination was removed or disabled.
	Gone = fault.New(fault.NotFound, "destination_gone", "The destination of this delivery no longer exists.")
	// NotFound is an unknown delivery.
	NotFound = fault.New(fault.NotFound, "delivery_not_found", "There is no delivery with this id.")
)

// Dialect defines how a service's events are delivered.
type Dialect struct {
	// Render returns the request for the next attempt. It returns Gone.
	Render func(ctx context.Context, d Delivery, e Event) (outbound.Request, error)
	// Final reports whether a failed reply forbids retries.
	Final func(outbound.Reply) bool
	// Finished is called when a delivery has succeeded or was given up.
	Finished func(ctx context.Context, destination string, delivered bool)
	// Retries are the delays before each retry, counted from the previous failure.
	Retries []time.Duration
}

// Status is the state of a delivery.
type Status string

// The states of a delivery.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"    // given up after the last retry
	Cancelled Status = "cancelled" // its destination was removed first
)

// Delivery is the delivery of an event to a destination.
type Delivery struct {
	ID          int64
	Service     string
	Destination string
	Note        string
	Status      Status
	Tries       int    // attempts since it was queued
	Attempts    int    // in total, including replays
	Queued      int64  // microseconds
	Due         int64  // microseconds; time of the next attempt
	Reason      string // outcome of the last failed attempt

	Fault string // the last effect of a fault rule: its id, a blank and the effect; "" for none

	met   bool       // fault rules have already delayed it
	owed  *inject.Do // their effect when it is due; nil for none
	key   string     // of its event
	asked bool       // a replay was requested
	event *Event     // kept until the first try; nil when it must be read
}

// Attempt is one delivery attempt.
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

// placeBits is the number of low bits of a delivery's id that hold the number of
// its target.
const placeBits = 20

// Seq returns the event that is delivered.
func (d *Delivery) Seq() int64 { return d.ID >> placeBits }

// PublicID returns the id in the form of the admin plane.
func (d *Delivery) PublicID() string { return "dlv_" + strconv.FormatInt(d.ID, 36) }

// ParseID parses a public id. It returns NotFound.
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

// Cancel cancels the pending deliveries to a destination, in the transaction that
// removes it.
func (o *Outbox) Cancel(tx *store.Tx, service, destination string) error {
	return cancelPending(tx, address{service, destination}, o.since.Load())
}

// Filter selects deliveries in a list; zero fields select all.
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
	// Request is the request of the next attempt, or nil.
	Request *outbound.Request
}

// List returns deliveries, newest first, without Request.
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
// Gone if its destination was removed.
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
