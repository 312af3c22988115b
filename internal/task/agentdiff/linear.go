package agentdiff

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// organization maps the ids in a template to names in its seed document.
type organization struct {
	*names
	tables map[string]rows
	team   map[string]string // keys
	state  map[string]map[string]any
	label  map[string]string
	issue  map[string]string // identifiers
}

// linear returns the tracker's part of a seed document.
func linear(t map[string]rows, n *names) *yaml.Node {
	o := &organization{n, t, map[string]string{}, map[string]map[string]any{}, map[string]string{}, map[string]string{}}
	for _, u := range t["users"] {
		n.user[text(u, "id")] = text(u, "email")
	}
	for _, table := range []string{"users", "teams", "workflow_states", "issue_labels", "issues", "comments"} {
		for _, r := range t[table] {
			n.uuid(text(r, "id"))
		}
	}
	for _, r := range t["teams"] {
		o.team[text(r, "id")] = text(r, "key")
	}
	for _, r := range t["workflow_states"] {
		o.state[text(r, "id")] = r
	}
	taken := map[string]bool{} // names of labels, which teams share
	for _, r := range t["issue_labels"] {
		name := ownName(text(r, "name"))
		if taken[name] {
			name += "-" + o.team[text(r, "teamId")]
		}
		taken[name] = true
		o.label[text(r, "id")] = name
	}
	for _, r := range t["issues"] {
		o.issue[text(r, "id")] = text(r, "identifier")
	}
	for _, l := range t[labelling] {
		issue := text(l, "issue_id")
		n.labelsOf[issue] = append(n.labelsOf[issue], text(l, "issue_label_id"))
	}
	n.done()
	return mapping("users", o.users(), "teams", o.teams(), "labels", o.labels(), "issues", o.issues(), "comments", o.comments())
}

// ownName returns a name without blanks, as documents require for their own
// names.
func ownName(name string) string { return strings.Join(strings.Fields(name), "-") }

var zoned = regexp.MustCompile(`(Z|[+-]\d\d:?\d\d)$`)

// moment returns a column as a time, in UTC unless it names a zone.
func moment(r map[string]any, column string) string {
	t := text(r, column)
	if len(t) > len("2025-01-01") && !zoned.MatchString(t) {
		t += "Z"
	}
	return t
}

func (o *organization) users() *yaml.Node {
	out := mapping()
	for _, u := range o.tables["users"] {
		inactive := u["active"] == false
		add(out, text(u, "email"), inLine(mapping("id", o.ids[text(u, "id")], "email", text(u, "email"), "name", text(u, "name"), "display_name", text(u, "displayName"),
			"admin", flag(u, "admin") || o.agent[text(u, "id")], "guest", flag(u, "guest"), "inactive", inactive, "created", moment(u, "createdAt"))))
	}
	return out
}

func (o *organization) teams() *yaml.Node {
	members, owner := map[string][]string{}, map[string]string{}
	for _, m := range o.tables["team_memberships"] {
		team, user := text(m, "teamId"), o.user[text(m, "userId")]
		members[team] = append(members[team], user)
		if flag(m, "owner") && owner[team] == "" {
			owner[team] = user
		}
	}
	out := mapping()
	for _, t := range o.tables["teams"] {
		id := text(t, "id")
		first := owner[id]
		if in := members[id]; first == "" && len(in) > 0 {
			first = in[0]
		}
		states := mapping()
		for _, s := range o.tables["workflow_states"] {
			if text(s, "teamId") == id {
				add(states, ownName(text(s, "name")), inLine(mapping("id", o.ids[text(s, "id")], "name", text(s, "name"), "type", text(s, "type"), "color", text(s, "color"),
					"position", number(s["position"]), "description", text(s, "description"))))
			}
		}
		add(out, text(t, "key"), mapping("id", o.ids[id], "key", text(t, "key"), "name", text(t, "name"), "description", text(t, "description"), "color", text(t, "color"),
			"private", flag(t, "private"), "owner", first, "members", members[id], "created", moment(t, "createdAt"), "states", states))
	}
	return out
}

func (o *organization) labels() *yaml.Node {
	out := mapping()
	for _, l := range o.tables["issue_labels"] {
		id := text(l, "id")
		add(out, o.label[id], inLine(mapping("id", o.ids[id], "name", text(l, "name"), "team", o.team[text(l, "teamId")], "color", text(l, "color"),
			"description", text(l, "description"), "group", flag(l, "isGroup"), "parent", o.label[text(l, "parentId")], "created", moment(l, "createdAt"))))
	}
	return out
}

func (o *organization) issues() *yaml.Node {
	labels := map[string][]string{}
	for issue, list := range o.labelsOf {
		for _, id := range list {
			labels[issue] = append(labels[issue], o.label[id])
		}
	}
	all := slices.Clone(o.tables["issues"])
	slices.SortStableFunc(all, func(a, b map[string]any) int {
		return cmp.Or(cmp.Compare(text(a, "teamId"), text(b, "teamId")), compareNumbers(a["number"], b["number"]))
	})
	out := mapping()
	written := map[string]bool{}
	var one func(i map[string]any)
	one = func(i map[string]any) {
		id := text(i, "id")
		if written[id] {
			return
		}
		written[id] = true
		for _, p := range all { // a parent precedes its sub-issues
			if text(p, "id") == text(i, "parentId") {
				one(p)
			}
		}
		state := o.state[text(i, "stateId")]
		times := map[string]string{"started": moment(i, "startedAt"), "completed": moment(i, "completedAt"), "canceled": moment(i, "canceledAt")}
		at := func(kind string) string {
			if text(state, "type") == kind {
				return times[kind]
			}
			return ""
		}
		add(out, text(i, "identifier"), mapping("id", o.ids[id], "team", o.team[text(i, "teamId")], "title", o.text.Replace(text(i, "title")),
			"description", o.text.Replace(text(i, "description")), "state", text(state, "name"), "assignee", o.user[text(i, "assigneeId")],
			"creator", o.user[text(i, "creatorId")], "priority", number(i["priority"]), "estimate", number(i["estimate"]), "due_date", text(i, "dueDate"),
			"parent", o.issue[text(i, "parentId")], "labels", labels[id], "created", moment(i, "createdAt"),
			"started", at("started"), "completed", at("completed"), "canceled", at("canceled")))
	}
	for _, i := range all {
		one(i)
	}
	return out
}

func compareNumbers(a, b any) int {
	x, _ := number(a).(int64)
	y, _ := number(b).(int64)
	return cmp.Compare(x, y)
}

func (o *organization) comments() (out []*yaml.Node) {
	parents := map[string]bool{}
	for _, c := range o.tables["comments"] {
		parents[text(c, "parentId")] = true
	}
	for _, c := range o.tables["comments"] {
		key := ""
		if parents[text(c, "id")] {
			key = text(c, "id")
		}
		out = append(out, mapping("key", key, "id", o.ids[text(c, "id")], "issue", o.issue[text(c, "issueId")], "parent", text(c, "parentId"),
			"user", o.user[text(c, "userId")], "created", moment(c, "createdAt"), "body", o.text.Replace(text(c, "body"))))
	}
	return out
}
