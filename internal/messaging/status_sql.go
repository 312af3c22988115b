package messaging

import "understudy/internal/platform/store"

func usersWithStatusUntil(tx *store.Tx, now int64) ([]*User, error) {
	return queryUsers(tx, `u.status_expires > 0 AND u.status_expires <= ? ORDER BY u.status_expires, u.workspace, u.id`, now)
}

func nextStatusEnd(tx *store.Tx, now int64) (next int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(status_expires), 0) FROM msg_user WHERE status_expires > 0 AND status_expires > ?`, []any{now}, &next)
	return next, err
}
