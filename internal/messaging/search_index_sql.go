package messaging

import "understudy/internal/platform/store"

func indexBehind(tx *store.Tx) (bool, error) {
	var yes bool
	_, err := tx.Get(`SELECT EXISTS (SELECT 1 FROM msg_search_change) OR
		COALESCE((SELECT MAX(id) FROM msg_message), 0) > (SELECT value FROM msg_search_state WHERE name = 'indexed')`, nil, &yes)
	return yes, err
}

// tail describes the messages that the full-text index lacks: those after the id
// mark, and changed ones up to it. PostgreSQL has no tail.
type tail struct{ mark, newest, changed int64 }

func readTail(tx *store.Tx) (t tail, err error) {
	if tx.Dialect().Name == "sqlite" {
		_, err = tx.Get(`SELECT value, COALESCE((SELECT MAX(id) FROM msg_message), 0), (SELECT COUNT(*) FROM msg_search_change)
			FROM msg_search_state WHERE name = 'indexed'`, nil, &t.mark, &t.newest, &t.changed)
	}
	return t, err
}

func markChanged(tx *store.Tx, id int64) error {
	_, err := tx.Exec(`INSERT INTO msg_search_change (message_id) VALUES (?)`, id)
	return err
}

type indexed struct {
	id          int64
	words, tags string
}

// indexSome indexes changed messages, then new ones, at most most of these. It
// returns the number of new ones.
func indexSome(tx *store.Tx, most int) (int, error) {
	var mark int64
	if _, err := tx.Get(`SELECT value FROM msg_search_state WHERE name = 'indexed'`, nil, &mark); err != nil {
		return 0, err
	}
	changed, err := indexRows(tx, `m.id IN (SELECT message_id FROM msg_search_change WHERE message_id <= ?)`, mark)
	if err != nil {
		return 0, err
	}
	for _, r := range changed {
		if _, err := tx.Exec(`DELETE FROM msg_search WHERE rowid = ?`, r.id); err != nil {
			return 0, err
		}
	}
	if _, err := tx.Exec(`DELETE FROM msg_search_change`); err != nil {
		return 0, err
	}
	fresh, err := indexRows(tx, `m.id > ? ORDER BY m.id LIMIT ?`, mark, most)
	if err != nil {
		return 0, err
	}
	for _, r := range append(changed, fresh...) {
		if r.words != "" || r.tags != "" {
			if _, err := tx.Exec(`INSERT INTO msg_search (rowid, words, tags) VALUES (?, ?, ?)`, r.id, r.words, r.tags); err != nil {
				return 0, err
			}
		}
		mark = max(mark, r.id)
	}
	_, err = tx.Exec(`UPDATE msg_search_state SET value = ? WHERE name = 'indexed'`, mark)
	return len(fresh), err
}

// indexRows reads the words and tags of messages. System messages and deleted
// ones have none.
func indexRows(tx *store.Tx, where string, args ...any) ([]indexed, error) {
	var out []indexed
	err := tx.Each(`SELECT m.id, m.words, m.channel, m.user_id, m.subtype, m.deleted, c.kind, m.workspace
		FROM msg_message m JOIN msg_channel c ON c.workspace = m.workspace AND c.id = m.channel WHERE `+where, args,
		func(r store.Row) error {
			var i indexed
			var channel, user, subtype, workspace string
			var deleted bool
			var kind Kind
			if err := r.Scan(&i.id, &i.words, &channel, &user, &subtype, &deleted, &kind, &workspace); err != nil {
				return err
			}
			if deleted || systemSubtype(subtype) {
				i.words = ""
			} else {
				i.tags = channel + " " + user
				if kind == Public {
					i.tags += " public" + workspace
				}
			}
			out = append(out, i)
			return nil
		})
	return out, err
}
