package messaging

import "understudy/internal/platform/store"

func insertReaction(tx *store.Tx, ch *Channel, ts TS, name, user string, at int64) (bool, error) {
	n, err := tx.Exec(`INSERT INTO msg_reaction (workspace, channel, ts, name, user_id, added) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, ch.Workspace, ch.ID, ts, name, user, at)
	return n > 0, err
}

func deleteReaction(tx *store.Tx, ch *Channel, ts TS, name, user string) (bool, error) {
	n, err := tx.Exec(`DELETE FROM msg_reaction WHERE workspace = ? AND channel = ? AND ts = ? AND name = ? AND user_id = ?`,
		ch.Workspace, ch.ID, ts, name, user)
	return n > 0, err
}

func deleteReactions(tx *store.Tx, ch *Channel, ts TS) error {
	_, err := tx.Exec(`DELETE FROM msg_reaction WHERE workspace = ? AND channel = ? AND ts = ?`, ch.Workspace, ch.ID, ts)
	return err
}

// countReactions returns how many emoji a user and all users have put on a
// message, the time of the last one, and whether name is one of the latter.
func countReactions(tx *store.Tx, ch *Channel, ts TS, user, name string) (mine, all, last int64, has bool, err error) {
	var same int64
	_, err = tx.Get(`SELECT COUNT(CASE WHEN user_id = ? THEN 1 END), COUNT(DISTINCT name), COUNT(CASE WHEN name = ? THEN 1 END),
		COALESCE(MAX(added), 0) FROM msg_reaction WHERE workspace = ? AND channel = ? AND ts = ?`,
		[]any{user, name, ch.Workspace, ch.ID, ts}, &mine, &all, &same, &last)
	return mine, all, last, same > 0, err
}

func eachReaction(tx *store.Tx, ch *Channel, ts TS, f func(name, user string)) error {
	return tx.Each(`SELECT name, user_id FROM msg_reaction WHERE workspace = ? AND channel = ? AND ts = ? ORDER BY added, name, user_id`,
		[]any{ch.Workspace, ch.ID, ts}, func(r store.Row) error {
			var name, user string
			err := r.Scan(&name, &user)
			f(name, user)
			return err
		})
}
