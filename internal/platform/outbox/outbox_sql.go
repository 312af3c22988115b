package outbox

import (
	"slices"

	"understudy/internal/platform/store"
)

func insert(tx *store.Tx, e *Event) (err error) {
	e.Seq, err = tx.InsertID("seq", `INSERT INTO outbox_event (service, tenant, type, key, payload, at, request_id)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.Service, e.Tenant, e.Type, e.Key, []byte(e.Payload), e.At, e.RequestID)
	return err
}

func trim(tx *store.Tx, upTo int64) error {
	_, err := tx.Exec(`DELETE FROM outbox_event WHERE seq <= ?`, upTo)
	return err
}

func recent(tx *store.Tx, limit int) ([]Event, error) {
	var out []Event
	err := tx.Each(`SELECT seq, service, tenant, type, key, payload, at, request_id
		FROM outbox_event ORDER BY seq DESC LIMIT ?`, []any{limit}, func(r store.Row) error {
		var e Event
		var payload []byte
		if err := r.Scan(&e.Seq, &e.Service, &e.Tenant, &e.Type, &e.Key, &payload, &e.At, &e.RequestID); err != nil {
			return err
		}
		e.Payload = payload
		out = append(out, e)
		return nil
	})
	slices.Reverse(out)
	return out, err
}
