package outbox

import (
	"strings"

	"understudy/internal/platform/store"
)

const deliveryColumns = `d.id, d.service, d.destination, d.note, d.status, d.tries, d.attempts, d.queued, d.due, d.reason`

func deliveryFields(d *Delivery) []any {
	return []any{&d.ID, &d.Service, &d.Destination, &d.Note, &d.Status, &d.Tries, &d.Attempts, &d.Queued, &d.Due, &d.Reason}
}

func insertDeliveries(tx *store.Tx, e *Event, targets []Target) error {
	for i, t := range targets {
		_, err := tx.Exec(`INSERT INTO outbox_delivery (id, service, destination, note, status, tries, attempts, queued, due, reason)
			VALUES (?, ?, ?, ?, 'pending', 0, 0, ?, ?, '')`, e.Seq<<placeBits|int64(i), e.Service, t.Destination, t.Note, e.At, e.At)
		if err != nil {
			return err
		}
	}
	return nil
}

// addresses gives who still waits for something.
func addresses(tx *store.Tx) (out []address, err error) {
	err = tx.Each(`SELECT DISTINCT service, destination FROM outbox_delivery WHERE status = 'pending'`, nil, func(r store.Row) error {
		var a address
		err := r.Scan(&a.service, &a.destination)
		out = append(out, a)
		return err
	})
	return out, err
}

// pendingAfter gives what waits for one destination, in order of id.
func pendingAfter(tx *store.Tx, a address, after int64, limit int) (out []*Delivery, err error) {
	err = tx.Each(`SELECT `+deliveryColumns+`, e.key FROM outbox_delivery d JOIN outbox_event e ON e.seq = d.id / 1048576
		WHERE d.service = ? AND d.destination = ? AND d.status = 'pending' AND d.id > ? ORDER BY d.id LIMIT ?`,
		[]any{a.service, a.destination, after, limit}, func(r store.Row) error {
			d := &Delivery{}
			err := r.Scan(append(deliveryFields(d), &d.key)...)
			out = append(out, d)
			return err
		})
	return out, err
}

// commitSlack is how far back pendingAfter must look again: on PostgreSQL a
// transaction with a smaller id may commit after one with a larger.
func commitSlack(tx *store.Tx) int64 {
	if tx.Dialect().Pick("", "slack") == "" {
		return 0
	}
	return 1000 << placeBits
}

// settle keeps what came of an attempt.
func settle(tx *store.Tx, r *result) error {
	if r.attempt != nil {
		a := r.attempt
		_, err := tx.Exec(`INSERT INTO outbox_attempt (delivery, number, at, url, outcome, status, took, error, reply)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, r.delivery.ID, a.Number, a.At, a.URL, a.Outcome, a.Status,
			a.Took.Microseconds(), a.Error, cleanText(a.Reply))
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(`UPDATE outbox_delivery SET status = ?, tries = ?, attempts = ?, due = ?, reason = ?
		WHERE id = ? AND status = 'pending'`, r.status, r.tries, r.attempts, r.due, r.reason, r.delivery.ID)
	return err
}

// cleanText gives what both databases take as text.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func cancelPending(tx *store.Tx, service, destination string) error {
	_, err := tx.Exec(`UPDATE outbox_delivery SET status = 'cancelled' WHERE service = ? AND destination = ? AND status = 'pending'`,
		service, destination)
	return err
}

func requeue(tx *store.Tx, id, at int64) error {
	_, err := tx.Exec(`UPDATE outbox_delivery SET status = 'pending', tries = 0, queued = ?, due = ?, reason = '' WHERE id = ?`, at, at, id)
	return err
}

func listDeliveries(tx *store.Tx, f Filter) ([]Detail, error) {
	where, args := "TRUE", []any{}
	add := func(cond string, value any, given bool) {
		if given {
			where += " AND " + cond
			args = append(args, value)
		}
	}
	add("d.service = ?", f.Service, f.Service != "")
	add("d.destination = ?", f.Destination, f.Destination != "")
	add("d.status = ?", f.Status, f.Status != "")
	add("d.id < ?", f.Before, f.Before > 0)
	return details(tx, where+" ORDER BY d.id DESC LIMIT ?", append(args, f.Limit))
}

func oneDelivery(tx *store.Tx, id int64) ([]Detail, error) {
	return details(tx, "d.id = ?", []any{id})
}

func details(tx *store.Tx, where string, args []any) ([]Detail, error) {
	var out []Detail
	err := tx.Each(`SELECT `+deliveryColumns+`, e.seq, e.service, e.tenant, e.type, e.key, e.payload, e.at, e.request_id
		FROM outbox_delivery d JOIN outbox_event e ON e.seq = d.id / 1048576 WHERE `+where, args, func(r store.Row) error {
		var x Detail
		var payload []byte
		e := &x.Event
		err := r.Scan(append(deliveryFields(&x.Delivery), &e.Seq, &e.Service, &e.Tenant, &e.Type, &e.Key, &payload, &e.At, &e.RequestID)...)
		e.Payload, x.key = payload, e.Key
		out = append(out, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Tried, err = attemptsOf(tx, out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func attemptsOf(tx *store.Tx, id int64) (out []Attempt, err error) {
	err = tx.Each(`SELECT number, at, url, outcome, status, took, error, reply FROM outbox_attempt WHERE delivery = ? ORDER BY number`,
		[]any{id}, func(r store.Row) error {
			var a Attempt
			var took int64
			err := r.Scan(&a.Number, &a.At, &a.URL, &a.Outcome, &a.Status, &took, &a.Error, &a.Reply)
			a.Took = micros(took)
			out = append(out, a)
			return err
		})
	return out, err
}
