package messaging

import "understudy/internal/platform/store"

const messageColumns = `id, listed, ts, thread_ts, user_id, subtype, body, metadata, reactions, reply_count, reply_users, latest_reply`

const maxTS = TS(1) << 62

func scanMessage(r store.Row) (*Message, error) {
	m := &Message{}
	err := r.Scan(&m.id, &m.Listed, &m.TS, &m.ThreadTS, &m.User, &m.Subtype, &m.body, &m.metadata, &m.reactions,
		&m.replyCount, &m.replyUsers, &m.latestReply)
	return m, err
}

func selectMessages(tx *store.Tx, rest string, args ...any) ([]*Message, error) {
	var out []*Message
	err := tx.Each(`SELECT `+messageColumns+` FROM msg_message `+rest, args, func(r store.Row) error {
		m, err := scanMessage(r)
		out = append(out, m)
		return err
	})
	return out, err
}

func firstMessage(tx *store.Tx, rest string, args ...any) (*Message, error) {
	found, err := selectMessages(tx, rest, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// messageAt returns the message with a ts, or nil.
func messageAt(tx *store.Tx, ch *Channel, ts TS) (*Message, error) {
	return firstMessage(tx, `WHERE workspace = ? AND channel = ? AND listed IN (TRUE, FALSE) AND ts = ? AND NOT deleted`, ch.Workspace, ch.ID, ts)
}

func messageByClientID(tx *store.Tx, ch *Channel, id string) (*Message, error) {
	return firstMessage(tx, `WHERE workspace = ? AND channel = ? AND client_msg_id = ? AND client_msg_id <> ''`, ch.Workspace, ch.ID, id)
}

// readHead reads the state of a channel that posting needs, for a user, and locks
// its row. It returns false for an unknown channel.
func readHead(tx *store.Tx, ch *Channel, user string) (found bool, err error) {
	var lastRead int64
	found, err = tx.Get(`SELECT c.last_ts, c.kind, c.archived, COALESCE((SELECT m.last_read FROM msg_member m
			WHERE m.workspace = c.workspace AND m.channel = c.id AND m.user_id = ?), -1)
		FROM msg_channel c WHERE c.workspace = ? AND c.id = ?`+tx.Dialect().ForUpdate,
		[]any{user, ch.Workspace, ch.ID}, &ch.LastTS, &ch.Kind, &ch.Archived, &lastRead)
	ch.CallerIsMember = lastRead >= 0
	return found, err
}

// writeTS stores the last ts of a channel.
func writeTS(tx *store.Tx, ch *Channel) error {
	return tx.ExecLater(`UPDATE msg_channel SET last_ts = ?, version = version + 1 WHERE workspace = ? AND id = ?`, ch.LastTS, ch.Workspace, ch.ID)
}

// insertMessage stores a message. It sets the row id, by which the rest of the
// transaction finds the message.
func insertMessage(tx *store.Tx, ch *Channel, m *Message, c *content) error {
	return tx.InsertIDLater(&m.id, "id", `INSERT INTO msg_message (workspace, channel, listed, ts, thread_ts, user_id, subtype, body, metadata, reactions,
		reply_count, reply_users, latest_reply, client_msg_id, words, deleted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, '', 0, ?, ?, FALSE)`,
		ch.Workspace, ch.ID, m.Listed, m.TS, m.ThreadTS, m.User, m.Subtype, m.body, string(m.metadata), c.clientMsgID, c.words)
}

// rewriteMessage stores the columns that an update or a tombstone changes.
func rewriteMessage(tx *store.Tx, m *Message, words string) error {
	_, err := tx.Exec(`UPDATE msg_message SET listed = ?, user_id = ?, subtype = ?, body = ?, metadata = ?, reactions = ?, words = ? WHERE id = ?`,
		m.Listed, m.User, m.Subtype, string(m.body), string(m.metadata), string(m.reactions), words, m.id)
	return err
}

// deleteMessage empties a message; its row remains for the search index.
func deleteMessage(tx *store.Tx, m *Message) error {
	_, err := tx.Exec(`UPDATE msg_message SET deleted = TRUE, body = '{}', metadata = '', reactions = '', words = '', client_msg_id = '',
		listed = FALSE, thread_ts = 0 WHERE id = ?`, m.id)
	return err
}

func updateThread(tx *store.Tx, m *Message) error {
	_, err := tx.Exec(`UPDATE msg_message SET reply_count = ?, reply_users = ?, latest_reply = ? WHERE id = ?`,
		m.replyCount, m.replyUsers, m.latestReply, m.id)
	return err
}

func eachReplyAuthor(tx *store.Tx, ch *Channel, parent TS, f func(ts TS, user string)) error {
	return tx.Each(`SELECT ts, user_id FROM msg_message WHERE workspace = ? AND channel = ? AND thread_ts = ? AND thread_ts > 0
		AND NOT deleted ORDER BY ts`, []any{ch.Workspace, ch.ID, parent}, func(r store.Row) error {
		var ts TS
		var user string
		err := r.Scan(&ts, &user)
		f(ts, user)
		return err
	})
}

func updateReactions(tx *store.Tx, m *Message) error {
	_, err := tx.Exec(`UPDATE msg_message SET reactions = ? WHERE id = ?`, string(m.reactions), m.id)
	return err
}
