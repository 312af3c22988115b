package outbox

import (
	"cmp"
	"math"
	"slices"

	"understudy/internal/platform/store"
)

// listEvents returns the newest events that pass a filter, with their deliveries.
func listEvents(tx *store.Tx, f EventFilter) (out []EventDetail, err error) {
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	where, args := `e.seq < ?`, []any{f.Before}
	add := func(condition string, value any) {
		where, args = where+" AND "+condition, append(args, value)
	}
	if f.Service != "" {
		add("e.service = ?", f.Service)
	}
	if f.Type != "" {
		add("e.type = ?", f.Type)
	}
	if f.After > 0 {
		add("e.seq > ?", f.After)
	}
	if f.Cause > 0 {
		add("e.cause_seq = ?", f.Cause)
	}
	places := map[int64]int{}
	err = tx.Each(`SELECT `+eventColumns+` FROM outbox_event e WHERE `+where+` ORDER BY e.seq DESC LIMIT ?`, append(args, f.Limit), func(r store.Row) error {
		e, err := scanEvent(r)
		places[e.Seq] = len(out)
		out = append(out, EventDetail{Event: e, Deliveries: []Delivery{}})
		return err
	})
	if err != nil || len(out) == 0 {
		return out, err
	}
	found, err := details(tx, "e.seq >= ? AND e.seq <= ? ORDER BY e.seq DESC", []any{out[len(out)-1].Seq, out[0].Seq})
	for _, d := range slices.Backward(found.list) {
		if at, ok := places[d.Delivery.Seq()]; ok {
			out[at].Deliveries = append(out[at].Deliveries, d.Delivery)
		}
	}
	return out, err
}

// eventBytes is about what an event or a delivery takes without its payload.
const eventBytes = 200

// eventsOf returns the events that requests have caused.
func eventsOf(tx *store.Tx, causes []int64, full func(bytes int) error) ([]Caused, error) {
	if len(causes) == 0 {
		return nil, nil
	}
	list := make([]Caused, 0, len(causes))
	found := map[int64]*Delivery{}
	from, to := int64(math.MaxInt64), int64(0) // ids of deliveries
	var e Caused
	var q queued
	var text string
	err := tx.Each(`SELECT e.seq, e.service, e.type, e.key, e.at, e.cause_seq, CASE WHEN e.told > 0 THEN e.targets ELSE '' END FROM outbox_event e
		WHERE e.cause_seq >= ? AND e.cause_seq <= ? ORDER BY e.seq`, []any{causes[0], causes[len(causes)-1]}, func(r store.Row) error {
		if err := r.Scan(&e.Seq, &e.Service, &e.Type, &e.Key, &q.at, &e.Cause, &text); err != nil {
			return err
		}
		if _, asked := slices.BinarySearch(causes, e.Cause); !asked {
			return nil
		}
		e.Deliveries, q.seq, q.service, q.key, q.targets = nil, e.Seq, e.Service, e.Key, nil
		if text != "" {
			var err error
			if q.targets, err = parseTargets(text); err != nil {
				return err
			}
		}
		if len(q.targets) > 0 {
			e.Deliveries = make([]Delivery, len(q.targets))
		}
		for i := range q.targets {
			e.Deliveries[i] = q.delivery(i)
			found[e.Deliveries[i].ID] = &e.Deliveries[i]
			from, to = min(from, e.Deliveries[i].ID), max(to, e.Deliveries[i].ID)
		}
		list = append(list, e)
		return full(eventBytes * (1 + len(q.targets)))
	})
	byCause := func(a, b Caused) int { return cmp.Compare(a.Cause, b.Cause) }
	if !slices.IsSortedFunc(list, byCause) { // requests at a time
		slices.SortStableFunc(list, byCause)
	}
	if err != nil || len(found) == 0 {
		return list, err
	}
	err = tx.Each(`SELECT `+deliveryColumns+` FROM outbox_delivery d WHERE d.id >= ? AND d.id <= ?`, []any{from, to}, func(r store.Row) error {
		var d Delivery
		if err := r.Scan(deliveryFields(&d)...); err != nil {
			return err
		}
		if known := found[d.ID]; known != nil {
			d.key = known.key
			*known = d
		}
		return nil
	})
	return list, err
}

// countByCause returns the events of some requests and their deliveries, by request.
func countByCause(tx *store.Tx, requests []int64) (map[int64]Consequences, error) {
	out, args := map[int64]Consequences{}, make([]any, len(requests))
	for i, seq := range requests {
		args[i] = seq
	}
	err := tx.Each(`SELECT cause_seq, COUNT(*), SUM(told) FROM outbox_event WHERE cause_seq IN `+store.In(len(requests))+` GROUP BY cause_seq`,
		args, func(r store.Row) error {
			var seq int64
			var t Consequences
			err := r.Scan(&seq, &t.Events, &t.Deliveries)
			out[seq] = t
			return err
		})
	return out, err
}
