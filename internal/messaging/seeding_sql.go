package messaging

import "understudy/internal/platform/store"

func everyUser(tx *store.Tx, workspace string) ([]*User, error) {
	return queryUsers(tx, `u.workspace = ? ORDER BY u.id`, workspace)
}

// tsTaken reports whether a ts was allocated before, even if its message was
// deleted.
func tsTaken(tx *store.Tx, ch *Channel, ts TS) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM msg_message WHERE workspace = ? AND channel = ? AND listed IN (TRUE, FALSE) AND ts = ?`,
		[]any{ch.Workspace, ch.ID, ts}, &one)
}

// raiseTS makes a channel allocate only timestamps above ts, and increments its
// version.
func raiseTS(tx *store.Tx, ch *Channel, ts TS) error {
	_, err := tx.Exec(`UPDATE msg_channel SET last_ts = CASE WHEN last_ts < ? THEN ? ELSE last_ts END, version = version + 1
		WHERE workspace = ? AND id = ?`, ts, ts, ch.Workspace, ch.ID)
	return err
}

func raiseRead(tx *store.Tx, ch *Channel, user string, ts TS) error {
	_, err := tx.Exec(`UPDATE msg_member SET last_read = ? WHERE workspace = ? AND channel = ? AND user_id = ? AND last_read < ?`,
		ts, ch.Workspace, ch.ID, user, ts)
	return err
}
