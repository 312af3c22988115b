package outbox

import (
	"cmp"
	"math"
	"slices"

	"understudy/internal/platform/store"
)

// undelivered is the name of the mark before which every event with pending
// deliveries has a row in outbox_delivery.
const undelivered = "undelivered"

const none int64 = math.MaxInt64

// slack is how many events back a new one may still appear: on PostgreSQL a
// transaction with a smaller number may commit after one with a larger.
const slack = 1000

// firstUndelivered returns the first event that may have pending deliveries, or
// none, the largest number.
func firstUndelivered(tx *store.Tx) (int64, error) {
	seq := none
	_, err := tx.Get(`SELECT seq FROM outbox_state WHERE name = ?`, []any{undelivered}, &seq)
	return seq, err
}

func setFirstUndelivered(tx *store.Tx, seq int64) error {
	_, err := tx.Exec(`INSERT INTO outbox_state (name, seq) VALUES (?, ?) ON CONFLICT DO NOTHING`, undelivered, seq)
	return err
}

// clearFirstUndelivered stores that nothing is pending, unless an event after the
// event offered is. On PostgreSQL it waits for transactions that are appending
// events.
func clearFirstUndelivered(tx *store.Tx, offered int64) error {
	if lock := tx.Dialect().Pick("", "LOCK TABLE outbox_event IN SHARE MODE"); lock != "" {
		if _, err := tx.Exec(lock); err != nil {
			return err
		}
		offered -= slack
	}
	_, err := tx.Exec(`DELETE FROM outbox_state WHERE name = ? AND NOT EXISTS (SELECT 1 FROM outbox_event e WHERE e.seq > ?
		AND e.told > (SELECT count(*) FROM outbox_delivery d WHERE d.id >= e.seq * 1048576 AND d.id < (e.seq + 1) * 1048576))`,
		undelivered, offered)
	return err
}

func newestEvent(tx *store.Tx) (seq int64, err error) {
	_, err = tx.Get(`SELECT seq FROM outbox_event ORDER BY seq DESC LIMIT 1`, nil, &seq)
	return seq, err
}

const queuedColumns = `e.seq, e.service, e.key, e.at, e.targets`

func scanQueued(r store.Row) (t queued, err error) {
	var text string
	if err = r.Scan(&t.seq, &t.service, &t.key, &t.at, &text); err == nil {
		t.targets, err = parseTargets(text)
	}
	return t, err
}

