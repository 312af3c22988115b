package messaging

import "understudy/internal/platform/store"

// queryWindow returns messages of a conversation, or the replies of a thread,
// between two timestamps, both included.
func queryWindow(tx *store.Tx, ch *Channel, thread, oldest, latest TS, limit int, newestFirst bool) ([]*Message, error) {
	order := ` ORDER BY ts LIMIT ?`
	if newestFirst {
		order = ` ORDER BY ts DESC LIMIT ?`
	}
	if thread > 0 {
		return selectMessages(tx, `WHERE workspace = ? AND channel = ? AND thread_ts = ? AND thread_ts > 0 AND ts >= ? AND ts <= ? AND NOT deleted`+order,
			ch.Workspace, ch.ID, thread, oldest, latest, limit)
	}
	return selectMessages(tx, `WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts >= ? AND ts <= ?`+order,
		ch.Workspace, ch.ID, oldest, latest, limit)
}
