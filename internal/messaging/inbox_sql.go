package messaging

import "understudy/internal/platform/store"

// maxEphemeral is the most ephemeral messages that are stored for a person.
const maxEphemeral = 100

func insertEphemeral(tx *store.Tx, workspace, user string, e *ephemeral) error {
	id, err := tx.InsertID("id", `INSERT INTO msg_ephemeral (workspace, user_id, event, kind, channel, ts, body, request)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, workspace, user, e.at.Event, e.kind, e.channel, e.ts, e.body, e.request)
	if err != nil {
		return err
	}
	e.at.Ephemeral = id
	_, err = tx.Exec(`DELETE FROM msg_ephemeral WHERE workspace = ? AND user_id = ? AND id <=
		(SELECT id FROM msg_ephemeral WHERE workspace = ? AND user_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
		workspace, user, workspace, user, maxEphemeral)
	return err
}

func deleteEphemeral(tx *store.Tx, workspace, user, channel string, ts TS) error {
	_, err := tx.Exec(`DELETE FROM msg_ephemeral WHERE workspace = ? AND user_id = ? AND channel = ? AND ts = ?`, workspace, user, channel, ts)
	return err
}

// ephemerals returns the ephemeral messages for a person, oldest first.
func ephemerals(tx *store.Tx, workspace, user string) (out []*ephemeral, err error) {
	err = tx.Each(`SELECT id, event, kind, channel, ts, body, request FROM msg_ephemeral WHERE workspace = ? AND user_id = ? ORDER BY id`,
		[]any{workspace, user}, func(r store.Row) error {
			e := &ephemeral{}
			err := r.Scan(&e.at.Ephemeral, &e.at.Event, &e.kind, &e.channel, &e.ts, &e.body, &e.request)
			out = append(out, e)
			return err
		})
	return out, err
}

func ephemeralAt(tx *store.Tx, workspace, user, channel string, ts TS) (body []byte, err error) {
	_, err = tx.Get(`SELECT body FROM msg_ephemeral WHERE workspace = ? AND user_id = ? AND channel = ? AND ts = ?`,
		[]any{workspace, user, channel, ts}, &body)
	return body, err
}

func newestEphemeral(tx *store.Tx, workspace, user, channel string) (ts TS, err error) {
	_, err = tx.Get(`SELECT ts FROM msg_ephemeral WHERE workspace = ? AND user_id = ? AND channel = ? ORDER BY ts DESC LIMIT 1`,
		[]any{workspace, user, channel}, &ts)
	return ts, err
}

func lastEphemeral(tx *store.Tx, workspace, user string) (id int64, err error) {
	_, err = tx.Get(`SELECT id FROM msg_ephemeral WHERE workspace = ? AND user_id = ? ORDER BY id DESC LIMIT 1`, []any{workspace, user}, &id)
	return id, err
}

func setLastAct(tx *store.Tx, workspace, user string, at InboxPlace) error {
	_, err := tx.Exec(`INSERT INTO msg_act (workspace, user_id, event, ephemeral) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace, user_id) DO UPDATE SET event = excluded.event, ephemeral = excluded.ephemeral`, workspace, user, at.Event, at.Ephemeral)
	return err
}

func lastAct(tx *store.Tx, workspace, user string) (at InboxPlace, err error) {
	_, err = tx.Get(`SELECT event, ephemeral FROM msg_act WHERE workspace = ? AND user_id = ?`, []any{workspace, user}, &at.Event, &at.Ephemeral)
	return at, err
}