// addresses returns the destinations that may have pending deliveries, from an
// event on.
func addresses(tx *store.Tx, since int64) ([]address, error) {
	found := map[address]bool{}
	err := tx.Each(`SELECT DISTINCT service, destination FROM outbox_delivery WHERE status = 'pending'`, nil, func(r store.Row) error {
		var a address
		err := r.Scan(&a.service, &a.destination)
		found[a] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	err = tx.Each(`SELECT `+queuedColumns+` FROM outbox_event e WHERE e.seq >= ? AND e.told > (SELECT count(*) FROM outbox_delivery d
		WHERE d.id >= e.seq * 1048576 AND d.id < (e.seq + 1) * 1048576)`, []any{since}, func(r store.Row) error {
		t, err := scanQueued(r)
		for _, to := range t.targets {
			found[address{t.service, to.Destination}] = true
		}
		return err
	})
	out := make([]address, 0, len(found))
	for a := range found {
		out = append(out, a)
	}
	return out, err
}

// nextDue returns when the next delivery is due, 0 for one that was never tried,
// and whether there is one. since is the first event that may be pending.
func nextDue(tx *store.Tx, since int64) (due int64, waiting bool, err error) {
	var one int64
	waiting, err = tx.Get(`SELECT 1 FROM outbox_event e WHERE e.seq >= ? AND e.told > (SELECT count(*) FROM outbox_delivery d
		WHERE d.id >= e.seq * 1048576 AND d.id < (e.seq + 1) * 1048576) LIMIT 1`, []any{since}, &one)
	if err != nil || waiting {
		return 0, waiting, err
	}
	waiting, err = tx.Get(`SELECT CASE WHEN tries = 0 THEN 0 ELSE due END AS next FROM outbox_delivery WHERE status = 'pending'
		ORDER BY next LIMIT 1`, nil, &due)
	return due, waiting, err
}

// pendingAfter returns pending deliveries to one destination in the order of ids:
// those above after, about limit at most, and complete up to the id upTo. more
// reports whether there may be others.
func pendingAfter(tx *store.Tx, a address, after, since int64, limit int) (out []*Delivery, upTo int64, more bool, err error) {
	upTo = none
	err = tx.Each(`SELECT `+deliveryColumns+`, e.key FROM outbox_delivery d JOIN outbox_event e ON e.seq = d.id / 1048576
		WHERE d.service = ? AND d.destination = ? AND d.status = 'pending' AND d.id > ? ORDER BY d.id LIMIT ?`,
		[]any{a.service, a.destination, after, limit}, func(r store.Row) error {
			d := &Delivery{}
			err := r.Scan(append(deliveryFields(d), &d.key)...)
			d.asked = d.Tries == 0 // otherwise there would be no row yet
			out = append(out, d)
			return err
		})
	if err != nil {
		return nil, 0, false, err
	}
	if len(out) == limit {
		upTo, more = out[limit-1].ID, true
	}
	events := 0
	err = tx.Each(`SELECT `+queuedColumns+` FROM outbox_event e
		WHERE e.seq >= ? AND e.told > 0 AND e.service = ? AND `+tx.Dialect().Pick("instr", "strpos")+`(e.targets, ?) > 0
		AND NOT EXISTS (SELECT 1 FROM outbox_delivery d WHERE d.id >= e.seq * 1048576 AND d.id < (e.seq + 1) * 1048576 AND d.destination = ?)
		ORDER BY e.seq LIMIT ?`,
		[]any{max(since, after>>placeBits), a.service, mark(a.destination), a.destination, limit}, func(r store.Row) error {
			t, err := scanQueued(r)
			if events++; events == limit {
				upTo, more = min(upTo, (t.seq+1)<<placeBits-1), true
			}
			for i, to := range t.targets {
				if d := t.delivery(i); to.Destination == a.destination && d.ID > after {
					out = append(out, &d)
				}
			}
			return err
		})
	if err != nil {
		return nil, 0, false, err
	}
	slices.SortFunc(out, func(x, y *Delivery) int { return cmp.Compare(x.ID, y.ID) })
	out = slices.DeleteFunc(out, func(d *Delivery) bool { return d.ID > upTo })
	if !more && len(out) > 0 {
		upTo = out[len(out)-1].ID
	}
	if !more && len(out) == 0 {
		upTo = after
	}
	return out, upTo, more, nil
}

// commitSlack is how far back pendingAfter must read again, in ids.
func commitSlack(tx *store.Tx) int64 {
	if tx.Dialect().Pick("", "slack") == "" {
		return 0
	}
	return slack << placeBits
}

// cancelPending cancels the pending deliveries to a destination.
func cancelPending(tx *store.Tx, a address, since int64) error {
	const chunk = 1000
	for after, more := int64(0), true; more; {
		var list []*Delivery
		var err error
		if list, after, more, err = pendingAfter(tx, a, after, since, chunk); err != nil {
			return err
		}
		for _, d := range list {
			d.Status = Cancelled
			if _, err := upsertDelivery(tx, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// countPending returns the number of pending deliveries of events from since on.
func countPending(tx *store.Tx, since int64) (n int64, err error) {
	if _, err := tx.Get(`SELECT count(*) FROM outbox_delivery WHERE status = 'pending'`, nil, &n); err != nil {
		return 0, err
	}
	var untried int64
	_, err = tx.Get(`SELECT coalesce(sum(e.told - (SELECT count(*) FROM outbox_delivery d WHERE d.id >= e.seq * 1048576 AND d.id < (e.seq + 1) * 1048576)), 0)
		FROM outbox_event e WHERE e.seq >= ? AND e.told > 0`, []any{since}, &untried)
	return n + untried, err
}
