package messaging

import "understudy/internal/platform/store"

func listEmoji(tx *store.Tx, workspace string) (map[string]string, error) {
	out := map[string]string{}
	err := tx.Each(`SELECT name, url FROM msg_emoji WHERE workspace = ?`, []any{workspace}, func(r store.Row) error {
		var name, url string
		err := r.Scan(&name, &url)
		out[name] = url
		return err
	})
	return out, err
}

func putEmoji(tx *store.Tx, workspace, name, url string, created int64) error {
	_, err := tx.Exec(`INSERT INTO msg_emoji (workspace, name, url, created) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace, name) DO UPDATE SET url = excluded.url`, workspace, name, url, created)
	return err
}
