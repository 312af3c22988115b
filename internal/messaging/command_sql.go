package messaging

import "understudy/internal/platform/store"

func insertCommand(tx *store.Tx, c *Command) (bool, error) {
	n, err := tx.Exec(`INSERT INTO msg_command (workspace, id, app, command, url, description, usage_hint, should_escape, creator, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, c.Workspace, c.ID, c.App, c.Command, c.URL, c.Description,
		c.UsageHint, c.ShouldEscape, c.Creator, c.Created)
	return n > 0, err
}

func deleteCommand(tx *store.Tx, workspace, id string) error {
	_, err := tx.Exec(`DELETE FROM msg_command WHERE workspace = ? AND id = ?`, workspace, id)
	return err
}

func queryCommands(tx *store.Tx, where string, args ...any) (out []*Command, err error) {
	err = tx.Each(`SELECT workspace, id, app, command, url, description, usage_hint, should_escape, creator, created
		FROM msg_command WHERE `+where, args, func(r store.Row) error {
		c := &Command{}
		err := r.Scan(&c.Workspace, &c.ID, &c.App, &c.Command, &c.URL, &c.Description, &c.UsageHint, &c.ShouldEscape, &c.Creator, &c.Created)
		out = append(out, c)
		return err
	})
	return out, err
}

func listCommands(tx *store.Tx, workspace string, after Place, limit int) ([]*Command, error) {
	return queryCommands(tx, `workspace = ? AND (created > ? OR created = ? AND id > ?) ORDER BY created, id LIMIT ?`,
		workspace, after.Created, after.Created, after.ID, limit)
}
