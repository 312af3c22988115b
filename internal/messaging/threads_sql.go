package messaging

import "understudy/internal/platform/store"

type threadRow struct {
	channel string
	parent  *Message
}

// threadsBefore returns the parents of threads whose newest reply is older than
// a ts, newest first.
func threadsBefore(tx *store.Tx, workspace string, before ThreadPlace, limit int) (out []threadRow, err error) {
	err = tx.Each(`SELECT channel, `+messageColumns+` FROM msg_message
		WHERE workspace = ? AND reply_count > 0 AND latest_reply <= ? AND (latest_reply < ? OR id < ?) AND NOT deleted
		ORDER BY latest_reply DESC, id DESC LIMIT ?`,
		[]any{workspace, before.Latest, before.Latest, before.ID, limit}, func(r store.Row) error {
			m := &Message{}
			row := threadRow{parent: m}
			err := r.Scan(&row.channel, &m.id, &m.Listed, &m.TS, &m.ThreadTS, &m.User, &m.Subtype, &m.body, &m.metadata, &m.reactions,
				&m.replyCount, &m.replyUsers, &m.latestReply)
			out = append(out, row)
			return err
		})
	return out, err
}

// countReplies counts the replies of others in a thread after a ts.
func countReplies(tx *store.Tx, ch *Channel, parent, after TS, user string) (n int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*) FROM (SELECT ts FROM msg_message WHERE workspace = ? AND channel = ? AND thread_ts = ? AND thread_ts > 0
		AND ts > ? AND user_id <> ? AND NOT deleted LIMIT ?) AS unread`,
		[]any{ch.Workspace, ch.ID, parent, after, user, countedUnread}, &n)
	return n, err
}

// lastReplyOf returns the ts of a user's latest reply in a thread, or 0.
func lastReplyOf(tx *store.Tx, ch *Channel, parent TS, user string) (ts TS, err error) {
	_, err = tx.Get(`SELECT ts FROM msg_message WHERE workspace = ? AND channel = ? AND thread_ts = ? AND thread_ts > 0
		AND user_id = ? AND NOT deleted ORDER BY ts DESC LIMIT 1`, []any{ch.Workspace, ch.ID, parent, user}, &ts)
	return ts, err
}
