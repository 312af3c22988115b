package crm

import "understudy/internal/platform/store"

func insertAudit(tx *store.Tx, portal int64, t Type, kind string, a Audit) error {
	_, err := tx.Exec(`INSERT INTO crm_audit (portal, type, kind, identifier, action, user_id, at, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		portal, t, kind, a.Identifier, a.Action, a.UserID, a.At, []byte(a.Raw))
	return err
}

func listAudit(tx *store.Tx, portal int64, t Type, kind, id string) (out []Audit, err error) {
	err = tx.Each(`SELECT identifier, action, user_id, at, raw FROM crm_audit
		WHERE portal = ? AND type = ? AND kind = ? AND identifier = ? ORDER BY seq DESC LIMIT 1000`,
		[]any{portal, t, kind, id}, func(r store.Row) error {
			var a Audit
			var raw []byte
			err := r.Scan(&a.Identifier, &a.Action, &a.UserID, &a.At, &raw)
			a.Raw = raw
			out = append(out, a)
			return err
		})
	return out, err
}
