package ingest

import "understudy/internal/platform/store"

// deletedAtOnce bounds the sessions or users that one transaction deletes.
const deletedAtOnce = 1000

// retentions returns the days of all projects that have retention.
func retentions(tx *store.Tx) (map[string]int64, error) {
	out := map[string]int64{}
	err := tx.Each(`SELECT project, days FROM ingest_retention`, nil, func(r store.Row) error {
		var project string
		var days int64
		err := r.Scan(&project, &days)
		out[project] = days
		return err
	})
	return out, err
}

// lockRetention returns the days of a project, 0 without retention, and locks them
// until the end of the transaction.
func lockRetention(tx *store.Tx, project string) (days int64, err error) {
	_, err = tx.Get(`SELECT days FROM ingest_retention WHERE project = ?`+tx.Dialect().ForUpdate, []any{project}, &days)
	return days, err
}

// setRetention stores the days of a project; 0 removes them.
func setRetention(tx *store.Tx, project string, days int64) error {
	if days == 0 {
		_, err := tx.Exec(`DELETE FROM ingest_retention WHERE project = ?`, project)
		return err
	}
	_, err := tx.Exec(`INSERT INTO ingest_retention (project, days) VALUES (?, ?) ON CONFLICT (project) DO UPDATE SET days = excluded.days`, project, days)
	return err
}

// deleteOld deletes sessions that began before a time and have no event since, with
// their scores, and users who were not seen since. It returns the sessions, and reports
// whether there may be more to delete.
func deleteOld(tx *store.Tx, project string, before int64) (sessions []string, more bool, err error) {
	sessions, err = collectTexts(tx, `SELECT id FROM ingest_session WHERE project = ? AND started < ? AND last_event < ? AND events = 0
		ORDER BY started LIMIT ?`, project, before, before, deletedAtOnce)
	if err == nil {
		err = deleteScores(tx, project, sessions...)
	}
	for _, id := range sessions {
		if err == nil {
			err = deleteSession(tx, project, id)
		}
	}
	if err != nil {
		return nil, false, err
	}
	users, err := collectTexts(tx, `SELECT id FROM ingest_user WHERE project = ? AND last_seen < ? ORDER BY last_seen LIMIT ?`, project, before, deletedAtOnce)
	for _, id := range users {
		if err == nil {
			err = deleteUser(tx, project, id)
		}
	}
	return sessions, len(sessions) == deletedAtOnce || len(users) == deletedAtOnce, err
}

// deleteUser deletes a user's profile and the rows by which it is found.
func deleteUser(tx *store.Tx, project, id string) error {
	if _, err := tx.Exec(`DELETE FROM ingest_trait WHERE project = ? AND user_id = ?`, project, id); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM ingest_user WHERE project = ? AND id = ?`, project, id)
	return err
}

func deleteSession(tx *store.Tx, project, id string) error {
	_, err := tx.Exec(`DELETE FROM ingest_session WHERE project = ? AND id = ?`, project, id)
	return err
}

// sessionsOfUser returns the ids of a user's sessions, in order.
func sessionsOfUser(tx *store.Tx, project, user string) ([]string, error) {
	return collectTexts(tx, `SELECT id FROM ingest_session WHERE project = ? AND user_id = ? ORDER BY id`, project, user)
}

func userExists(tx *store.Tx, project, id string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM ingest_user WHERE project = ? AND id = ?`, []any{project, id}, &one)
}

// setSessionSums stores the sums of a session's events. A session that is known only
// from events is deleted when none is left.
func setSessionSums(tx *store.Tx, project, id string, d *sessionDelta) (deleted bool, err error) {
	_, err = tx.Exec(`UPDATE ingest_session SET started = CASE WHEN registered THEN started ELSE ? END,
		last_event = ?, events = ?, errors = ?, input_tokens = ?, output_tokens = ? WHERE project = ? AND id = ?`, d.first, d.last, d.events, d.errors, d.input, d.output, project, id)
	if err != nil || d.events > 0 {
		return false, err
	}
	gone, err := tx.Exec(`DELETE FROM ingest_session WHERE project = ? AND id = ? AND registered = FALSE`, project, id)
	return gone > 0, err
}

// subtractFromSession subtracts removed events from the sums of a session. A
// session that is known only from events is deleted with its last one, and so are
// its scores.
func subtractFromSession(tx *store.Tx, project, id string, d *sessionDelta) (deleted bool, err error) {
	_, err = tx.Exec(`UPDATE ingest_session SET events = events - ?, errors = errors - ?, input_tokens = input_tokens - ?, output_tokens = output_tokens - ?
		WHERE project = ? AND id = ?`, d.events, d.errors, d.input, d.output, project, id)
	if err != nil {
		return false, err
	}
	gone, err := tx.Exec(`DELETE FROM ingest_session WHERE project = ? AND id = ? AND registered = FALSE AND events <= 0`, project, id)
	if err == nil && gone > 0 {
		err = deleteScores(tx, project, id)
	}
	return gone > 0, err
}

func collectTexts(tx *store.Tx, sql string, args ...any) (out []string, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		var text string
		err := r.Scan(&text)
		out = append(out, text)
		return err
	})
	return out, err
}
