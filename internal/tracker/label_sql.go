package tracker

import (
	"slices"

	"understudy/internal/platform/store"
)

// Labels are the labels of the teams and of the organization.
var Labels = (&Kind[Label]{Name: "IssueLabel", table: "tracker_label",
	of: map[string]relation{
		// A team's labels and those of the organization.
		"team":   {join: " JOIN tracker_team j ON j.org = t.org AND (t.team = j.id OR t.team = '')", parent: "j.id"},
		"issue":  {join: " JOIN tracker_issue_label j ON j.org = t.org AND j.label = t.id", parent: "j.issue"},
		"parent": {parent: "t.parent"},
	},
	hide: hideBy("t.team"),
}).ready((*Label).base, []column[Label]{
	{"team", "teamId", ref, func(l *Label) any { return &l.Team }},
	{"name", "name", text, func(l *Label) any { return &l.Name }},
	{"name_key", "", hidden, func(l *Label) any { return &l.NameKey }},
	{"color", "color", text, func(l *Label) any { return &l.Color }},
	{"description", "description", ref, func(l *Label) any { return &l.Description }},
	{"parent", "parentId", ref, func(l *Label) any { return &l.Parent }},
	{"is_group", "isGroup", flag, func(l *Label) any { return &l.IsGroup }},
	{"group_type", "", hidden, func(l *Label) any { return &l.GroupType }},
	{"creator", "creatorId", ref, func(l *Label) any { return &l.Creator }},
	{"retired", "retiredAt", moment, func(l *Label) any { return &l.Retired }},
	{"retired_by", "retiredById", ref, func(l *Label) any { return &l.RetiredBy }},
	{"last_applied", "", hidden, func(l *Label) any { return &l.LastApplied }},
})

var labelShape = &shape{name: "IssueLabel", table: "tracker_label", live: " AND #.archived = 0", hide: " AND #.team NOT IN " + unseenTeams}

func init() {
	Labels.shape = labelShape
	Labels.enrich = func(v *View, l *Label, _ map[string]any) (detail, error) {
		d := detail{url: v.url + "/settings/labels"}
		if l.Team == "" {
			return d, nil
		}
		team, err := Teams.find(v, l.Team)
		if err == nil && team != nil {
			d = detail{url: v.url + "/settings/teams/" + team.Key + "/labels", teams: []string{l.Team}}
		}
		return d, err
	}
	labelShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": {sort: aTime, expr: "@.created"}, "updatedAt": {sort: aTime, expr: "@.updated"},
		"name": {sort: aText, expr: "@.name"}, "isGroup": {sort: aFlag, expr: "@.is_group"},
		"creator": {sort: toOne, expr: "@.creator", to: func() *shape { return userShape }},
		"parent":  {sort: toOne, expr: "@.parent", to: func() *shape { return labelShape }},
		"team":    {sort: toOne, expr: "@.team", to: func() *shape { return teamShape }},
	}
}

func labelUsed(tx *store.Tx, org, label string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_issue_label WHERE org = ? AND label = ? LIMIT 1`, []any{org, label}, &one)
}

// besideGroup tells whether an issue has a label together with another of a group.
func besideGroup(tx *store.Tx, org, label, group string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_label g JOIN tracker_issue_label o ON o.org = g.org AND o.label = g.id
		JOIN tracker_issue_label l ON l.org = o.org AND l.issue = o.issue AND l.label = ?
		WHERE g.org = ? AND g.parent = ? AND g.id <> ? LIMIT 1`, []any{label, org, group, label}, &one)
}

// markApplied keeps when labels were last put on an issue.
func (w *writer) markApplied(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	ids := padded(labels)
	_, err := w.tx.Exec(`UPDATE tracker_label SET last_applied = ?, version = ? WHERE org = ? AND id IN `+store.In(len(ids)),
		append([]any{w.now, w.syncID, w.org}, ids...)...)
	return err
}

type listed struct{ id, labels string }

func issuesWithLabel(tx *store.Tx, org, label string) (out []listed, err error) {
	err = tx.Each(`SELECT i.id, i.label_ids FROM tracker_issue i JOIN tracker_issue_label l ON l.org = i.org AND l.issue = i.id
		WHERE l.org = ? AND l.label = ?`, []any{org, label}, func(r store.Row) error {
		var l listed
		err := r.Scan(&l.id, &l.labels)
		out = append(out, l)
		return err
	})
	return out, err
}

// relabel writes the label column of issues anew, each label replaced by what to gives for it; "" takes it away.
func (w *writer) relabel(issues []listed, to func(string) string) error {
	rows := make([][]any, len(issues))
	for i, x := range issues {
		var ids []string
		for _, id := range Split(x.labels) {
			if id = to(id); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		rows[i] = []any{join(ids), w.syncID, w.org, x.id}
	}
	return w.tx.ExecBatch(`UPDATE tracker_issue SET label_ids = ?, version = ? WHERE org = ? AND id = ?`, rows)
}

func (w *writer) dropLabel(label string) error {
	tx, org := w.tx, w.org
	issues, err := issuesWithLabel(tx, org, label)
	if err != nil {
		return err
	}
	err = w.relabel(issues, func(id string) string { return pick(id == label, "", id) })
	if err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM tracker_issue_label WHERE org = ? AND label = ?`, org, label)
	return err
}

// moveLabel puts one label in the place of another on all issues.
func (w *writer) moveLabel(from, to string) error {
	tx, org := w.tx, w.org
	issues, err := issuesWithLabel(tx, org, from)
	if err != nil {
		return err
	}
	if err := w.relabel(issues, func(id string) string { return pick(id == from, to, id) }); err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO tracker_issue_label (org, issue, label) SELECT org, issue, CAST(? AS TEXT) FROM tracker_issue_label
		WHERE org = ? AND label = ? ON CONFLICT (org, issue, label) DO NOTHING`, to, org, from); err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM tracker_issue_label WHERE org = ? AND label = ?`, org, from)
	return err
}
