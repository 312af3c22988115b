package tracker

import (
	"encoding/json"

	"understudy/internal/platform/diff"
	"understudy/internal/tracker/entity"
)

// Entities declares the tracker's entities for diffs: the kinds, under the names
// that payloads use, and the members of teams.
func Entities() []diff.Entity {
	last := diff.Out("the work of nobody: it changes with every call")
	count := diff.Out("a count of entities of their own")
	search := diff.Out("a form for comparing")
	teams := declared(Teams, "team", map[string]diff.Column{"settings": diff.Used("shown one by one")})
	teams.Add = settings(teamDefaults)
	projects := declared(Projects, "project", map[string]diff.Column{"settings": diff.Used("shown one by one")})
	projects.Add = settings(projectDefaults)
	organizations := declared(Organizations, "organization", map[string]diff.Column{"settings": diff.Used("shown one by one")})
	organizations.Key, organizations.Add = []string{"id"}, settings(organizationDefaults)
	out := []diff.Entity{
		declared(Comments, "comment", map[string]diff.Column{"team": diff.Out("follows from the issue or the project")}),
		declared(Cycles, "cycle", nil),
		declared(Invites, "invitation", map[string]diff.Column{"token": diff.Out("a secret")}),
		declared(Issues, "issue", map[string]diff.Column{"restored": diff.Out("follows from when it was brought back")}),
		declared(Labels, "label", map[string]diff.Column{"name_key": search, "group_type": diff.Out("follows from is_group"), "last_applied": last}),
		organizations,
		projects,
		declared(ProjectStatuses, "projectStatus", nil),
		teams,
		{Name: "teamMembership", Table: "tracker_member", Key: []string{"org", "team", "user_id"},
			KeyOf: func(r diff.Row) string { return r.Text("team") + "/" + r.Text("user_id") }, KeyForm: "teamId/userId",
			Columns: map[string]diff.Column{"org": diff.Out("one for each token"), "team": diff.As("teamId", diff.Text).Refers("tracker.team"),
				"user_id": diff.As("userId", diff.Text).Refers("tracker.user"), "owner": diff.As("owner", diff.Bool)}},
		declared(Users, "user", map[string]diff.Column{"account": diff.Out("accounts are entities of their own"),
			"status_emoji": diff.As("statusEmoji", diff.Ref), "status_label": diff.As("statusLabel", diff.Ref),
			"status_until": diff.As("statusUntilAt", diff.ISO), "last_seen": last, "created_issues": count}),
		declared(Webhooks, "webhook", map[string]diff.Column{"secret": diff.Out("a secret"),
			"failures": diff.Out("a count of failed deliveries in a row")}),
		declared(States, "workflowState", map[string]diff.Column{"name_key": search}),
	}
	for i := range out {
		complete(&out[i])
	}
	return out
}

var forms = map[entity.Form]diff.Form{entity.Text: diff.Text, entity.Ref: diff.Ref, entity.Number: diff.Real, entity.Nullable: diff.Real,
	entity.Flag: diff.Bool, entity.Time: diff.ISO, entity.List: diff.List(" ")}

// declared declares a kind; more declares its hidden columns.
func declared[T any](k *Kind[T], name string, more map[string]diff.Column) diff.Entity {
	out := diff.Entity{Name: name, Table: k.Table, Key: []string{"org", "id"}, Columns: map[string]diff.Column{},
		KeyOf: func(r diff.Row) string { return r.Text("id") }, KeyForm: "id"}
	k.Each(func(name, wire string, form entity.Form) {
		if form != entity.Hidden {
			out.Columns[name] = marked(diff.As(wire, forms[form]), out.Name, wire)
		}
	})
	if !k.Tenants {
		out.Columns["org"] = diff.Out("one for each token")
	}
	out.Columns["version"] = diff.Out("the sync id of the last write")
	for name, c := range more {
		out.Columns[name] = c
	}
	return out
}

// settings adds the settings of a row by their names, including defaults.
func settings[T any](defaults func() T) func(diff.Row, map[string]any) {
	return func(r diff.Row, fields map[string]any) {
		merged, _, err := merge(defaults(), r.Text("settings"), nil)
		if err != nil {
			return
		}
		b, err := json.Marshal(merged)
		if err != nil {
			return
		}
		var named map[string]json.RawMessage
		if json.Unmarshal(b, &named) != nil {
			return
		}
		for name, v := range named {
			fields[name] = v
		}
	}
}
