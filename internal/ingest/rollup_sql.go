package ingest

import "understudy/internal/platform/store"

const progressName = "rollup"

func getProgress(tx *store.Tx) (seq int64, err error) {
	_, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`, []any{progressName}, &seq)
	return seq, err
}

// rollupState is how far the roll-ups have come.
type rollupState struct {
	done       int64 // the number of the last event that they contain
	changes    int64 // how often stored events were changed
	rebuilding rebuilding
}

func readState(tx *store.Tx) (s rollupState, err error) {
	_, err = tx.Get(`SELECT COALESCE((SELECT seq FROM ingest_progress WHERE name = ?), 0), COALESCE((SELECT times FROM ingest_change WHERE id = 1), 0),
		EXISTS (SELECT 1 FROM ingest_progress WHERE name = ?), COALESCE((SELECT seq FROM ingest_progress WHERE name = ?), 0)`,
		[]any{progressName, rebuildName, rebuildName}, &s.done, &s.changes, &s.rebuilding.pending, &s.rebuilding.done)
	return s, err
}

// lockProgress is getProgress that also locks the row, so that no one else adds
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

const rollupRow = ` WHERE project = ? AND grain = ? AND at = ? AND tool = ? AND model = ? AND kind = ? AND success = ?`

// columns returns the columns of the primary key, in the order of rollupRow.
func (k *rollupKey) columns() []any {
	return []any{k.project, k.grain, k.at, k.tool, k.model, k.kind, k.success}
}

// getRollup returns a stored row. It returns errDamagedSums.
func getRollup(tx *store.Tx, k *rollupKey) (s sums, found bool, err error) {
	var stored []byte
	var checksum int64
	found, err = tx.Get(`SELECT events, input_tokens, output_tokens, checksum, sketch FROM ingest_rollup`+rollupRow, k.columns(),
		&s.events, &s.input, &s.output, &checksum, &stored)
	if err != nil || !found {
		return s, false, err
	}
	if err := k.checkRow(&s, checksum); err != nil {
		return s, false, err
	}
	sketch, err := cutSketch(checksum, stored)
	if err != nil {
		return s, false, err
	}
	return s, true, s.addSketch(sketch)
}

// putRollup stores a row.
func putRollup(tx *store.Tx, k *rollupKey, s *sums) error {
	checksum := k.checksum(s)
	_, err := tx.Exec(`INSERT INTO ingest_rollup (project, grain, at, tool, model, kind, success, events, input_tokens, output_tokens, checksum, sketch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, grain, at, tool, model, kind, success) DO UPDATE SET events = excluded.events, input_tokens = excluded.input_tokens,
			output_tokens = excluded.output_tokens, checksum = excluded.checksum, sketch = excluded.sketch`,
		append(k.columns(), s.events, s.input, s.output, checksum, store.Blob(summedSketch(checksum, encodeSketch(s.sketch))))...)
	return err
}

// addRollup adds sums to a stored row. Its caller holds the lock of the progress.
func addRollup(tx *store.Tx, k rollupKey, s *sums) error {
	all, found, err := getRollup(tx, &k)
	if err != nil {
		return err
	}
	if !found {
		return putRollup(tx, &k, s)
	}
	if err := all.merge(s); err != nil {
		return err
	}
	return putRollup(tx, &k, &all)
}

// subtractRollup subtracts sums from a stored row, and deletes it with its last event.
// Its caller holds the lock of the progress.
func subtractRollup(tx *store.Tx, k rollupKey, s *sums) error {
	left, found, err := getRollup(tx, &k)
	if err != nil || !found {
		return err
	}
	if left.subtract(s); left.events <= 0 {
		_, err = tx.Exec(`DELETE FROM ingest_rollup`+rollupRow, k.columns()...)
		return err
	}
	return putRollup(tx, &k, &left)
}

// eachRollup calls fn for the rows of a period: from is inclusive, to exclusive.
// The sums and the sketch are valid until fn returns. It returns errDamagedSums.
func eachRollup(tx *store.Tx, project string, grain, from, to int64, sketches bool, fn func(k rollupKey, s *sums, sketch []byte) error) error {
	column := `''`
	if sketches {
		column = `sketch`
	}
	k := rollupKey{project: project, grain: grain}
	var s sums
	var tool, model, stored store.Borrowed
	var kind, checksum int64
	names := map[string]string{} // few, in many rows
	named := func(b []byte) string {
		name, ok := names[string(b)]
		if !ok {
			name = string(b)
			names[name] = name
		}
		return name
	}
	dest := []any{&k.at, &tool, &model, &kind, &k.success, &s.events, &s.input, &s.output, &checksum, &stored}
	return tx.Each(`SELECT at, tool, model, kind, success, events, input_tokens, output_tokens, checksum, `+column+` FROM ingest_rollup
		WHERE project = ? AND grain = ? AND at >= ? AND at < ?`, []any{project, grain, from, to}, func(r store.Row) error {
		s = sums{}
		err := r.Scan(dest...)
		sketch := []byte(stored)
		if err == nil {
			k.tool, k.model, k.kind = named(tool), named(model), Kind(kind)
			err = k.checkRow(&s, checksum)
		}
		if err == nil && sketches {
			sketch, err = cutSketch(checksum, sketch)
		}
		if err != nil {
			return err
		}
		if !k.success {
			s.errors = s.events
		}
		return fn(k, &s, sketch)
	})
}
