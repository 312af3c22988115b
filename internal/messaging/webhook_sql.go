package messaging

import "understudy/internal/platform/store"

func insertWebhook(tx *store.Tx, h *Webhook, hash string) error {
	_, err := tx.Exec(`INSERT INTO msg_webhook (workspace, ref, hash, app, channel, name, creator, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		h.Workspace, h.Ref, hash, h.App, h.Channel, h.Name, h.Creator, h.Created)
	return err
}

func deleteWebhook(tx *store.Tx, workspace, ref string) error {
	_, err := tx.Exec(`DELETE FROM msg_webhook WHERE workspace = ? AND ref = ?`, workspace, ref)
	return err
}

func queryWebhooks(tx *store.Tx, where string, args ...any) (out []*Webhook, err error) {
	err = tx.Each(`SELECT h.workspace, h.ref, h.app, a.bot_id, h.channel, h.name, h.creator, h.created
		FROM msg_webhook h JOIN msg_app a ON a.workspace = h.workspace AND a.id = h.app WHERE `+where, args, func(r store.Row) error {
		h := &Webhook{}
		err := r.Scan(&h.Workspace, &h.Ref, &h.App, &h.BotID, &h.Channel, &h.Name, &h.Creator, &h.Created)
		out = append(out, h)
		return err
	})
	return out, err
}

// listWebhooks returns the webhooks that owner, or an app of owner, created; with
// "" all.
func listWebhooks(tx *store.Tx, workspace, owner string, after Place, limit int) ([]*Webhook, error) {
	return queryWebhooks(tx, `h.workspace = ? AND (h.created > ? OR h.created = ? AND h.ref > ?) AND `+ownedBy("h.")+` ORDER BY h.created, h.ref LIMIT ?`,
		workspace, after.Created, after.Created, after.ID, owner, owner, owner, limit)
}

func updateWebhookHash(tx *store.Tx, h *Webhook, hash string) error {
	_, err := tx.Exec(`UPDATE msg_webhook SET hash = ? WHERE workspace = ? AND ref = ?`, hash, h.Workspace, h.Ref)
	return err
}
