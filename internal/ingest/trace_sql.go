package ingest

import "understudy/internal/platform/store"

// tracesNamed returns the sessions of those traces that have been named.
func tracesNamed(tx *store.Tx, project string, traces []string) (map[string]string, error) {
	out := map[string]string{}
	err := inLists(traces, func(args []any) error {
		return tx.Each(`SELECT trace, session FROM ingest_trace WHERE project = ? AND trace IN `+store.In(len(args)),
			append([]any{project}, args...), func(r store.Row) error {
				var trace, session string
				err := r.Scan(&trace, &session)
				out[trace] = session
				return err
			})
	})
	return out, err
}

// nameTrace stores the session of a trace. Traces whose session was this trace's
// id move to that session too.
func nameTrace(tx *store.Tx, project, trace, session string) error {
	if trace != session {
		if _, err := tx.Exec(`UPDATE ingest_trace SET session = ? WHERE project = ? AND session = ?`, session, project, trace); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`INSERT INTO ingest_trace (project, trace, session) VALUES (?, ?, ?) ON CONFLICT (project, trace) DO NOTHING`, project, trace, session)
	return err
}

// deleteTraces deletes the traces of a session.
func deleteTraces(tx *store.Tx, project, session string) error {
	_, err := tx.Exec(`DELETE FROM ingest_trace WHERE project = ? AND session = ?`, project, session)
	return err
}

// takeCovered returns and deletes the ids among ids that cover stored.
func takeCovered(tx *store.Tx, project string, ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	err := inLists(ids, func(args []any) error {
		return tx.Each(`DELETE FROM ingest_covered WHERE project = ? AND id IN `+store.In(len(args))+` RETURNING id`,
			append([]any{project}, args...), func(r store.Row) error {
				var id string
				err := r.Scan(&id)
				out[id] = true
				return err
			})
	})
	return out, err
}

// cover stores that an event which has not arrived has a model call below it.
func cover(tx *store.Tx, project, id string, now int64) error {
	_, err := tx.Exec(`INSERT INTO ingest_covered (project, id, since) VALUES (?, ?, ?) ON CONFLICT (project, id) DO NOTHING`, project, id, now)
	return err
}

// forgetCovered deletes the entries of cover for events that have not arrived
// since a time.
func forgetCovered(tx *store.Tx, since int64) error {
	_, err := tx.Exec(`DELETE FROM ingest_covered WHERE since < ?`, since)
	return err
}

// inLists calls fn for parts of a list. It pads each with its last element to one
// of a few lengths, so that the statements can be cached.
func inLists(list []string, fn func(args []any) error) error {
	for len(list) > 0 {
		n := 1
		for n < min(len(list), 512) {
			n *= 8
		}
		args := make([]any, n)
		for i := range args {
			args[i] = list[min(i, len(list)-1)]
		}
		if err := fn(args); err != nil {
			return err
		}
		list = list[min(n, len(list)):]
	}
	return nil
}

// changes returns the number of changes of stored events.
func changes(tx *store.Tx) (times int64, err error) {
	_, err = tx.Get(`SELECT times FROM ingest_change WHERE id = 1`, nil, &times)
	return times, err
}

func noteChange(tx *store.Tx) error {
	_, err := tx.Exec(`UPDATE ingest_change SET times = times + 1 WHERE id = 1`)
	return err
}

// moveSession adds the facts about a session to another one, whose user it returns,
// and deletes it.
func moveSession(tx *store.Tx, project, from, to string) (user string, err error) {
	if err := moveScores(tx, project, from, to); err != nil {
		return "", err
	}
	s, found, err := getSession(tx, project, from, true)
	if err != nil || !found {
		return "", err
	}
	have, there, err := getSession(tx, project, to, true)
	if err != nil {
		return "", err
	}
	n := s
	if there {
		n = mergeSession(s, have)
		n.Registered = have.Registered || s.Registered
	}
	n.ID = to
	if err := putSession(tx, project, &n); err != nil {
		return "", err
	}
	if err := deleteSession(tx, project, from); err != nil || s.Events == 0 {
		return n.User, err
	}
	return n.User, addToSession(tx, project, to, &sessionDelta{first: s.Started, last: s.LastEvent, events: s.Events, errors: s.Errors, input: s.InputTokens, output: s.OutputTokens})
}

// uncountTokens subtracts tokens of an event from the sums of its session and, if
// rolled, from those by hour and day.
func uncountTokens(tx *store.Tx, project string, e *Event, input, output int64, rolled bool) error {
	k := rollupRow{project: project, tool: e.Name}
	less := []rollupPart{{partKey{e.Model, e.Kind(), e.Success}, &sums{input: -input, output: -output}}}
	grains := []int64{1, 24}
	if !rolled {
		grains = nil
	}
	for _, grain := range grains {
		k.grain, k.at = grain, e.Time-e.Time%(grain*hour)
		if err := changeRollup(tx, k, less, add); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`UPDATE ingest_session SET input_tokens = input_tokens - ?, output_tokens = output_tokens - ? WHERE project = ? AND id = ?`,
		input, output, project, e.Session)
	return err
}
