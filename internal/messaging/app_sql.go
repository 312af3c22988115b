package messaging

import (
	"strings"

	"understudy/internal/platform/store"
)

func insertApp(tx *store.Tx, a *App) error {
	_, err := tx.Exec(`INSERT INTO msg_app (workspace, id, name, manifest, bot_id, bot_user_id, bot_scopes, user_scopes, creator,
		rotation, created, seeded_as, deleted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE)`,
		a.Workspace, a.ID, a.Name, string(a.Manifest), a.BotID, a.BotUserID, strings.Join(a.BotScopes, ","),
		strings.Join(a.UserScopes, ","), a.Creator, a.Rotation, a.Created, a.SeededAs)
	return err
}

func updateRotation(tx *store.Tx, a *App) error {
	_, err := tx.Exec(`UPDATE msg_app SET rotation = ? WHERE workspace = ? AND id = ?`, a.Rotation, a.Workspace, a.ID)
	return err
}

func queryApps(tx *store.Tx, where string, args ...any) ([]*App, error) {
	var out []*App
	err := tx.Each(`SELECT workspace, id, name, manifest, bot_id, bot_user_id, bot_scopes, user_scopes, creator, rotation, created, seeded_as
		FROM msg_app WHERE NOT deleted AND `+where, args, func(r store.Row) error {
		a := &App{}
		var bot, user string
		var manifest []byte
		err := r.Scan(&a.Workspace, &a.ID, &a.Name, &manifest, &a.BotID, &a.BotUserID, &bot, &user, &a.Creator, &a.Rotation, &a.Created, &a.SeededAs)
		a.Manifest, a.BotScopes, a.UserScopes = manifest, splitList(bot), splitList(user)
		out = append(out, a)
		return err
	})
	return out, err
}

func splitList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func getApp(tx *store.Tx, workspace, id string) (*App, error) {
	found, err := queryApps(tx, `workspace = ? AND id = ?`, workspace, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// seededApps returns the apps of a workspace that seed documents created.
func seededApps(tx *store.Tx, workspace string) ([]*App, error) {
	return queryApps(tx, `workspace = ? AND seeded_as <> '' ORDER BY created, id`, workspace)
}

// firstApp returns the oldest app of a workspace that creator created, or with ""
// the oldest of all.
func firstApp(tx *store.Tx, workspace, creator string) (*App, error) {
	found, err := queryApps(tx, `workspace = ? AND (? = '' OR creator = ?) ORDER BY created, id LIMIT 1`, workspace, creator, creator)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func listApps(tx *store.Tx, workspace string, after Place, limit int) ([]*App, error) {
	return queryApps(tx, `workspace = ? AND (created > ? OR created = ? AND id > ?) ORDER BY created, id LIMIT ?`,
		workspace, after.Created, after.Created, after.ID, limit)
}

func updateApp(tx *store.Tx, a *App) error {
	_, err := tx.Exec(`UPDATE msg_app SET name = ?, manifest = ?, bot_scopes = ?, user_scopes = ? WHERE workspace = ? AND id = ?`,
		a.Name, string(a.Manifest), strings.Join(a.BotScopes, ","), strings.Join(a.UserScopes, ","), a.Workspace, a.ID)
	return err
}

// deleteApp removes an app and all that belongs to it.
func deleteApp(tx *store.Tx, a *App) error {
	for _, table := range []string{"msg_subscription", "msg_webhook", "msg_command", "msg_response"} {
		if _, err := tx.Exec(`DELETE FROM `+table+` WHERE workspace = ? AND app = ?`, a.Workspace, a.ID); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`UPDATE msg_app SET deleted = TRUE WHERE workspace = ? AND id = ?`, a.Workspace, a.ID)
	return err
}

func commandsOfApp(tx *store.Tx, a *App) ([]*Command, error) {
	return queryCommands(tx, `workspace = ? AND app = ? ORDER BY created, id`, a.Workspace, a.ID)
}

func subscriptionsOfApp(tx *store.Tx, a *App) ([]*Subscription, error) {
	return querySubscriptions(tx, `workspace = ? AND app = ? ORDER BY created, id`, a.Workspace, a.ID)
}
