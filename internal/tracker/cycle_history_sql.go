package tracker

import (
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// minuteMicros is the precision of the times of changes.
const minuteMicros = int64(time.Minute / time.Microsecond)

// tallied is a change of a cycle's tally, with the beginning of its minute.
type tallied struct {
	at int64
	tally
}

// tallyCycle adds a change to the history of a cycle. It does nothing for "".
func (w *writer) tallyCycle(cycle string, at int64, t tally) error {
	if cycle == "" || cycle == w.closing || t == (tally{}) {
		return nil
	}
	return w.Tx.ExecLater(`INSERT INTO tracker_cycle_tally (org, cycle, minute, issues, done_issues, scope, done, begun) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (org, cycle, minute) DO UPDATE SET issues = tracker_cycle_tally.issues + excluded.issues, done_issues = tracker_cycle_tally.done_issues + excluded.done_issues,
		scope = tracker_cycle_tally.scope + excluded.scope, done = tracker_cycle_tally.done + excluded.done, begun = tracker_cycle_tally.begun + excluded.begun`,
		w.Tenant, cycle, at/minuteMicros, t.issues, t.doneIssues, t.scope, t.done, t.begun)
}

// readHistories fills in the histories of cycles.
func readHistories(v *View, cycles []*Cycle) error {
	var begun []string
	for _, c := range cycles {
		if c.Starts <= v.Micros() {
			begun = append(begun, c.ID)
		}
	}
	if len(begun) == 0 {
		return nil
	}
	changes, in := map[string][]tallied{}, entity.Padded(begun)
	err := v.Tx.Each(`SELECT cycle, minute, issues, done_issues, scope, done, begun FROM tracker_cycle_tally WHERE org = ? AND cycle IN `+store.In(len(in))+` ORDER BY cycle, minute`,
		append([]any{v.Tenant}, in...), func(r store.Row) error {
			var cycle string
			var t tallied
			err := r.Scan(&cycle, &t.at, &t.issues, &t.doneIssues, &t.scope, &t.done, &t.begun)
			t.at *= minuteMicros
			changes[cycle] = append(changes[cycle], t)
			return err
		})
	for _, c := range cycles {
		c.History = c.history(changes[c.ID], v.Micros())
	}
	return err
}

// tallyOf returns the sum of the changes of a cycle.
func tallyOf(tx *store.Tx, org, cycle string) (t tally, err error) {
	_, err = tx.Get(`SELECT CAST(COALESCE(SUM(issues), 0) AS BIGINT), CAST(COALESCE(SUM(done_issues), 0) AS BIGINT), COALESCE(SUM(scope), 0.0), COALESCE(SUM(done), 0.0), COALESCE(SUM(begun), 0.0)
		FROM tracker_cycle_tally WHERE org = ? AND cycle = ?`, []any{org, cycle}, &t.issues, &t.doneIssues, &t.scope, &t.done, &t.begun)
	return t, err
}
