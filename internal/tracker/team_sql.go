package tracker

import "understudy/internal/platform/store"

// Teams are those that the viewer may see.
var Teams = (&Kind[Team]{Name: "Team", table: "tracker_team",
	of: map[string]relation{
		"user":    {join: " JOIN tracker_member j ON j.org = t.org AND j.team = t.id", parent: "j.user_id"},
		"project": {join: " JOIN tracker_project_team j ON j.org = t.org AND j.team = t.id", parent: "j.project"},
		"parent":  {parent: "t.parent"},
	},
	hide: hideBy("t.id"),
}).ready((*Team).base, []column[Team]{
	{"key", "key", text, func(t *Team) any { return &t.Key }},
	{"name", "name", text, func(t *Team) any { return &t.Name }},
	{"description", "description", ref, func(t *Team) any { return &t.Description }},
	{"icon", "icon", ref, func(t *Team) any { return &t.Icon }},
	{"color", "color", ref, func(t *Team) any { return &t.Color }},
	{"private", "private", flag, func(t *Team) any { return &t.Private }},
	{"parent", "parentId", ref, func(t *Team) any { return &t.Parent }},
	{"default_state", "defaultIssueStateId", ref, func(t *Team) any { return &t.DefaultState }},
	{"triage_state", "triageIssueStateId", ref, func(t *Team) any { return &t.TriageState }},
	{"retired", "retiredAt", moment, func(t *Team) any { return &t.Retired }},
	{"settings", "", hidden, func(t *Team) any { return &t.Settings }},
})

var teamShape = &shape{name: "Team", table: "tracker_team", live: " AND #.archived = 0", hide: " AND #.id NOT IN " + unseenTeams}

func init() {
	Teams.shape = teamShape
	Teams.complete = completeTeams
	Teams.enrich = func(_ *View, t *Team, _ map[string]any) (detail, error) { return detail{teams: []string{t.ID}}, nil }
	members := term{sort: toMany, from: "tracker_user # JOIN tracker_member #j ON #j.org = #.org AND #j.user_id = #.id",
		expr: "#.org = @.org AND #j.team = @.id", to: func() *shape { return userShape }}
	owners := members
	owners.expr += " AND #j.owner"
	teamShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": {sort: aTime, expr: "@.created"}, "updatedAt": {sort: aTime, expr: "@.updated"},
		"key": {sort: aText, expr: "@.key"}, "name": {sort: aText, expr: "@.name"}, "description": {sort: aText, expr: "@.description"},
		"private": {sort: aFlag, expr: "@.private"}, "retiredAt": {sort: aTime, expr: "@.retired"},
		"visibility": {sort: aText, expr: "CASE WHEN @.private THEN 'private' ELSE 'public' END"},
		"parent":     {sort: toOne, expr: "@.parent", to: func() *shape { return teamShape }},
		"ancestors": {sort: toMany, from: "tracker_team #", to: func() *shape { return teamShape },
			expr: `#.org = @.org AND #.id IN (WITH RECURSIVE up(id) AS (SELECT @.parent UNION SELECT p.parent FROM tracker_team p
				JOIN up ON up.id = p.id WHERE p.org = :org) SELECT id FROM up)`},
		"members": members, "users": members, "owners": owners,
		"issues": {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.team = @.id", to: func() *shape { return issueShape }},
	}
}

