package tracker

import "understudy/internal/platform/store"

// enabledWebhooks gives those of an organization that deliver, oldest first.
func enabledWebhooks(tx *store.Tx, org string) (out []*Webhook, err error) {
	err = tx.Each(`SELECT id, url, secret, team, all_public_teams, resource_types FROM tracker_webhook
		WHERE org = ? AND enabled ORDER BY created, id`, []any{org}, func(r store.Row) error {
		h := &Webhook{Enabled: true}
		err := r.Scan(&h.ID, &h.URL, &h.Secret, &h.Team, &h.AllPublicTeams, &h.ResourceTypes)
		out = append(out, h)
		return err
	})
	return out, err
}

// membersOf gives the members of a team.
func membersOf(tx *store.Tx, org, team string) (out []string, err error) {
	err = tx.Each(`SELECT user_id FROM tracker_member WHERE org = ? AND team = ?`, []any{org, team}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
