package ingest

import "understudy/internal/platform/store"

// rebuildName is the row of ingest_progress that exists while the sums by hour and
// day are built again.
const rebuildName = "rebuild"

func getRebuilding(tx *store.Tx) (r rebuilding, err error) {
	r.pending, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`, []any{rebuildName}, &r.done)
	return r, err
}

// beginRebuilding removes the sums, and starts rebuilding them from the first
// event. Its caller holds the lock of the progress.
func beginRebuilding(tx *store.Tx) error {
	if _, err := tx.Exec(`DELETE FROM ingest_rollup`); err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO ingest_progress (name, seq) VALUES (?, 0) ON CONFLICT (name) DO UPDATE SET seq = 0`, rebuildName); err != nil {
		return err
	}
	return noteChange(tx) // a pass that began before adds nothing
}

func setRebuilding(tx *store.Tx, done int64) error {
	_, err := tx.Exec(`UPDATE ingest_progress SET seq = ? WHERE name = ?`, done, rebuildName)
	return err
}

func endRebuilding(tx *store.Tx) error {
	_, err := tx.Exec(`DELETE FROM ingest_progress WHERE name = ?`, rebuildName)
	return err
}
