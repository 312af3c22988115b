package program

import (
	"encoding/json"
	"time"

	"understudy/internal/platform/store"
)

func insertVerdict(tx *store.Tx, v *Verdict) (id int64, err error) {
	_, err = tx.Get(`INSERT INTO program_verdict (id, at, environment, world, series, task, state, summary, bytes)
		SELECT COALESCE(MAX(id), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM program_verdict RETURNING id`,
		[]any{v.At.UnixMicro(), v.Environment, v.World, v.Series, v.Task, v.State, string(v.Summary), len(v.Summary) + len(v.Detail)}, &id)
	if err == nil {
		_, err = tx.Exec(`INSERT INTO program_verdict_detail (id, detail) VALUES (?, ?)`, id, string(v.Detail))
	}
	return id, err
}

// trimVerdicts deletes the oldest verdicts beyond the bounds.
func trimVerdicts(tx *store.Tx) error {
	var last int64 // the newest verdict to delete
	found, err := tx.Get(`SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS place, SUM(bytes) OVER (ORDER BY id DESC) AS total FROM program_verdict) AS ranked
		WHERE place > ? OR total > ? ORDER BY id DESC LIMIT 1`, []any{maxVerdicts, maxVerdictBytes}, &last)
	if err != nil || !found {
		return err
	}
	for _, table := range []string{"program_verdict", "program_verdict_detail"} {
		if _, err := tx.Exec(`DELETE FROM `+table+` WHERE id <= ?`, last); err != nil {
			return err
		}
	}
	return nil
}

func listVerdicts(tx *store.Tx, f VerdictFilter) (out []Verdict, err error) {
	err = tx.Each(`SELECT id, at, environment, world, series, task, state, summary FROM program_verdict
		WHERE (? = '' OR environment = ? OR world = ?) AND (? = '' OR series = ?) AND (? = '' OR task = ?) AND (? = '' OR state = ?) AND (? = 0 OR id < ?)
		ORDER BY id DESC LIMIT ?`,
		[]any{f.Environment, f.Environment, f.Environment, f.Series, f.Series, f.Task, f.Task, f.State, f.State, f.Before, f.Before, f.Limit}, func(r store.Row) error {
			var v Verdict
			var at int64
			var summary string
			err := r.Scan(&v.ID, &at, &v.Environment, &v.World, &v.Series, &v.Task, &v.State, &summary)
			v.At, v.Summary = time.UnixMicro(at).UTC(), json.RawMessage(summary)
			out = append(out, v)
			return err
		})
	return out, err
}

func getVerdictDetail(tx *store.Tx, id int64) (json.RawMessage, error) {
	var detail string
	_, err := tx.Get(`SELECT detail FROM program_verdict_detail WHERE id = ?`, []any{id}, &detail)
	return json.RawMessage(detail), err
}

func deleteVerdict(tx *store.Tx, id int64) (int64, error) {
	if _, err := tx.Exec(`DELETE FROM program_verdict_detail WHERE id = ?`, id); err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM program_verdict WHERE id = ?`, id)
}
