package messaging

import "understudy/internal/platform/store"

func insertResponse(tx *store.Tx, r *response) error {
	_, err := tx.Exec(`INSERT INTO msg_response (hash, workspace, app, channel, user_id, ts, thread_ts, ephemeral_ts, uses, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`, r.hash, r.workspace, r.app, r.channel, r.user, r.ts, r.threadTS, r.ephemeral, r.created)
	return err
}

// useResponse counts a use and returns the updated response_url, or nil.
func useResponse(tx *store.Tx, hash string) (*response, error) {
	n, err := tx.Exec(`UPDATE msg_response SET uses = uses + 1 WHERE hash = ?`, hash)
	if err != nil || n == 0 {
		return nil, err
	}
	return getResponse(tx, hash)
}

func getResponse(tx *store.Tx, hash string) (*response, error) {
	r := &response{hash: hash}
	found, err := tx.Get(`SELECT workspace, app, channel, user_id, ts, thread_ts, ephemeral_ts, uses, created FROM msg_response WHERE hash = ?`, []any{hash},
		&r.workspace, &r.app, &r.channel, &r.user, &r.ts, &r.threadTS, &r.ephemeral, &r.uses, &r.created)
	if err != nil || !found {
		return nil, err
	}
	return r, nil
}

func setResponseTS(tx *store.Tx, hash string, ts TS) error {
	_, err := tx.Exec(`UPDATE msg_response SET ts = ? WHERE hash = ? AND ts = 0`, ts, hash)
	return err
}

func setResponseEphemeral(tx *store.Tx, hash string, ts TS) error {
	_, err := tx.Exec(`UPDATE msg_response SET ephemeral_ts = ? WHERE hash = ?`, ts, hash)
	return err
}

func deleteResponsesBefore(tx *store.Tx, at int64) error {
	_, err := tx.Exec(`DELETE FROM msg_response WHERE created < ?`, at)
	return err
}
