package tracker

import "understudy/internal/platform/store"

// States are the workflow states of the teams.
var States = (&Kind[WorkflowState]{Name: "WorkflowState", table: "tracker_state",
	of:   map[string]relation{"team": {parent: "t.team"}},
	hide: hideBy("t.team"),
}).ready((*WorkflowState).base, []column[WorkflowState]{
	{"team", "teamId", ref, func(s *WorkflowState) any { return &s.Team }},
	{"name", "name", text, func(s *WorkflowState) any { return &s.Name }},
	{"name_key", "", hidden, func(s *WorkflowState) any { return &s.NameKey }},
	{"color", "color", text, func(s *WorkflowState) any { return &s.Color }},
	{"description", "description", ref, func(s *WorkflowState) any { return &s.Description }},
	{"type", "type", text, func(s *WorkflowState) any { return &s.Type }},
	{"position", "position", number, func(s *WorkflowState) any { return &s.Position }},
})

var stateShape = &shape{name: "WorkflowState", table: "tracker_state", live: " AND #.archived = 0", hide: " AND #.team NOT IN " + unseenTeams}

func init() {
	States.shape = stateShape
	States.enrich = func(_ *View, s *WorkflowState, _ map[string]any) (detail, error) {
		return detail{teams: []string{s.Team}}, nil
	}
	stateShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": {sort: aTime, expr: "@.created"}, "updatedAt": {sort: aTime, expr: "@.updated"},
		"name": {sort: aText, expr: "@.name"}, "description": {sort: aText, expr: "@.description"}, "type": {sort: aText, expr: "@.type"},
		"position": {sort: aFloat, expr: "@.position"},
		"team":     {sort: toOne, expr: "@.team", to: func() *shape { return teamShape }},
		"issues":   {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.state = @.id", to: func() *shape { return issueShape }},
	}
}

func lastPosition(tx *store.Tx, org, team string) (at float64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MAX(position), 0) + 1 FROM tracker_state WHERE org = ? AND team = ?`, []any{org, team}, &at)
	return at, err
}

func openIssues(tx *store.Tx, org, state string) (n int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*) FROM tracker_issue WHERE org = ? AND state = ? AND archived = 0`, []any{org, state}, &n)
	return n, err
}
