package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Webhooks are the registrations of the organization; only admins see them.
var Webhooks = declare(entity.Kind[*View, Webhook]{Name: "Webhook", Table: "tracker_webhook",
	Relations: map[string]entity.Relation{"team": {Parent: "t.team"}},
	Hide: func(v *View) (string, []any) {
		if v.viewer.Admin {
			return hideBy("t.team")(v)
		}
		return "1 = 0", nil
	},
	Complete: func(v *View, rows []*Webhook) error {
		for _, h := range rows {
			if err := v.t.openSecret(h); err != nil {
				return err
			}
		}
		return nil
	},
}, (*Webhook).Header, []entity.Column[Webhook]{
	entity.Col("label", "label", entity.Ref, func(h *Webhook) any { return &h.Label }),
	entity.Col("url", "url", entity.Text, func(h *Webhook) any { return &h.URL }),
	entity.Col("secret", "", entity.Hidden, func(h *Webhook) any { return &h.sealed }),
	entity.Col("team", "teamId", entity.Ref, func(h *Webhook) any { return &h.Team }),
	entity.Col("all_public_teams", "allPublicTeams", entity.Flag, func(h *Webhook) any { return &h.AllPublicTeams }),
	entity.Col("resource_types", "resourceTypes", entity.List, func(h *Webhook) any { return &h.ResourceTypes }),
	entity.Col("enabled", "enabled", entity.Flag, func(h *Webhook) any { return &h.Enabled }),
	entity.Col("creator", "creatorId", entity.Ref, func(h *Webhook) any { return &h.Creator }),
	entity.Col("failures", "", entity.Hidden, func(h *Webhook) any { return &h.Failures }),
})

// allSecrets returns the webhooks of all organizations with only their keys and
// stored secrets.
func allSecrets(tx *store.Tx) (out []*Webhook, err error) {
	err = tx.Each(`SELECT org, id, secret FROM tracker_webhook`, nil, func(r store.Row) error {
		h := &Webhook{}
		err := r.Scan(&h.Org, &h.ID, &h.sealed)
		out = append(out, h)
		return err
	})
	return out, err
}

func setSealed(tx *store.Tx, org, id, sealed string) error {
	_, err := tx.Exec(`UPDATE tracker_webhook SET secret = ? WHERE org = ? AND id = ?`, sealed, org, id)
	return err
}

func init() { Webhooks.Shape = &entity.Shape{Name: "Webhook", Table: "tracker_webhook"} }
