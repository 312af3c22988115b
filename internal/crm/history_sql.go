package crm

import (
	"encoding/json"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// newRevision is a revision of a record to be stored.
type newRevision struct {
	record int64
	revision
}

func insertRevisions(tx *store.Tx, portal int64, all []newRevision) error {
	rows := make([][]any, len(all))
	for i, r := range all {
		text, err := json.Marshal(r.before)
		if err != nil {
			return err
		}
		rows[i] = []any{portal, r.record, r.at, r.source, r.sourceID, r.user, text}
	}
	return tx.ExecBatch(`INSERT INTO crm_revision (portal, record, at, source, source_id, user_id, before) VALUES (?, ?, ?, ?, ?, ?, ?)`, rows)
}

// listRevisions returns revisions, newest first, and adds their size to the page.
func listRevisions(tx *store.Tx, portal, record int64, page *budget.Page) (out []revision, err error) {
	err = tx.Each(`SELECT at, source, source_id, user_id, before FROM crm_revision WHERE portal = ? AND record = ? ORDER BY seq DESC`,
		[]any{portal, record}, func(row store.Row) error {
			var r revision
			var text []byte
			if err := row.Scan(&r.at, &r.source, &r.sourceID, &r.user, &text); err != nil {
				return err
			}
			if err := page.Add(len(text)); err != nil {
				return err
			}
			out = append(out, r)
			return json.Unmarshal(text, &out[len(out)-1].before)
		})
	return out, err
}
