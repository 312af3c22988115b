package ingest

import "understudy/internal/platform/store"

const scoreColumns = `no, id, session, event, number, name, text, COALESCE(value, 0), CASE WHEN value IS NULL THEN 0 ELSE 1 END, comment, at, created`

func scanScore(r store.Row) (s Score, err error) {
	var value float64
	var isNumber int64
	err = r.Scan(&s.no, &s.ID, &s.Session, &s.Event, &s.number, &s.Name, &s.Text, &value, &isNumber, &s.Comment, &s.at, &s.Created)
	if isNumber == 1 {
		s.Number = &value
	}
	return s, err
}

func insertScore(tx *store.Tx, project string, s *Score) error {
	var value any
	if s.Number != nil {
		value = *s.Number
	}
	_, err := tx.Exec(`INSERT INTO ingest_score (id, project, session, event, number, name, text, value, comment, at, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, project, s.Session, s.Event, s.number, s.Name, s.Text, value, s.Comment, s.at, s.Created)
	return err
}

// eachListedScore calls fn for scores below a position, newest first.
func eachListedScore(tx *store.Tx, project string, q ScoreQuery, below int64, limit int, fn func(s Score) error) error {
	where, args := ``, []any{project, below}
	for _, c := range [...]struct {
		column string
		values []string
	}{{"session", q.Sessions}, {"event", q.Events}, {"name", q.Names}} {
		if len(c.values) == 0 {
			continue
		}
		where += ` AND ` + c.column + ` IN ` + store.In(len(c.values))
		for _, v := range c.values {
			args = append(args, v)
		}
	}
	return tx.Each(`SELECT `+scoreColumns+` FROM ingest_score WHERE project = ? AND no < ?`+where+` ORDER BY no DESC LIMIT ?`, append(args, limit), func(r store.Row) error {
		s, err := scanScore(r)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// scoresOf calls fn for the scores of sessions and their events; those of a session
// newest first.
func scoresOf(tx *store.Tx, project string, sessions []string, fn func(s Score)) error {
	return inLists(sessions, func(args []any) error {
		return tx.Each(`SELECT `+scoreColumns+` FROM ingest_score WHERE project = ? AND session IN `+store.In(len(args))+` ORDER BY no DESC`,
			append([]any{project}, args...), func(r store.Row) error {
				s, err := scanScore(r)
				fn(s)
				return err
			})
	})
}

func scoresNamed(tx *store.Tx, project, name string, fn func(s Score)) error {
	return tx.Each(`SELECT `+scoreColumns+` FROM ingest_score WHERE project = ? AND name = ?`, []any{project, name}, func(r store.Row) error {
		s, err := scanScore(r)
		fn(s)
		return err
	})
}

// eachScore calls fn for the scores that are numbers, of sessions and events that
// began from a time on.
func eachScore(tx *store.Tx, project string, from int64, fn func(name string, at int64, value float64) error) error {
	return tx.Each(`SELECT name, at, value FROM ingest_score WHERE project = ? AND at >= ? AND value IS NOT NULL ORDER BY name`, []any{project, from}, func(r store.Row) error {
		var name string
		var at int64
		var value float64
		if err := r.Scan(&name, &at, &value); err != nil {
			return err
		}
		return fn(name, at, value)
	})
}

// moveScores moves the scores of a session to another.
func moveScores(tx *store.Tx, project, from, to string) error {
	_, err := tx.Exec(`UPDATE ingest_score SET session = ? WHERE project = ? AND session = ?`, to, project, from)
	return err
}

// deleteScores deletes the scores of sessions and of their events.
func deleteScores(tx *store.Tx, project string, sessions ...string) error {
	return inLists(sessions, func(args []any) error {
		_, err := tx.Exec(`DELETE FROM ingest_score WHERE project = ? AND session IN `+store.In(len(args)), append([]any{project}, args...)...)
		return err
	})
}

// deleteEventScores deletes the scores of some events of sessions, by their numbers.
func deleteEventScores(tx *store.Tx, project string, sessions []string, events map[int64]bool) error {
	if len(events) == 0 {
		return nil
	}
	var gone []int64
	err := scoresOf(tx, project, sessions, func(s Score) {
		if s.Event != "" && events[s.number] {
			gone = append(gone, s.no)
		}
	})
	for _, no := range gone {
		if err == nil {
			_, err = tx.Exec(`DELETE FROM ingest_score WHERE no = ?`, no)
		}
	}
	return err
}
