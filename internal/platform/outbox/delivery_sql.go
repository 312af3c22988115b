package outbox

import (
	"math"
	"strings"

	"understudy/internal/platform/store"
)

const deliveryColumns = `d.id, d.service, d.destination, d.note, d.status, d.tries, d.attempts, d.queued, d.due, d.reason, d.fault`

func deliveryFields(d *Delivery) []any {
	return []any{&d.ID, &d.Service, &d.Destination, &d.Note, &d.Status, &d.Tries, &d.Attempts, &d.Queued, &d.Due, &d.Reason, &d.Fault}
}

// storeOutcome stores the outcome of an attempt. If the delivery was queued again
// meanwhile, it only adds the attempt.
func storeOutcome(tx *store.Tx, r *result) error {
	for _, a := range r.made() {
		_, err := tx.Exec(`INSERT INTO outbox_attempt (delivery, number, at, url, outcome, status, took, error, reply)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, r.delivery.ID, a.Number, a.At, a.URL, a.Outcome, a.Status,
			a.Took.Microseconds(), a.Error, cleanText(a.Reply))
		if err != nil {
			return err
		}
	}
	d := r.delivery
	d.Status, d.Tries, d.Attempts, d.Due, d.Reason, d.Fault = r.status, r.tries, r.attempts, r.due, r.reason, r.fault
	kept, err := upsertDelivery(tx, &d)
	if err == nil && !kept {
		_, err = tx.Exec(`UPDATE outbox_delivery SET attempts = ? WHERE id = ? AND attempts < ?`, d.Attempts, d.ID, d.Attempts)
	}
	return err
}

// upsertDelivery stores the state of a delivery, unless it has ended or was
// queued again.
func upsertDelivery(tx *store.Tx, d *Delivery) (kept bool, err error) {
	n, err := tx.Exec(`INSERT INTO outbox_delivery (id, service, destination, note, status, tries, attempts, queued, due, reason, fault)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status, tries = excluded.tries,
		attempts = excluded.attempts, due = excluded.due, reason = excluded.reason, fault = excluded.fault
		WHERE outbox_delivery.status = 'pending' AND outbox_delivery.queued = excluded.queued`,
		d.ID, d.Service, d.Destination, d.Note, d.Status, d.Tries, d.Attempts, d.Queued, d.Due, d.Reason, d.Fault)
	return n > 0, err
}

// cleanText removes what the databases cannot store.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// requeue queues a delivery again, even if its status is just changing: the time
// at which it was queued distinguishes its rounds.
func requeue(tx *store.Tx, d Delivery, at int64) error {
	if _, err := tx.Get(`SELECT queued FROM outbox_delivery WHERE id = ?`+tx.Dialect().ForUpdate, []any{d.ID}, &d.Queued); err != nil {
		return err
	}
	queued := max(at, d.Queued+1)
	again := func() (bool, error) {
		n, err := tx.Exec(`UPDATE outbox_delivery SET status = 'pending', tries = 0, queued = ?, due = ?, reason = '' WHERE id = ?`, queued, at, d.ID)
		return n > 0, err
	}
	if done, err := again(); err != nil || done {
		return err
	}
	d.Status, d.Tries, d.Queued, d.Due, d.Reason = Pending, 0, queued, at, ""
	kept, err := upsertDelivery(tx, &d)
	if err == nil && !kept { // on PostgreSQL its outcome may just have been stored
		_, err = again()
	}
	return err
}

// chunk is how many events a list scans at a time.
const chunk = 200

// listDeliveries returns the newest deliveries that match a filter.
func listDeliveries(tx *store.Tx, f Filter) (out []Detail, err error) {
	newest := int64(math.MaxInt64)
	if f.Before > 0 {
		newest = f.Before >> placeBits
	}
	for {
		where, args := "e.seq <= ?", []any{newest}
		if f.Service != "" {
			where, args = where+" AND e.service = ?", append(args, f.Service)
		}
		found, err := details(tx, where+" ORDER BY e.seq DESC LIMIT ?", append(args, chunk))
		if err != nil {
			return nil, err
		}
		for _, x := range found.list {
			if f.passes(&x.Delivery) {
				out = append(out, x)
			}
			if len(out) == f.Limit {
				break
			}
		}
		if len(out) == f.Limit || found.events < chunk {
			return out, addAttempts(tx, out)
		}
		newest = found.oldest - 1
	}
}

func (f Filter) passes(d *Delivery) bool {
	return (f.Destination == "" || d.Destination == f.Destination) && (f.Status == "" || d.Status == f.Status) &&
		(f.Before == 0 || d.ID < f.Before)
}

// oneDelivery returns a delivery, or an empty list.
func oneDelivery(tx *store.Tx, id int64) (out []Detail, err error) {
	found, err := details(tx, "e.seq = ?", []any{id >> placeBits})
	for _, x := range found.list {
		if x.ID == id {
			out = append(out, x)
		}
	}
	if err != nil {
		return nil, err
	}
	return out, addAttempts(tx, out)
}

// detailed is the deliveries of some events, newest first.
type detailed struct {
	list   []Detail
	events int
	oldest int64
}

// details returns the deliveries of those events that have any.
func details(tx *store.Tx, where string, args []any) (out detailed, err error) {
	err = tx.Each(`SELECT `+eventColumns+`, e.targets FROM outbox_event e WHERE e.told > 0 AND `+where, args, func(r store.Row) error {
		var text string
		e, err := scanEvent(r, &text)
		if err != nil {
			return err
		}
		t := queued{e.Seq, e.Service, e.Key, e.At, nil}
		if t.targets, err = parseTargets(text); err != nil {
			return err
		}
		for i := len(t.targets) - 1; i >= 0; i-- {
			out.list = append(out.list, Detail{Delivery: t.delivery(i), Event: e})
		}
		out.events++
		out.oldest = e.Seq
		return nil
	})
	if err != nil || len(out.list) == 0 {
		return out, err
	}
	known := map[int64]Delivery{}
	err = tx.Each(`SELECT `+deliveryColumns+` FROM outbox_delivery d WHERE d.id >= ? AND d.id <= ?`,
		[]any{out.list[len(out.list)-1].ID, out.list[0].ID}, func(r store.Row) error {
			var d Delivery
			err := r.Scan(deliveryFields(&d)...)
			known[d.ID] = d
			return err
		})
	for i := range out.list {
		x := &out.list[i]
		if d, ok := known[x.ID]; ok {
			d.key = x.key
			x.Delivery = d
		}
	}
	return out, err
}

func addAttempts(tx *store.Tx, list []Detail) (err error) {
	for i := range list {
		if list[i].Tried, err = attemptsOf(tx, list[i].ID); err != nil {
			return err
		}
	}
	return nil
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
