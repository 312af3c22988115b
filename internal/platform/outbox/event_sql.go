package outbox

import (
	"math"
	"slices"

	"understudy/internal/platform/store"
)

// listEvents returns the newest events that match a filter, with their
// deliveries.
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
