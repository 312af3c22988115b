package tracker

import "understudy/internal/platform/store"

// webhooksOf is the transaction key of the enabled webhooks that a write has
// read.
type webhooksOf string

// enabledWebhooks returns the enabled webhooks of an organization, oldest first.
// The caller must not change them.
func enabledWebhooks(tx *store.Tx, org string) (out []*Webhook, err error) {
	if out, ok := store.Kept[[]*Webhook](tx, webhooksOf(org)); ok {
		return out, nil
	}
	defer func() {
		if err == nil {
			store.KeepLong(tx, webhooksOf(org), out, "tracker_webhook")
		}
	}()
	err = tx.Each(`SELECT id, url, secret, team, all_public_teams, resource_types FROM tracker_webhook
		WHERE org = ? AND enabled ORDER BY created, id`, []any{org}, func(r store.Row) error {
		h := &Webhook{Enabled: true}
		err := r.Scan(&h.ID, &h.URL, &h.sealed, &h.Team, &h.AllPublicTeams, &h.ResourceTypes)
		out = append(out, h)
		return err
	})
	return out, err
}

// membersOf returns the members of a team.
func membersOf(tx *store.Tx, org, team string) (out []string, err error) {
	err = tx.Each(`SELECT user_id FROM tracker_member WHERE org = ? AND team = ?`, []any{org, team}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// webhookTook resets the count of consecutive failures.
func webhookTook(tx *store.Tx, id string) error {
	_, err := tx.Exec(`UPDATE tracker_webhook SET failures = 0 WHERE id = ? AND failures <> 0`, id)
	return err
}

// webhookHealth returns the number of consecutive failures of a webhook and
// whether it is enabled; org is empty if the webhook does not exist.
func webhookHealth(tx *store.Tx, id string) (org string, failures int64, enabled bool, err error) {
	_, err = tx.Get(`SELECT org, failures, enabled FROM tracker_webhook WHERE id = ?`, []any{id}, &org, &failures, &enabled)
	return org, failures, enabled, err
}

// webhookFailed counts a delivery that was given up.
func webhookFailed(tx *store.Tx, org, id string) error {
	_, err := tx.Exec(`UPDATE tracker_webhook SET failures = failures + 1 WHERE org = ? AND id = ?`, org, id)
	return err
}

func disableWebhook(tx *store.Tx, org, id string, at, version int64) error {
	_, err := tx.Exec(`UPDATE tracker_webhook SET enabled = ?, updated = ?, version = ? WHERE org = ? AND id = ?`, false, at, version, org, id)
	return err
}
