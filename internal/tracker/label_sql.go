package tracker

import (
	"slices"

	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Labels are the labels of the teams and of the organization.
var Labels = declare(entity.Kind[*View, Label]{Name: "IssueLabel", Table: "tracker_label",
	Relations: map[string]entity.Relation{
		// A team's labels and those of the organization.
		"team":   {Join: " JOIN tracker_team j ON j.org = t.org AND (t.team = j.id OR t.team = '')", Parent: "j.id"},
		"issue":  {Join: " JOIN tracker_issue_label j ON j.org = t.org AND j.label = t.id", Parent: "j.issue"},
		"parent": {Parent: "t.parent"},
	},
	Hide: hideBy("t.team"),
}, (*Label).Header, []entity.Column[Label]{
	entity.Col("team", "teamId", entity.Ref, func(l *Label) any { return &l.Team }),
	entity.Col("name", "name", entity.Text, func(l *Label) any { return &l.Name }),
	entity.Col("name_key", "", entity.Hidden, func(l *Label) any { return &l.NameKey }),
	entity.Col("color", "color", entity.Text, func(l *Label) any { return &l.Color }),
	entity.Col("description", "description", entity.Ref, func(l *Label) any { return &l.Description }),
	entity.Col("parent", "parentId", entity.Ref, func(l *Label) any { return &l.Parent }),
	entity.Col("is_group", "isGroup", entity.Flag, func(l *Label) any { return &l.IsGroup }),
	entity.Col("group_type", "", entity.Hidden, func(l *Label) any { return &l.GroupType }),
	entity.Col("creator", "creatorId", entity.Ref, func(l *Label) any { return &l.Creator }),
	entity.Col("retired", "retiredAt", entity.Time, func(l *Label) any { return &l.Retired }),
	entity.Col("retired_by", "retiredById", entity.Ref, func(l *Label) any { return &l.RetiredBy }),
	entity.Col("last_applied", "", entity.Hidden, func(l *Label) any { return &l.LastApplied }),
})

var labelShape = &entity.Shape{Name: "IssueLabel", Table: "tracker_label", Live: " AND #.archived = 0", Hide: " AND #.team NOT IN " + unseenTeams}

func init() {
	Labels.Shape = labelShape
	Labels.enrich = func(v *View, l *Label, _ map[string]any) (detail, error) {
		d := detail{url: v.url + "/settings/labels"}
		if l.Team == "" {
			return d, nil
		}
		team, err := Teams.Find(v, l.Team)
		if err == nil && team != nil {
			d = detail{url: v.url + "/settings/teams/" + team.Key + "/labels", teams: []string{l.Team}}
		}
		return d, err
	}
	labelShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": {Sort: entity.ByTime, Expr: "@.created"}, "updatedAt": {Sort: entity.ByTime, Expr: "@.updated"},
		"name": {Sort: entity.ByText, Expr: "@.name"}, "isGroup": {Sort: entity.ByFlag, Expr: "@.is_group"},
		"creator": {Sort: entity.ToOne, Expr: "@.creator", To: func() *entity.Shape { return userShape }},
		"parent":  {Sort: entity.ToOne, Expr: "@.parent", To: func() *entity.Shape { return labelShape }},
		"team":    {Sort: entity.ToOne, Expr: "@.team", To: func() *entity.Shape { return teamShape }},
	}
}

func labelUsed(tx *store.Tx, org, label string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_issue_label WHERE org = ? AND label = ? LIMIT 1`, []any{org, label}, &one)
}

// besideGroup reports whether an issue has a label together with another of a group.
func besideGroup(tx *store.Tx, org, label, group string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_label g JOIN tracker_issue_label o ON o.org = g.org AND o.label = g.id
		JOIN tracker_issue_label l ON l.org = o.org AND l.issue = o.issue AND l.label = ?
		WHERE g.org = ? AND g.parent = ? AND g.id <> ? LIMIT 1`, []any{label, org, group, label}, &one)
}

// markApplied stores when labels were last added to an issue.
func (w *writer) markApplied(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	ids := entity.Padded(labels)
	_, err := w.Tx.Exec(`UPDATE tracker_label SET last_applied = ?, version = ? WHERE org = ? AND id IN `+store.In(len(ids)),
		append([]any{w.Micros(), w.syncID, w.Tenant}, ids...)...)
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

// relabel replaces each label in the label column of issues by the result of to,
// or removes it for "".
func (w *writer) relabel(issues []listed, to func(string) string) error {
	rows := make([][]any, len(issues))
	for i, x := range issues {
		var ids []string
		for _, id := range entity.Split(x.labels) {
			if id = to(id); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		rows[i] = []any{entity.Join(ids), w.syncID, w.Tenant, x.id}
	}
	return w.Tx.ExecBatch(`UPDATE tracker_issue SET label_ids = ?, version = ? WHERE org = ? AND id = ?`, rows)
}

func (w *writer) dropLabel(label string) error {
	tx, org := w.Tx, w.Tenant
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

// moveLabel replaces one label by another on all issues.
func (w *writer) moveLabel(from, to string) error {
	tx, org := w.Tx, w.Tenant
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
