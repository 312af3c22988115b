package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Teams are the teams that the viewer may see.
var Teams = declare(entity.Kind[*View, Team]{Name: "Team", Table: "tracker_team", Few: true,
	Relations: map[string]entity.Relation{
		"user":    {Join: " JOIN tracker_member j ON j.org = t.org AND j.team = t.id", Parent: "j.user_id"},
		"project": {Join: " JOIN tracker_project_team j ON j.org = t.org AND j.team = t.id", Parent: "j.project"},
		"parent":  {Parent: "t.parent"},
	},
	Hide: hideBy("t.id"),
}, (*Team).Header, []entity.Column[Team]{
	entity.Col("key", "key", entity.Text, func(t *Team) any { return &t.Key }),
	entity.Col("name", "name", entity.Text, func(t *Team) any { return &t.Name }),
	entity.Col("description", "description", entity.Ref, func(t *Team) any { return &t.Description }),
	entity.Col("icon", "icon", entity.Ref, func(t *Team) any { return &t.Icon }),
	entity.Col("color", "color", entity.Ref, func(t *Team) any { return &t.Color }),
	entity.Col("private", "private", entity.Flag, func(t *Team) any { return &t.Private }),
	entity.Col("parent", "parentId", entity.Ref, func(t *Team) any { return &t.Parent }),
	entity.Col("default_state", "defaultIssueStateId", entity.Ref, func(t *Team) any { return &t.DefaultState }),
	entity.Col("triage_state", "triageIssueStateId", entity.Ref, func(t *Team) any { return &t.TriageState }),
	entity.Col("retired", "retiredAt", entity.Time, func(t *Team) any { return &t.Retired }),
	entity.Col("settings", "", entity.Hidden, func(t *Team) any { return &t.Settings }),
})

var teamShape = &entity.Shape{Name: "Team", Table: "tracker_team", Live: " AND #.archived = 0", Hide: " AND #.id NOT IN " + unseenTeams}

func init() {
	Teams.Shape = teamShape
	Teams.Complete = completeTeams
	Teams.enrich = func(_ *View, t *Team, _ map[string]any) (detail, error) { return detail{teams: []string{t.ID}}, nil }
	members := entity.Field{Sort: entity.ToMany, From: "tracker_user # JOIN tracker_member #j ON #j.org = #.org AND #j.user_id = #.id",
		Expr: "#.org = @.org AND #j.team = @.id", To: func() *entity.Shape { return userShape }}
	owners := members
	owners.Expr += " AND #j.owner"
	teamShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": {Sort: entity.ByTime, Expr: "@.created"}, "updatedAt": {Sort: entity.ByTime, Expr: "@.updated"},
		"key": {Sort: entity.ByText, Expr: "@.key"}, "name": {Sort: entity.ByText, Expr: "@.name"}, "description": {Sort: entity.ByText, Expr: "@.description"},
		"private": {Sort: entity.ByFlag, Expr: "@.private"}, "retiredAt": {Sort: entity.ByTime, Expr: "@.retired"},
		"visibility": {Sort: entity.ByText, Expr: "CASE WHEN @.private THEN 'private' ELSE 'public' END"},
		"parent":     {Sort: entity.ToOne, Expr: "@.parent", To: func() *entity.Shape { return teamShape }},
		"ancestors": {Sort: entity.ToMany, From: "tracker_team #", To: func() *entity.Shape { return teamShape },
			Expr: `#.org = @.org AND #.id IN (WITH RECURSIVE up(id) AS (SELECT @.parent UNION SELECT p.parent FROM tracker_team p
				JOIN up ON up.id = p.id WHERE p.org = :org) SELECT id FROM up)`},
		"members": members, "users": members, "owners": owners,
		"issues": {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.team = @.id", To: func() *entity.Shape { return issueShape }},
	}
}

// completeTeams adds counts, the active cycle and the viewer's role in each team.
func completeTeams(v *View, rows []*Team) error {
	byID := make(map[string]*Team, len(rows))
	ids := make([]string, len(rows))
	for i, t := range rows {
		var err error
		if t.Options, _, err = merge(teamDefaults(), t.Settings, nil); err != nil {
			return err
		}
		byID[t.ID], ids[i] = t, t.ID
	}
	in := entity.Padded(ids)
	err := v.Tx.Each(`SELECT c.team, c.issues, c.archived, COALESCE(m.owner, FALSE), m.user_id IS NOT NULL FROM tracker_team_counter c
		LEFT JOIN tracker_member m ON m.org = c.org AND m.team = c.team AND m.user_id = ?
		WHERE c.org = ? AND c.team IN `+store.In(len(in)), append([]any{v.Caller, v.Tenant}, in...), func(r store.Row) error {
		var id string
		var open, gone int64
		var owner, member bool
		if err := r.Scan(&id, &open, &gone, &owner, &member); err != nil {
			return err
		}
		t := byID[id]
		t.OpenIssues, t.HiddenIssues, t.ViewerIsOwner, t.ViewerJoined = open, gone, owner, member
		return nil
	})
	if err != nil {
		return err
	}
	return v.Tx.Each(`SELECT team, id FROM tracker_cycle WHERE org = ? AND starts <= ? AND ends > ? AND completed = 0 AND archived = 0 AND team IN `+
		store.In(len(in)), append([]any{v.Tenant, v.Micros(), v.Micros()}, in...), func(r store.Row) error {
		var team, id string
		err := r.Scan(&team, &id)
		byID[team].ActiveCycle = id
		return err
	})
}

func teamOfKey(tx *store.Tx, org, key string) (team string, err error) {
	_, err = tx.Get(`SELECT team FROM tracker_team_key WHERE org = ? AND key = ?`, []any{org, key}, &team)
	return team, err
}