// completeTeams adds counts, the active cycle and what the viewer is in each team.
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
	in := padded(ids)
	err := v.tx.Each(`SELECT c.team, c.issues, c.archived, COALESCE(m.owner, FALSE), m.user_id IS NOT NULL FROM tracker_team_counter c
		LEFT JOIN tracker_member m ON m.org = c.org AND m.team = c.team AND m.user_id = ?
		WHERE c.org = ? AND c.team IN `+store.In(len(in)), append([]any{v.user, v.org}, in...), func(r store.Row) error {
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
	return v.tx.Each(`SELECT team, id FROM tracker_cycle WHERE org = ? AND starts <= ? AND ends > ? AND completed = 0 AND archived = 0 AND team IN `+
		store.In(len(in)), append([]any{v.org, v.now, v.now}, in...), func(r store.Row) error {
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
	if _, err := tx.Exec(`INSERT INTO tracker_team_counter (org, team, number, cycle, issues, archived, top) VALUES (?, ?, 0, 0, 0, 0, 0)`,
		t.Org, t.ID); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO tracker_member (org, team, user_id, owner) VALUES (?, ?, ?, TRUE)`, t.Org, t.ID, owner)
	return err
}

// teamWithin tells whether a team is another one or lies below it.
func teamWithin(v *View, team, above string) (bool, error) {
	var one int64
	return v.tx.Get(`WITH RECURSIVE up(id) AS (SELECT id FROM tracker_team WHERE org = ? AND id = ? UNION SELECT p.parent FROM tracker_team p
		JOIN up ON up.id = p.id WHERE p.org = ?) SELECT 1 FROM up WHERE id = ?`, []any{v.org, team, v.org, above}, &one)
}

func renameIssues(w *writer, t *Team) error {
	_, err := w.tx.Exec(`UPDATE tracker_issue SET identifier = ? || '-' || number, version = ? WHERE org = ? AND team = ?`,
		t.Key, w.syncID, t.Org, t.ID)
	return err
}

// nextNumber gives a team's next issue number and a place above all others in its order.
func nextNumber(tx *store.Tx, org, team string) (number int64, top float64, err error) {
	_, err = tx.Get(`UPDATE tracker_team_counter SET number = number + 1, issues = issues + 1, top = top - 1000
		WHERE org = ? AND team = ? RETURNING number, top`, []any{org, team}, &number, &top)
	return number, top, err
}

// countIssues moves the counts of a team's issues.
func countIssues(tx *store.Tx, org, team string, open, archived int) error {
	_, err := tx.Exec(`UPDATE tracker_team_counter SET issues = issues + ?, archived = archived + ? WHERE org = ? AND team = ?`,
		open, archived, org, team)
	return err
}

func nextCycle(tx *store.Tx, org, team string) (number int64, err error) {
	_, err = tx.Get(`UPDATE tracker_team_counter SET cycle = cycle + 1 WHERE org = ? AND team = ? RETURNING cycle`, []any{org, team}, &number)
	return number, err
}

// SubTeams gives, for each team, the teams directly below it.
func (v *View) SubTeams(parents []*Team) ([][]*Team, error) {
	ids := make([]string, len(parents))
	for i, t := range parents {
		ids[i] = t.ID
	}
	first := MaxPage
	pages, err := Teams.Of(v, "parent", ids, List{First: &first})
	if err != nil {
		return nil, err
	}
	out := make([][]*Team, len(parents))
	for i, id := range ids {
		out[i] = append([]*Team{}, pages[id].Nodes...)
	}
	return out, nil
}

// AdministrableTeams gives the teams that the viewer may manage: for an admin all, else those that the viewer owns.
func (v *View) AdministrableTeams(l List) (*Page[Team], error) {
	if !v.viewer.Admin {
		own := Term{"owners", Filter{{"some", Filter{{"id", Filter{{"eq", v.user}}}}}}}
		l.Filter = Filter{own, {"and", []any{l.Filter}}}
	}
	return Teams.List(v, l)
}

// isMember holds for the teams t that a user is a member of.
const isMember = "EXISTS (SELECT 1 FROM tracker_member m WHERE m.org = t.org AND m.team = t.id AND m.user_id = ?)"

// DeletedTeams gives the teams that can be brought back, to admins alone;
// private ones to those who are members.
func (v *View) DeletedTeams() ([]*Team, error) {
	if !v.viewer.Admin {
		return []*Team{}, nil
	}
	rows, err := Teams.where(v, "t.archived <> 0 AND (NOT t.private OR "+isMember+")", v.user)
	if err != nil || len(rows) == 0 {
		return []*Team{}, err
	}
	return rows, completeTeams(v, rows)
}
