package crm

import (
	"encoding/json"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

func insertRevision(tx *store.Tx, portal, record, at int64, source, sourceID string, user int64, before map[string]*string) error {
	text, err := json.Marshal(before)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO crm_revision (portal, record, at, source, source_id, user_id, before) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		portal, record, at, source, sourceID, user, text)
	return err
}

// listRevisions returns revisions, the newest first, and counts them in the page.
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
