package tracker

// Webhooks are the registrations of the organization; only admins see them.
var Webhooks = (&Kind[Webhook]{Name: "Webhook", table: "tracker_webhook",
	of: map[string]relation{"team": {parent: "t.team"}},
	hide: func(v *View) (string, []any) {
		if v.viewer.Admin {
			return hideBy("t.team")(v)
		}
		return "1 = 0", nil
	},
}).ready((*Webhook).base, []column[Webhook]{
	{"label", "label", ref, func(h *Webhook) any { return &h.Label }},
	{"url", "url", text, func(h *Webhook) any { return &h.URL }},
	{"secret", "", hidden, func(h *Webhook) any { return &h.Secret }},
	{"team", "teamId", ref, func(h *Webhook) any { return &h.Team }},
	{"all_public_teams", "allPublicTeams", flag, func(h *Webhook) any { return &h.AllPublicTeams }},
	{"resource_types", "resourceTypes", list, func(h *Webhook) any { return &h.ResourceTypes }},
	{"enabled", "enabled", flag, func(h *Webhook) any { return &h.Enabled }},
	{"creator", "creatorId", ref, func(h *Webhook) any { return &h.Creator }},
	{"failures", "", hidden, func(h *Webhook) any { return &h.Failures }},
})

func init() { Webhooks.shape = &shape{name: "Webhook", table: "tracker_webhook"} }
