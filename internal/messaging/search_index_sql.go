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

// index adds messages to the index. Those without words are left out: system messages
// and deleted ones. Where a message is and whose it is are its tags.
const index = `INSERT INTO msg_search (rowid, words, tags)
	SELECT m.id, m.words, m.channel || ' ' || m.user_id || CASE c.kind WHEN '` + string(Public) + `' THEN ' public' || m.workspace ELSE '' END
	FROM msg_message m JOIN msg_channel c ON c.workspace = m.workspace AND c.id = m.channel WHERE ` + searched

// indexSome indexes changed messages, then new ones, at most most of these. It
// returns the number of new ones.
func indexSome(tx *store.Tx, most int) (n int, err error) {
	var mark, last int64
	if _, err := tx.Get(`SELECT value FROM msg_search_state WHERE name = 'indexed'`, nil, &mark); err != nil {
		return 0, err
	}
	if _, err := tx.Get(`SELECT COUNT(*), COALESCE(MAX(id), 0) FROM (SELECT id FROM msg_message WHERE id > ? ORDER BY id LIMIT ?)`,
		[]any{mark, most}, &n, &last); err != nil {
		return 0, err
	}
	const changed = `IN (SELECT message_id FROM msg_search_change WHERE message_id <= ?)`
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`DELETE FROM msg_search WHERE rowid ` + changed, []any{mark}},
		{index + ` AND m.id ` + changed, []any{mark}},
		{`DELETE FROM msg_search_change`, nil},
		{index + ` AND m.id > ? AND m.id <= ? ORDER BY m.id`, []any{mark, last}},
		{`UPDATE msg_search_state SET value = ? WHERE name = 'indexed'`, []any{max(mark, last)}},
	} {
		if _, err := tx.Exec(s.sql, s.args...); err != nil {
			return 0, err
		}
	}
	return n, nil
}
