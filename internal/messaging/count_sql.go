package messaging

import "understudy/internal/platform/store"

// countAll counts users, channels and messages. Rows of messages are emptied but
// never removed, so on SQLite the last id is their number; the deleted ones have
// their own index.
func countAll(tx *store.Tx) (map[string]int64, error) {
	messages := `SELECT COALESCE(MAX(id), 0) FROM msg_message`
	if tx.Dialect().Name != "sqlite" {
		messages = `SELECT COUNT(*) FROM msg_message` // PostgreSQL's ids have gaps
	}
	var users, channels, all, deleted int64
	_, err := tx.Get(`SELECT (SELECT COUNT(*) FROM msg_user), (SELECT COUNT(*) FROM msg_channel), (`+messages+`),
		(SELECT COUNT(*) FROM msg_message WHERE deleted)`, nil, &users, &channels, &all, &deleted)
	return map[string]int64{"users": users, "channels": channels, "messages": all - deleted}, err
}
