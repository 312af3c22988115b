package crm

import "understudy/internal/platform/store"

// redirectMerged redirects the ids of records that were merged into one record to
// another.
func redirectMerged(tx *store.Tx, portal int64, t Type, from, to int64) error {
	_, err := tx.Exec(`UPDATE crm_record SET merged = ? WHERE portal = ? AND type = ? AND merged = ? AND archived <> 0`, to, portal, t, from)
	return err
}
