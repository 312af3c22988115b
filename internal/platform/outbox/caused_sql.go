package outbox

import (
	"cmp"
	"context"
	"slices"

	"understudy/internal/platform/store"
)

// The table of events has no index by request, since every event would pay for
// it, so a search scans the stored events. A statement scans one stretch, and a
// search at most mostStretches: the number of events with pending deliveries is
// unbounded.
const (
	stretch       = 10_000
	mostStretches = 50
)

// eventBytes is the approximate size of an event or a delivery without its
// payload.
const eventBytes = 200

// eventsOf returns the events that requests caused; see EventsOf.
func eventsOf(ctx context.Context, tx *store.Tx, causes []int64, stretches int, full func(bytes int) error) ([]Caused, error) {
	if len(causes) == 0 {
		return nil, nil
	}
	s := causedSearch{tx: tx, causes: causes, full: full, list: make([]Caused, 0, len(causes))}
	for from := int64(0); ; stretches-- {
		var first int64
		found, err := tx.Get(`SELECT seq FROM outbox_event WHERE seq >= ? ORDER BY seq LIMIT 1`, []any{from}, &first)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if stretches == 0 {
			return nil, TooManyEvents
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.events(first, first+stretch-1); err != nil {
			return nil, err
		}
		from = first + stretch
	}
	byCause := func(a, b Caused) int { return cmp.Compare(a.Cause, b.Cause) }
	if !slices.IsSortedFunc(s.list, byCause) { // requests that ran concurrently
		slices.SortStableFunc(s.list, byCause)
	}
	return s.list, nil
}

// causedSearch searches for the events of some requests.
type causedSearch struct {
	tx     *store.Tx
	causes []int64
	full   func(bytes int) error
	list   []Caused
}

// events adds the events with numbers from first to last.
func (s *causedSearch) events(first, last int64) error {
	var e Caused
	var q queued
	var text string
	var service, kind store.Borrowed
	var delivered []*Caused // events with deliveries
	begin := len(s.list)
	err := s.tx.Each(`SELECT e.seq, e.cause_seq, e.service, e.type, e.key, e.at, e.targets FROM outbox_event e
		WHERE e.seq BETWEEN ? AND ? AND e.cause_seq BETWEEN ? AND ? ORDER BY e.seq`,
		[]any{first, last, s.causes[0], s.causes[len(s.causes)-1]}, func(r store.Row) error {
			if err := r.Scan(&e.Seq, &e.Cause, &service, &kind, &e.Key, &q.at, &text); err != nil {
				return err
			}
			if _, asked := slices.BinarySearch(s.causes, e.Cause); !asked {
				return nil
			}
			e.Service, e.Type = sameOr(e.Service, service), sameOr(e.Type, kind)
			e.Deliveries, q.seq, q.service, q.key, q.targets = nil, e.Seq, e.Service, e.Key, nil
			if text != "" {
				var err error
				if q.targets, err = parseTargets(text); err != nil {
					return err
				}
				e.Deliveries = make([]Delivery, len(q.targets))
			}
			for i := range q.targets {
				e.Deliveries[i] = q.delivery(i)
			}
			s.list = append(s.list, e)
			return s.full(e.Bytes())
		})
	if err != nil {
		return err
	}
	for i := range s.list[begin:] {
		if one := &s.list[begin+i]; len(one.Deliveries) > 0 {
			delivered = append(delivered, one)
		}
	}
	return s.deliveries(delivered)
}

// sameOr returns before if b is equal, which saves an allocation.
func sameOr(before string, b []byte) string {
	if string(b) == before {
		return before
	}
	return string(b)
}

// nearby is the largest distance of two events whose deliveries one statement
// reads.
const nearby = 8

// deliveries reads the states of the deliveries of events. Deliveries without a
// stored state are pending.
func (s *causedSearch) deliveries(events []*Caused) error {
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Seq-events[n-1].Seq <= nearby {
			n++
		}
		among := events[:n]
		err := s.tx.Each(`SELECT `+deliveryColumns+` FROM outbox_delivery d WHERE d.id >= ? AND d.id < ? ORDER BY d.id`,
			[]any{among[0].Seq << placeBits, (among[n-1].Seq + 1) << placeBits}, func(r store.Row) error {
				var d Delivery
				if err := r.Scan(deliveryFields(&d)...); err != nil {
					return err
				}
				for len(among) > 0 && among[0].Seq < d.Seq() {
					among = among[1:]
				}
				if place := int(d.ID & (1<<placeBits - 1)); len(among) > 0 && among[0].Seq == d.Seq() && place < len(among[0].Deliveries) {
					d.key = among[0].Key
					among[0].Deliveries[place] = d
				}
				return nil
			})
		if err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}
