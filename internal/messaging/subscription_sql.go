package messaging

import (
	"encoding/json"
	"strings"

	"understudy/internal/platform/store"
)

func insertSubscription(tx *store.Tx, sub *Subscription) error {
	words, err := json.Marshal(sub.TriggerWords)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO msg_subscription (workspace, id, kind, app, viewer, url, event_types, status, name, channel,
		trigger_words, creator, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sub.Workspace, sub.ID, sub.Kind, sub.App, sub.Viewer, sub.URL, strings.Join(sub.EventTypes, ","), sub.Status, sub.Name, sub.Channel,
		words, sub.Creator, sub.Created)
	return err
}

func querySubscriptions(tx *store.Tx, where string, args ...any) (out []*Subscription, err error) {
	err = tx.Each(`SELECT workspace, id, kind, app, viewer, url, event_types, status, name, channel, trigger_words, creator, created
		FROM msg_subscription WHERE `+where, args, func(r store.Row) error {
		sub := &Subscription{}
		var types string
		var words []byte
		err := r.Scan(&sub.Workspace, &sub.ID, &sub.Kind, &sub.App, &sub.Viewer, &sub.URL, &types, &sub.Status, &sub.Name, &sub.Channel,
			&words, &sub.Creator, &sub.Created)
		if err != nil {
			return err
		}
		sub.EventTypes = splitList(types)
		out = append(out, sub)
		return json.Unmarshal(words, &sub.TriggerWords)
	})
	return out, err
}

// listSubscriptions returns the subscriptions that owner, or an app of owner,
// created; with "" all.
func listSubscriptions(tx *store.Tx, workspace string, kind SubscriptionKind, owner string, after Place, limit int) ([]*Subscription, error) {
	return querySubscriptions(tx, `workspace = ? AND kind = ? AND (created > ? OR created = ? AND id > ?) AND `+ownedBy("")+` ORDER BY created, id LIMIT ?`,
		workspace, kind, after.Created, after.Created, after.ID, owner, owner, owner, limit)
}

// ownedBy returns the condition that a user created a row or the row's app, with
// three placeholders for the user, "" for anybody. prefix precedes the names of
// the row's columns.
func ownedBy(prefix string) string {
	return `(? = '' OR ` + prefix + `creator = ? OR ` + prefix + `app IN (SELECT o.id FROM msg_app o WHERE o.workspace = ` + prefix + `workspace AND o.creator = ?))`
}

func getSubscription(tx *store.Tx, workspace string, kind SubscriptionKind, id string) (*Subscription, error) {
	found, err := querySubscriptions(tx, `workspace = ? AND kind = ? AND id = ?`, workspace, kind, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func deleteSubscription(tx *store.Tx, workspace, id string) error {
	_, err := tx.Exec(`DELETE FROM msg_subscription WHERE workspace = ? AND id = ?`, workspace, id)
	return err
}

func updateSubscriptionStatus(tx *store.Tx, workspace, id, status string) error {
	_, err := tx.Exec(`UPDATE msg_subscription SET status = ? WHERE workspace = ? AND id = ?`, status, workspace, id)
	return err
}

// activeSubscriptions returns the active subscriptions of a workspace, with
// their apps.
func activeSubscriptions(tx *store.Tx, workspace string) ([]*Subscription, error) {
	subs, err := querySubscriptions(tx, `workspace = ? AND status = 'active' ORDER BY created, id`, workspace)
	if err != nil {
		return nil, err
	}
	out := subs[:0]
	for _, sub := range subs {
		if sub.app, err = getApp(tx, workspace, sub.App); err != nil {
			return nil, err
		}
		if sub.app != nil {
			out = append(out, sub)
		}
	}
	return out, nil
}

func workspaceOfSubscription(tx *store.Tx, id string) (workspace string, err error) {
	_, err = tx.Get(`SELECT workspace FROM msg_subscription WHERE id = ?`, []any{id}, &workspace)
	return workspace, err
}
