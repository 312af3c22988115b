package messaging

import "understudy/internal/platform/store"

func insertMember(tx *store.Tx, ch *Channel, user string, at int64) error {
	n, err := tx.Exec(`INSERT INTO msg_member (workspace, channel, user_id, joined, last_read) VALUES (?, ?, ?, ?, 0)
		ON CONFLICT DO NOTHING`, ch.Workspace, ch.ID, user, at)
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.Exec(`UPDATE msg_channel SET members = members + 1 WHERE workspace = ? AND id = ?`, ch.Workspace, ch.ID)
	return err
}

func deleteMember(tx *store.Tx, ch *Channel, user string) error {
	n, err := tx.Exec(`DELETE FROM msg_member WHERE workspace = ? AND channel = ? AND user_id = ?`, ch.Workspace, ch.ID, user)
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.Exec(`UPDATE msg_channel SET members = members - 1 WHERE workspace = ? AND id = ?`, ch.Workspace, ch.ID)
	return err
}

func isMember(tx *store.Tx, ch *Channel, user string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM msg_member WHERE workspace = ? AND channel = ? AND user_id = ?`, []any{ch.Workspace, ch.ID, user}, &one)
}

func listMembers(tx *store.Tx, ch *Channel, after string, limit int) (out []string, err error) {
	err = tx.Each(`SELECT user_id FROM msg_member WHERE workspace = ? AND channel = ? AND user_id > ? ORDER BY user_id LIMIT ?`,
		[]any{ch.Workspace, ch.ID, after, limit}, func(r store.Row) error {
			var id string
			err := r.Scan(&id)
			out = append(out, id)
			return err
		})
	return out, err
}

func markRead(tx *store.Tx, ch *Channel, user string, ts TS) error {
	return tx.ExecLater(`UPDATE msg_member SET last_read = ? WHERE workspace = ? AND channel = ? AND user_id = ?`, ts, ch.Workspace, ch.ID, user)
}

func conversationsOf(tx *store.Tx, workspace, user string) (out []Conversation, err error) {
	err = tx.Each(`SELECT c.id, c.kind FROM msg_member m JOIN msg_channel c ON c.workspace = m.workspace AND c.id = m.channel
		WHERE m.workspace = ? AND m.user_id = ?`, []any{workspace, user}, func(r store.Row) error {
		c := Conversation{Workspace: workspace}
		err := r.Scan(&c.ID, &c.Kind)
		out = append(out, c)
		return err
	})
	return out, err
}
