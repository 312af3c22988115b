package ingest

import "understudy/internal/platform/store"

const progressName = "rollup"

func getProgress(tx *store.Tx) (seq int64, err error) {
	_, err = tx.Get(`SELECT seq FROM ingest_progress WHERE name = ?`, []any{progressName}, &seq)
	return seq, err
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

// addRollup adds sums to a stored row. Its caller holds the lock of the progress.
func addRollup(tx *store.Tx, k rollupKey, s *sums) error {
	t := *s
	key := []any{k.project, k.grain, k.at, k.tool, k.model, k.kind, k.success}
	var have sums
	var sketch []byte
	found, err := tx.Get(`SELECT events, input_tokens, output_tokens, sketch FROM ingest_rollup
		WHERE project = ? AND grain = ? AND at = ? AND tool = ? AND model = ? AND kind = ? AND success = ?`, key,
		&have.events, &have.input, &have.output, &sketch)
	if err != nil {
		return err
	}
	if found {
		if err := have.addSketch(sketch); err != nil {
			return err
		}
		if err := have.merge(s); err != nil {
			return err
		}
		t = have
	}
	_, err = tx.Exec(`INSERT INTO ingest_rollup (project, grain, at, tool, model, kind, success, events, input_tokens, output_tokens, sketch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, grain, at, tool, model, kind, success) DO UPDATE SET events = excluded.events,
			input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, sketch = excluded.sketch`,
		append(key, t.events, t.input, t.output, store.Blob(encodeSketch(t.sketch)))...)
	return err
}

// subtractRollup subtracts sums from a stored row, and deletes it with its last event.
// Its caller holds the lock of the progress.
func subtractRollup(tx *store.Tx, k rollupKey, s *sums) error {
	key := []any{k.project, k.grain, k.at, k.tool, k.model, k.kind, k.success}
	const where = ` WHERE project = ? AND grain = ? AND at = ? AND tool = ? AND model = ? AND kind = ? AND success = ?`
	var have sums
	var sketch []byte
	found, err := tx.Get(`SELECT events, input_tokens, output_tokens, sketch FROM ingest_rollup`+where, key, &have.events, &have.input, &have.output, &sketch)
	if err != nil || !found {
		return err
	}
	if err := have.addSketch(sketch); err != nil {
		return err
	}
	if have.subtract(s); have.events <= 0 {
		_, err = tx.Exec(`DELETE FROM ingest_rollup`+where, key...)
		return err
	}
	_, err = tx.Exec(`UPDATE ingest_rollup SET events = ?, input_tokens = ?, output_tokens = ?, sketch = ?`+where,
		append([]any{have.events, have.input, have.output, store.Blob(encodeSketch(have.sketch))}, key...)...)
	return err
}

// eachRollup calls fn for the rows of a period: from is inclusive, to exclusive.
// The sums are valid until fn returns.
func eachRollup(tx *store.Tx, project string, grain, from, to int64, sketches bool, fn func(k rollupKey, s *sums, sketch []byte) error) error {
	column := `''`
	if sketches {
		column = `sketch`
	}
	k := rollupKey{project: project, grain: grain}
	var s sums
	return tx.Each(`SELECT at, tool, model, kind, success, events, input_tokens, output_tokens, `+column+` FROM ingest_rollup
		WHERE project = ? AND grain = ? AND at >= ? AND at < ?`, []any{project, grain, from, to}, func(r store.Row) error {
		s = sums{}
		var sketch []byte
		if err := r.Scan(&k.at, &k.tool, &k.model, &k.kind, &k.success, &s.events, &s.input, &s.output, &sketch); err != nil {
			return err
		}
		if !k.success {
			s.errors = s.events
		}
		return fn(k, &s, sketch)
	})
}