func insertTeamKey(tx *store.Tx, org, key, team string) error {
	_, err := tx.Exec(`INSERT INTO tracker_team_key (org, key, team) VALUES (?, ?, ?)`, org, key, team)
	return err
}

func insertTeamParts(tx *store.Tx, t *Team, owner string) error {
	if _, err := tx.Exec(`INSERT INTO tracker_team_counter (org, team, number, cycle, issues, archived, top, due) VALUES (?, ?, 0, 0, 0, 0, 0, ?)`,
		t.Org, t.ID, t.dueAtFirst()); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO tracker_member (org, team, user_id, owner) VALUES (?, ?, ?, TRUE)`, t.Org, t.ID, owner)
	return err
}

// teamWithin reports whether team is the team above or is below it.
func teamWithin(v *View, team, above string) (bool, error) {
	var one int64
	return v.Tx.Get(`WITH RECURSIVE up(id) AS (SELECT id FROM tracker_team WHERE org = ? AND id = ? UNION SELECT p.parent FROM tracker_team p
		JOIN up ON up.id = p.id WHERE p.org = ?) SELECT 1 FROM up WHERE id = ?`, []any{v.Tenant, team, v.Tenant, above}, &one)
}

func renameIssues(w *writer, t *Team) error {
	_, err := w.Tx.Exec(`UPDATE tracker_issue SET identifier = ? || '-' || number, version = ? WHERE org = ? AND team = ?`,
		t.Key, w.syncID, t.Org, t.ID)
	if err != nil {
		return err
	}
	return w.t.search.TeamChanged(w.Tx, t.Org, t.ID)
}

// counterOf is the transaction key of a team's counter.
type counterOf struct{ org, team string }

type counter struct {
	number int64
	top    float64
}

// nextNumber counts a new open issue of a team. It returns the team's next issue number,
// and a sort order that places the issue above all earlier ones.
func nextNumber(tx *store.Tx, org, team string) (number int64, top float64, err error) {
	key := counterOf{org, team}
	if last, ok := store.Kept[counter](tx, key); ok {
		number, top = last.number+1, last.top-1000
		err = tx.ExecLater(`UPDATE tracker_team_counter SET number = ?, issues = issues + 1, top = ? WHERE org = ? AND team = ?`, number, top, org, team)
	} else {
		_, err = tx.Get(`UPDATE tracker_team_counter SET number = number + 1, issues = issues + 1, top = top - 1000
			WHERE org = ? AND team = ? RETURNING number, top`, []any{org, team}, &number, &top)
	}
	if err == nil {
		store.KeepLong(tx, key, counter{number, top}, "tracker_team_counter")
	}
	return number, top, err
}

// countIssues changes the counts of a team's issues.
func countIssues(tx *store.Tx, org, team string, open, archived int) error {
	_, err := tx.Exec(`UPDATE tracker_team_counter SET issues = issues + ?, archived = archived + ? WHERE org = ? AND team = ?`,
		open, archived, org, team)
	return err
}

func nextCycle(tx *store.Tx, org, team string) (number int64, err error) {
	_, err = tx.Get(`UPDATE tracker_team_counter SET cycle = cycle + 1 WHERE org = ? AND team = ? RETURNING cycle`, []any{org, team}, &number)
	return number, err
}

// SubTeams returns, for each team, the teams directly below it.
func (v *View) SubTeams(parents []*Team) ([][]*Team, error) {
	ids := make([]string, len(parents))
	for i, t := range parents {
		ids[i] = t.ID
	}
	first := entity.MaxPage
	pages, err := Teams.Of(v, "parent", ids, entity.Query{First: &first})
	if err != nil {
		return nil, err
	}
	out := make([][]*Team, len(parents))
	for i, id := range ids {
		out[i] = append([]*Team{}, pages[id].Nodes...)
	}
	return out, nil
}

// Ancestors returns, for each team, the teams above it that the viewer may see, the nearest first.
func (v *View) Ancestors(teams []*Team) ([][]*Team, error) {
	out := make([][]*Team, len(teams))
	at := append([]*Team{}, teams...)
	for {
		var ids []string
		for _, t := range at {
			if t != nil && t.Parent != "" {
				ids = append(ids, t.Parent)
			}
		}
		if len(ids) == 0 {
			return out, nil
		}
		found, err := Teams.ByID(v, ids)
		if err != nil {
			return nil, err
		}
		for i, t := range at {
			if at[i] = nil; t != nil && found[t.Parent] != nil {
				at[i] = found[t.Parent]
				out[i] = append(out[i], at[i])
			}
		}
	}
}

// AdministrableTeams returns the teams that the viewer may manage: all teams for
// an admin, otherwise those that the viewer owns.
func (v *View) AdministrableTeams(l entity.Query) (*entity.Page[Team], error) {
	if !v.viewer.Admin {
		own := entity.Only("owners", entity.Only("some", entity.Only("id", entity.Only("eq", v.Caller))))
		l.Filter = append(own, entity.Term{Name: "and", Value: []any{l.Filter}})
	}
	return Teams.List(v, l)
}

// isMember is the condition that a user is a member of team t.
const isMember = "EXISTS (SELECT 1 FROM tracker_member m WHERE m.org = t.org AND m.team = t.id AND m.user_id = ?)"

// DeletedTeams returns the teams that can be restored. Only admins see any, and
// private teams only when they are members.
func (v *View) DeletedTeams() ([]*Team, error) {
	if !v.viewer.Admin {
		return []*Team{}, nil
	}
	rows, err := Teams.Where(v, "t.archived <> 0 AND (NOT t.private OR "+isMember+")", v.Caller)
	if err != nil || len(rows) == 0 {
		return []*Team{}, err
	}
	return rows, completeTeams(v, rows)
}
