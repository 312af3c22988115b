package tracker

import "understudy/internal/tracker/entity"

// Webhooks are the registrations of the organization; only admins see them.
var Webhooks = declare(entity.Kind[*View, Webhook]{Name: "Webhook", Table: "tracker_webhook",
	Relations: map[string]entity.Relation{"team": {Parent: "t.team"}},
	Hide: func(v *View) (string, []any) {
		if v.viewer.Admin {
			return hideBy("t.team")(v)
		}
		return "1 = 0", nil
	},
}, (*Webhook).Header, []entity.Column[Webhook]{
	entity.Col("label", "label", entity.Ref, func(h *Webhook) any { return &h.Label }),
	entity.Col("url", "url", entity.Text, func(h *Webhook) any { return &h.URL }),
	entity.Col("secret", "", entity.Hidden, func(h *Webhook) any { return &h.Secret }),
	entity.Col("team", "teamId", entity.Ref, func(h *Webhook) any { return &h.Team }),
	entity.Col("all_public_teams", "allPublicTeams", entity.Flag, func(h *Webhook) any { return &h.AllPublicTeams }),
	entity.Col("resource_types", "resourceTypes", entity.List, func(h *Webhook) any { return &h.ResourceTypes }),
	entity.Col("enabled", "enabled", entity.Flag, func(h *Webhook) any { return &h.Enabled }),
	entity.Col("creator", "creatorId", entity.Ref, func(h *Webhook) any { return &h.Creator }),
	entity.Col("failures", "", entity.Hidden, func(h *Webhook) any { return &h.Failures }),
})

func init() { Webhooks.Shape = &entity.Shape{Name: "Webhook", Table: "tracker_webhook"} }
