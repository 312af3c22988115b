package ingest

import "understudy/internal/platform/store"

const progressName = "rollup"

func getProgress(tx *store.Tx) (seq int64, err error) {
	_, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`, []any{progressName}, &seq)
	return seq, err
}

// rollupState is the progress of the roll-ups.
type rollupState struct {
	done       int64 // the number of the last event that they contain
	changes    int64 // number of changes of stored events
	rebuilding rebuilding
}

func readState(tx *store.Tx) (s rollupState, err error) {
	_, err = tx.Get(`SELECT COALESCE((SELECT seq FROM ingest_progress WHERE name = ?), 0), COALESCE((SELECT times FROM ingest_change WHERE id = 1), 0),
		EXISTS (SELECT 1 FROM ingest_progress WHERE name = ?), COALESCE((SELECT seq FROM ingest_progress WHERE name = ?), 0)`,
		[]any{progressName, rebuildName, rebuildName}, &s.done, &s.changes, &s.rebuilding.pending, &s.rebuilding.done)
	return s, err
}

// lockProgress is getProgress that also locks the row, so that no other pass adds
// the same events.
func lockProgress(tx *store.Tx) (seq int64, err error) {
	if _, err := tx.Exec(`INSERT INTO ingest_progress (name, seq) VALUES (?, 0) ON CONFLICT (name) DO NOTHING`, progressName); err != nil {
		return 0, err
	}
	_, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`+tx.Dialect().ForUpdate, []any{progressName}, &seq)
	return seq, err
}

func setProgress(tx *store.Tx, seq int64) error {
	_, err := tx.Exec(`UPDATE ingest_progress SET seq = ? WHERE name = ?`, seq, progressName)
	return err
}

const rollupWhere = ` WHERE project = ? AND grain = ? AND at = ? AND tool = ?`

// columns returns the columns of the primary key, in the order of rollupWhere.
func (k *rollupRow) columns() []any { return []any{k.project, k.grain, k.at, k.tool} }

// getRollup returns the parts of a stored row. It returns errDamagedSums.
func getRollup(tx *store.Tx, k *rollupRow) (parts []byte, found bool, err error) {
	var events int64
	var stored []byte
	found, err = tx.Get(`SELECT events, parts FROM ingest_rollup`+rollupWhere, k.columns(), &events, &stored)
	if err != nil || !found {
		return nil, false, err
	}
	parts, err = k.cutSum(events, stored)
	return parts, err == nil, err
}

// changeRollup adds parts to a stored row or subtracts them. It removes parts
// without events, and a row without parts. Its caller holds the lock of the
// progress. It returns errDamagedSums.
func changeRollup(tx *store.Tx, k rollupRow, changes []rollupPart, how change) error {
	stored, found, err := getRollup(tx, &k)
	if err != nil || !found && how == subtract {
		return err
	}
	parts, events, err := changeParts(stored, changes, how)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		_, err = tx.Exec(`DELETE FROM ingest_rollup`+rollupWhere, k.columns()...)
		return err
	}
	_, err = tx.Exec(`INSERT INTO ingest_rollup (project, grain, at, tool, events, parts) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, grain, at, tool) DO UPDATE SET events = excluded.events, parts = excluded.parts`,
		append(k.columns(), events, store.Blob(k.appendSum(events, parts)))...)
	return err
}

// eachRollup calls fn for the rows of a period: from is inclusive, to exclusive. The
// stored parts are valid until fn returns, and are not checked.
func eachRollup(tx *store.Tx, project string, grain, from, to int64, fn func(r storedRow)) error {
	k := rollupRow{project: project, grain: grain}
	var events int64
	var tool, parts store.Borrowed
	names := map[string]string{} // few, in many rows
	dest := []any{&k.at, &tool, &events, &parts}
	return tx.Each(`SELECT at, tool, events, parts FROM ingest_rollup
		WHERE project = ? AND grain = ? AND at >= ? AND at < ?`, []any{project, grain, from, to}, func(r store.Row) error {
		if err := r.Scan(dest...); err != nil {
			return err
		}
		name, ok := names[string(tool)]
		if !ok {
			name = string(tool)
			names[name] = name
		}
		k.tool = name
		fn(storedRow{k, events, parts})
		return nil
	})
}

// countRollups returns the numbers of rows and of events in a period.
func countRollups(tx *store.Tx, project string, grain, from, to int64) (rows, events int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*), CAST(COALESCE(SUM(events), 0) AS BIGINT) FROM ingest_rollup WHERE project = ? AND grain = ? AND at >= ? AND at < ?`,
		[]any{project, grain, from, to}, &rows, &events)
	return rows, events, err
}
