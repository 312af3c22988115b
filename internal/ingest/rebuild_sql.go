package ingest

import "understudy/internal/platform/store"

// rebuildName is the row of ingest_progress that a migration adds when the sums
// by hour and day must be built again.
const rebuildName = "rebuild"

func getRebuilding(tx *store.Tx) (r rebuilding, err error) {
	r.pending, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`, []any{rebuildName}, &r.done)
	return r, err
}

func setRebuilding(tx *store.Tx, done int64) error {
	_, err := tx.Exec(`UPDATE ingest_progress SET seq = ? WHERE name = ?`, done, rebuildName)
	return err
}

func endRebuilding(tx *store.Tx) error {
	_, err := tx.Exec(`DELETE FROM ingest_progress WHERE name = ?`, rebuildName)
	return err
}
