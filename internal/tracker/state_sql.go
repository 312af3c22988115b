package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// States are the workflow states of the teams.
var States = declare(entity.Kind[*View, WorkflowState]{Name: "WorkflowState", Table: "tracker_state", Few: true,
	Relations: map[string]entity.Relation{"team": {Parent: "t.team"}},
	Hide:      hideBy("t.team"),
}, (*WorkflowState).Header, []entity.Column[WorkflowState]{
	entity.Col("team", "teamId", entity.Ref, func(s *WorkflowState) any { return &s.Team }),
	entity.Col("name", "name", entity.Text, func(s *WorkflowState) any { return &s.Name }),
	entity.Col("name_key", "", entity.Hidden, func(s *WorkflowState) any { return &s.NameKey }),
	entity.Col("color", "color", entity.Text, func(s *WorkflowState) any { return &s.Color }),
	entity.Col("description", "description", entity.Ref, func(s *WorkflowState) any { return &s.Description }),
	entity.Col("type", "type", entity.Text, func(s *WorkflowState) any { return &s.Type }),
	entity.Col("position", "position", entity.Number, func(s *WorkflowState) any { return &s.Position }),
})

var stateShape = &entity.Shape{Name: "WorkflowState", Table: "tracker_state", Live: " AND #.archived = 0", Hide: " AND #.team NOT IN " + unseenTeams}

func init() {
	States.Shape = stateShape
	States.enrich = func(_ *View, s *WorkflowState, _ map[string]any) (detail, error) {
		return detail{teams: []string{s.Team}}, nil
	}
	stateShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": {Sort: entity.ByTime, Expr: "@.created"}, "updatedAt": {Sort: entity.ByTime, Expr: "@.updated"},
		"name": {Sort: entity.ByText, Expr: "@.name"}, "description": {Sort: entity.ByText, Expr: "@.description"}, "type": {Sort: entity.ByText, Expr: "@.type"},
		"position": {Sort: entity.ByFloat, Expr: "@.position"},
		"team":     {Sort: entity.ToOne, Expr: "@.team", To: func() *entity.Shape { return teamShape }},
		"issues":   {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.state = @.id", To: func() *entity.Shape { return issueShape }},
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
