package program

import (
	"time"

	"understudy/internal/platform/store"
)

func insertEntry(tx *store.Tx, e Entry) (id int64, err error) {
	_, err = tx.Get(`INSERT INTO program_audit (id, at, action, environment, service, actor, address, target, request)
		SELECT COALESCE(MAX(id), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM program_audit RETURNING id`,
		[]any{e.At.UnixMicro(), e.Action, e.Environment, e.Service, e.Actor, e.Address, e.Target, e.RequestID}, &id)
	return id, err
}

func trimEntries(tx *store.Tx, upTo int64) error {
	_, err := tx.Exec(`DELETE FROM program_audit WHERE id <= ?`, upTo)
	return err
}

func listEntries(tx *store.Tx, f AuditFilter) (out []Entry, err error) {
	err = tx.Each(`SELECT id, at, action, environment, service, actor, address, target, request FROM program_audit
		WHERE (? = '' OR environment = ?) AND (? = '' OR action = ?) AND (? = 0 OR id < ?) ORDER BY id DESC LIMIT ?`,
		[]any{f.Environment, f.Environment, f.Action, f.Action, f.Before, f.Before, f.Limit}, func(r store.Row) error {
			var e Entry
			var at int64
			err := r.Scan(&e.ID, &at, &e.Action, &e.Environment, &e.Service, &e.Actor, &e.Address, &e.Target, &e.RequestID)
			e.At = time.UnixMicro(at).UTC()
			out = append(out, e)
			return err
		})
	return out, err
}
