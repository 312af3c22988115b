package ingest

import (
	"encoding/json"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// User is an end user of the agents.
type User struct {
	ID                  string
	Traits              Members
	FirstSeen, LastSeen int64

	bytes int // about its length in a reply
}

// lockUser locks a user's row and returns the traits in it.
func lockUser(tx *store.Tx, project, id string) (m Members, err error) {
	var traits []byte
	found, err := tx.Get(`SELECT traits FROM ingest_user WHERE project = ? AND id = ?`+tx.Dialect().ForUpdate, []any{project, id}, &traits)
	if err != nil || !found {
		return nil, err
	}
	return m, json.Unmarshal(traits, &m)
}

func putUser(tx *store.Tx, project, id string, traits Members, first, last int64) error {
	_, err := tx.Exec(`INSERT INTO ingest_user (project, id, traits, first_seen, last_seen) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (project, id) DO UPDATE SET traits = excluded.traits,
			first_seen = CASE WHEN ingest_user.first_seen < excluded.first_seen THEN ingest_user.first_seen ELSE excluded.first_seen END,
			last_seen = CASE WHEN ingest_user.last_seen > excluded.last_seen THEN ingest_user.last_seen ELSE excluded.last_seen END`,
		project, id, membersText(traits), first, last)
	return err
}

// seeUser stores that a user had events in a period.
func seeUser(tx *store.Tx, project, id string, first, last int64) error {
	_, err := tx.Exec(`INSERT INTO ingest_user (project, id, traits, first_seen, last_seen) VALUES (?, ?, '{}', ?, ?)
		ON CONFLICT (project, id) DO UPDATE SET
			first_seen = CASE WHEN ingest_user.first_seen < excluded.first_seen THEN ingest_user.first_seen ELSE excluded.first_seen END,
			last_seen = CASE WHEN ingest_user.last_seen > excluded.last_seen THEN ingest_user.last_seen ELSE excluded.last_seen END`,
		project, id, first, last)
	return err
}

func replaceTraits(tx *store.Tx, project, user string, rows [][]any) error {
	if _, err := tx.Exec(`DELETE FROM ingest_trait WHERE project = ? AND user_id = ?`, project, user); err != nil {
		return err
	}
	return tx.CopyFrom("ingest_trait", []string{"project", "name", "value", "user_id"}, rows)
}

// usersWithTrait adds the users whose profile has a value to out.
func usersWithTrait(tx *store.Tx, project, name, value string, out map[string]bool) error {
	value = indexedValue(value)
	return tx.Each(`SELECT user_id FROM ingest_trait WHERE project = ? AND name = ? AND value = ?`, []any{project, name, value}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		out[id] = true
		return err
	})
}

// eachTrait calls fn for every filterable value of every user, by name and value,
// from the names after one on; "" for all.
func eachTrait(tx *store.Tx, project, after string, fn func(name, value, user string) error) error {
	from, args := "", []any{project}
	if after != "" {
		from, args = ` AND name > ?`, append(args, after)
	}
	return tx.Each(`SELECT name, value, user_id FROM ingest_trait WHERE project = ?`+from+` ORDER BY name, value`, args, func(r store.Row) error {
		var name, value, user string
		if err := r.Scan(&name, &value, &user); err != nil {
			return err
		}
		return fn(name, value, user)
	})
}

// usersBefore returns users whose ids contain a text, last seen first, below a
// position, until they fill a page. ended reports that there are no others.
func usersBefore(tx *store.Tx, page *budget.Page, project, find string, seen int64, id string, limit int) (out []User, ended bool, err error) {
	ended = true
	named, args := "", []any{project, seen, seen, id}
	if find != "" {
		named, args = ` AND LOWER(id) LIKE ? ESCAPE '\'`, append(args, likePart(find))
	}
	err = tx.Each(`SELECT id, traits, first_seen, last_seen FROM ingest_user WHERE project = ?
		AND (last_seen < ? OR last_seen = ? AND id < ?)`+named+` ORDER BY last_seen DESC, id DESC LIMIT ?`,
		append(args, limit), func(r store.Row) error {
			var u User
			var traits []byte
			err := r.Scan(&u.ID, &traits, &u.FirstSeen, &u.LastSeen)
			if err == nil {
				err = json.Unmarshal(traits, &u.Traits)
			}
			u.bytes = rowBytes + len(traits)
			if err == nil {
				out, err = append(out, u), page.Add(u.bytes)
			}
			if err == nil && page.Full() {
				ended, err = false, store.Stop()
			}
			return err
		})
	return out, ended && len(out) < limit, err
}

// eachTraitOf calls fn for the filterable values of a trait, with their users.
func eachTraitOf(tx *store.Tx, project, name string, fn func(value, user string)) error {
	return tx.Each(`SELECT value, user_id FROM ingest_trait WHERE project = ? AND name = ? ORDER BY value`, []any{project, name}, func(r store.Row) error {
		var value, user string
		err := r.Scan(&value, &user)
		fn(value, user)
		return err
	})
}

// allUsers counts the users of a project.
func allUsers(tx *store.Tx, project string) (n int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*) FROM ingest_user WHERE project = ?`, []any{project}, &n)
	return n, err
}
