package ingest

import (
	"encoding/json"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

const sessionColumns = `id, user_id, traits, metadata, attributes, client_config, started, registered,
	last_event, events, errors, input_tokens, output_tokens`

func scanSession(r store.Row) (s Session, err error) {
	var traits, metadata, attributes []byte
	err = r.Scan(&s.ID, &s.User, &traits, &metadata, &attributes, &s.Client, &s.Started, &s.Registered,
		&s.LastEvent, &s.Events, &s.Errors, &s.InputTokens, &s.OutputTokens)
	s.bytes = rowBytes + len(traits) + len(metadata) + len(attributes)
	for _, m := range []struct {
		raw []byte
		to  *Members
	}{{traits, &s.Traits}, {metadata, &s.Metadata}, {attributes, &s.Attributes}} {
		if err == nil {
			err = json.Unmarshal(m.raw, m.to)
		}
	}
	return s, err
}

// getSession reads a session; lock locks it until the end of the transaction.
func getSession(tx *store.Tx, project, id string, lock bool) (s Session, found bool, err error) {
	suffix := ""
	if lock {
		suffix = tx.Dialect().ForUpdate
	}
	err = tx.Each(`SELECT `+sessionColumns+` FROM ingest_session WHERE project = ? AND id = ?`+suffix, []any{project, id}, func(r store.Row) (err error) {
		found = true
		s, err = scanSession(r)
		return err
	})
	return s, found, err
}

// putSession stores a session, except the sums of its events.
func putSession(tx *store.Tx, project string, s *Session) error {
	_, err := tx.Exec(`INSERT INTO ingest_session (project, `+sessionColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)
		ON CONFLICT (project, id) DO UPDATE SET user_id = excluded.user_id, traits = excluded.traits, metadata = excluded.metadata,
			attributes = excluded.attributes, client_config = excluded.client_config, started = excluded.started, registered = excluded.registered`,
		project, s.ID, s.User, membersText(s.Traits), membersText(s.Metadata), membersText(s.Attributes), s.Client, s.Started, s.Registered)
	return err
}

// addToSession adds the sums of new events to a session; an unknown session gets
// a row.
func addToSession(tx *store.Tx, project, id string, d *sessionDelta) error {
	_, err := tx.Exec(`INSERT INTO ingest_session (project, `+sessionColumns+`) VALUES (?, ?, '', '{}', '{}', '{}', '', ?, FALSE, ?, ?, ?, ?, ?)
		ON CONFLICT (project, id) DO UPDATE SET
			started = CASE WHEN ingest_session.registered OR ingest_session.started < excluded.started
				THEN ingest_session.started ELSE excluded.started END,
			last_event = CASE WHEN ingest_session.last_event > excluded.last_event THEN ingest_session.last_event ELSE excluded.last_event END,
			events = ingest_session.events + excluded.events, errors = ingest_session.errors + excluded.errors,
			input_tokens = ingest_session.input_tokens + excluded.input_tokens,
			output_tokens = ingest_session.output_tokens + excluded.output_tokens`,
		project, id, d.first, d.last, d.events, d.errors, d.input, d.output)
	return err
}

// rowBytes is the approximate size of a row without its JSON.
const rowBytes = 400

// sessionsBefore returns sessions that started in a period and contain find in
// their texts: newest first, below a position, until they fill a page. ended
// reports that there are no others.
func sessionsBefore(tx *store.Tx, page *budget.Page, project string, from, to int64, find string, started int64, id string, limit int) (out []Session, ended bool, err error) {
	ended = true
	named, args := "", []any{project, from, to, started, started, id}
	if find != "" {
		named = ` AND (LOWER(id) LIKE ? ESCAPE '\' OR LOWER(user_id) LIKE ? ESCAPE '\')`
		pattern := likePart(find)
		args = append(args, pattern[1:], pattern)
	}
	err = tx.Each(`SELECT `+sessionColumns+` FROM ingest_session WHERE project = ? AND started >= ? AND started < ?
		AND (started < ? OR started = ? AND id < ?)`+named+` ORDER BY started DESC, id DESC LIMIT ?`,
		append(args, limit), func(r store.Row) error {
			s, err := scanSession(r)
			if err != nil {
				return err
			}
			out = append(out, s)
			if err := page.Add(s.bytes); err != nil {
				return err
			}
			if page.Full() {
				ended = false
				return store.Stop()
			}
			return nil
		})
	return out, ended && len(out) < limit, err
}

// likePart returns the pattern of texts that contain another one.
func likePart(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(text)) + "%"
}

// sessionsByUser calls fn with the number of sessions of each of some users that started in a period.
func sessionsByUser(tx *store.Tx, project string, from, to int64, users []any, fn func(user string, n int64)) error {
	return tx.Each(`SELECT user_id, COUNT(*) FROM ingest_session WHERE project = ? AND started >= ? AND started < ?
		AND user_id IN `+store.In(len(users))+` GROUP BY user_id`, append([]any{project, from, to}, users...), func(r store.Row) error {
		var user string
		var n int64
		err := r.Scan(&user, &n)
		fn(user, n)
		return err
	})
}

// sessionUsers calls fn with the users of all sessions that have one.
func sessionUsers(tx *store.Tx, project string, fn func(session, user string)) error {
	return tx.Each(`SELECT id, user_id FROM ingest_session WHERE project = ? AND user_id <> ''`, []any{project}, func(r store.Row) error {
		var id, user string
		err := r.Scan(&id, &user)
		fn(id, user)
		return err
	})
}

// sessionsOfClients calls fn for the sessions of clients.
func sessionsOfClients(tx *store.Tx, project string, clients []string, fn func(id string)) error {
	args := []any{project}
	for _, c := range clients {
		args = append(args, c)
	}
	return tx.Each(`SELECT id FROM ingest_session WHERE project = ? AND client_config IN `+store.In(len(clients)), args, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		fn(id)
		return err
	})
}

func membersText(m Members) []byte {
	if len(m) == 0 {
		return []byte("{}")
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // its values were read from JSON
	}
	return b
}

// sessionUsersIn returns the users of the sessions that started in a period.
func sessionUsersIn(tx *store.Tx, project string, from, to int64, fn func(user string)) error {
	return tx.Each(`SELECT DISTINCT user_id FROM ingest_session WHERE project = ? AND user_id <> '' AND started >= ? AND started < ?`,
		[]any{project, from, to}, func(r store.Row) error {
			var user string
			err := r.Scan(&user)
			fn(user)
			return err
		})
}

// sessionsIn counts the sessions that started in a period.
func sessionsIn(tx *store.Tx, project string, from, to int64) (n int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*) FROM ingest_session WHERE project = ? AND started >= ? AND started < ?`, []any{project, from, to}, &n)
	return n, err
}

// eachClient calls fn for the sessions that have a client.
func eachClient(tx *store.Tx, project string, fn func(session, client string)) error {
	return tx.Each(`SELECT id, client_config FROM ingest_session WHERE project = ? AND client_config <> ''`, []any{project}, func(r store.Row) error {
		var id, client string
		err := r.Scan(&id, &client)
		fn(id, client)
		return err
	})
}
