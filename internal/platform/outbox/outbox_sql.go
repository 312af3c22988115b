package outbox

import (
	"slices"

	"understudy/internal/platform/store"
)

const (
	// keep is how many events remain in the table after their deliveries have ended.
	keep = 20_000
	// trimEvery is the number of events after which the oldest are removed: few at a
	// time, because this happens in a caller's transaction.
	trimEvery = 256
	// sweepEvery is the number of events after which trim also removes events that
	// were kept longer because of pending deliveries.
	sweepEvery = 64 * trimEvery
)

// insert appends an event. It sets e.Seq immediately with now, and otherwise
// before the commit.
func insert(tx *store.Tx, e *Event, to targets, now bool) (err error) {
	sql := `INSERT INTO outbox_event (service, tenant, type, key, payload, at, request_id, told, targets, cause_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	args := []any{e.Service, e.Tenant, e.Type, e.Key, []byte(e.Payload), e.At, e.RequestID, len(to), to.text(), e.Cause}
	if e.Trace != "" {
		sql = `INSERT INTO outbox_event (service, tenant, type, key, payload, at, request_id, told, targets, cause_seq, traceparent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
		args = append(args, e.Trace)
	}
	if !now {
		return tx.InsertIDLater(&e.Seq, "seq", sql, args...)
	}
	e.Seq, err = tx.InsertID("seq", sql, args...)
	return err
}

// lastCause returns the largest number of a request among the newest events.
func lastCause(tx *store.Tx) (last int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MAX(cause_seq), 0) FROM (SELECT cause_seq FROM outbox_event ORDER BY seq DESC LIMIT 100) AS e`, nil, &last)
	return last, err
}

// trim removes the oldest events with their deliveries, except those with pending
// deliveries.
func trim(tx *store.Tx, newest int64) error {
	upTo := newest - keep
	from := upTo - 2*trimEvery
	if newest%sweepEvery == 0 {
		from = 0
	}
	if _, err := tx.Exec(`DELETE FROM outbox_event WHERE seq >= ? AND seq <= ? AND (told = 0 OR told <= (SELECT count(*) FROM outbox_delivery d
		WHERE d.id >= outbox_event.seq * 1048576 AND d.id < (outbox_event.seq + 1) * 1048576 AND d.status <> 'pending'))`, from, upTo); err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM outbox_attempt WHERE delivery >= ? AND delivery < ?
			AND NOT EXISTS (SELECT 1 FROM outbox_event e WHERE e.seq = outbox_attempt.delivery / 1048576)`,
		`DELETE FROM outbox_delivery WHERE id >= ? AND id < ?
			AND NOT EXISTS (SELECT 1 FROM outbox_event e WHERE e.seq = outbox_delivery.id / 1048576)`,
	} {
		if _, err := tx.Exec(sql, from<<placeBits, (upTo+1)<<placeBits); err != nil {
			return err
		}
	}
	return nil
}

const eventColumns = `e.seq, e.service, e.tenant, e.type, e.key, e.payload, e.at, e.request_id, e.cause_seq, e.traceparent`

// scanEvent scans the columns of an event, and further ones after them.
func scanEvent(r store.Row, further ...any) (e Event, err error) {
	var payload []byte
	err = r.Scan(append([]any{&e.Seq, &e.Service, &e.Tenant, &e.Type, &e.Key, &payload, &e.At, &e.RequestID, &e.Cause, &e.Trace}, further...)...)
	e.Payload = payload
	return e, err
}

func recent(tx *store.Tx, limit int) ([]Event, error) {
	var out []Event
	err := tx.Each(`SELECT `+eventColumns+` FROM outbox_event e ORDER BY e.seq DESC LIMIT ?`, []any{limit}, func(r store.Row) error {
		e, err := scanEvent(r)
		out = append(out, e)
		return err
	})
	slices.Reverse(out)
	return out, err
}

// eventsAt returns events by seq.
func eventsAt(tx *store.Tx, seqs []int64) (map[int64]Event, error) {
	args := make([]any, len(seqs))
	for i, s := range seqs {
		args[i] = s
	}
	out := make(map[int64]Event, len(seqs))
	err := tx.Each(`SELECT `+eventColumns+` FROM outbox_event e WHERE e.seq IN `+store.In(len(seqs)), args, func(r store.Row) error {
		e, err := scanEvent(r)
		out[e.Seq] = e
		return err
	})
	return out, err
}

// eventsBetween returns events of a service in a tenant with a seq above after
// and below before, newest first, at most limit.
func eventsBetween(tx *store.Tx, service, tenant string, after, before int64, limit int) (out []Event, err error) {
	err = tx.Each(`SELECT `+eventColumns+` FROM outbox_event e WHERE e.seq > ? AND e.seq < ? AND e.service = ? AND e.tenant = ?
		ORDER BY e.seq DESC LIMIT ?`, []any{after, before, service, tenant, limit}, func(r store.Row) error {
		e, err := scanEvent(r)
		out = append(out, e)
		return err
	})
	return out, err
}
