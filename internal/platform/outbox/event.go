package outbox

import (
	"context"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// EventFilter selects events in a list; zero fields select all.
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

// TooManyEvents is returned by EventsOf when more events are stored than it
// scans.
var TooManyEvents = fault.New(fault.Unprocessable, "too_many_events", "There are too many events to look through.")

// Caused is an event caused by a request, without its payload.
type Caused struct {
	Seq, Cause         int64
	Service, Type, Key string
	Deliveries         []Delivery
}

// Bytes returns the approximate size of the event with its deliveries.
func (e *Caused) Bytes() int { return eventBytes * (1 + len(e.Deliveries)) }

// EventsOf returns the events that requests caused, in the order of the requests
// and then of the events. causes are the sorted numbers of the requests. full is
// called with the approximate size of each event; its error ends the search. It
// returns TooManyEvents.
func EventsOf(ctx context.Context, o *Outbox, causes []int64, full func(bytes int) error) (out []Caused, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = eventsOf(ctx, tx, causes, mostStretches, full)
		return err
	})
	return out, err
}

// Consequences is the number of events that a request caused, and of their
// deliveries.
type Consequences struct{ Events, Deliveries int }

// CountByCause returns the consequences of requests, without those that caused
// nothing.
func CountByCause(ctx context.Context, o *Outbox, requests []int64) (out map[int64]Consequences, err error) {
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		out, err = countByCause(tx, requests)
		return err
	})
	return out, err
}
