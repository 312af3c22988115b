package outbox

import (
	"context"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// EventFilter narrows a listing of events; zero fields do not.
type EventFilter struct {
	Service string
	Type    string
	Cause   int64 // only events of this request
	Before  int64 // only events with a smaller seq
	After   int64 // only events with a larger seq
	Limit   int
}

// EventDetail is an event with its deliveries, in the order of their ids.
type EventDetail struct {
	Event
	Deliveries []Delivery
}

// Events returns events, the newest first.
func (o *Outbox) Events(ctx context.Context, f EventFilter) (out []EventDetail, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = listEvents(tx, f)
		return err
	})
	return out, err
}

// TooManyEvents is what EventsOf returns where more events are stored than it looks
// through.
var TooManyEvents = fault.New(fault.Unprocessable, "too_many_events", "There are too many events to look through.")

// Caused is an event that a request has caused, without its payload.
type Caused struct {
	Seq, Cause         int64
	Service, Type, Key string
	Deliveries         []Delivery
}

// Bytes returns about what the event takes with its deliveries.
func (e *Caused) Bytes() int { return eventBytes * (1 + len(e.Deliveries)) }

// EventsOf returns the events that requests have caused, in the order of the
// requests and then of the events. causes are the numbers of the requests, in
// order. full is called with the bytes of each event, about; an error of it ends
// the reading. It returns TooManyEvents.
func EventsOf(ctx context.Context, o *Outbox, causes []int64, full func(bytes int) error) (out []Caused, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = eventsOf(ctx, tx, causes, mostStretches, full)
		return err
	})
	return out, err
}

// Consequences counts the events that a request has caused, and their
// deliveries.
type Consequences struct{ Events, Deliveries int }

// CountByCause returns what each of some requests has caused; requests that
// caused nothing are left out.
func CountByCause(ctx context.Context, o *Outbox, requests []int64) (out map[int64]Consequences, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = countByCause(tx, requests)
		return err
	})
	return out, err
}
