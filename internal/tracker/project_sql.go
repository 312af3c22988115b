package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// ProjectStatuses are the project statuses of the organization.
var ProjectStatuses = declare(entity.Kind[*View, ProjectStatus]{Name: "ProjectStatus", Table: "tracker_project_status"}, (*ProjectStatus).Header, []entity.Column[ProjectStatus]{
	entity.Col("name", "name", entity.Text, func(s *ProjectStatus) any { return &s.Name }),
	entity.Col("color", "color", entity.Text, func(s *ProjectStatus) any { return &s.Color }),
	entity.Col("description", "description", entity.Ref, func(s *ProjectStatus) any { return &s.Description }),
	entity.Col("type", "type", entity.Text, func(s *ProjectStatus) any { return &s.Type }),
	entity.Col("position", "position", entity.Number, func(s *ProjectStatus) any { return &s.Position }),
	entity.Col("indefinite", "indefinite", entity.Flag, func(s *ProjectStatus) any { return &s.Indefinite }),
})

// Projects are the projects of the teams that the viewer may see.
var Projects = declare(entity.Kind[*View, Project]{Name: "Project", Table: "tracker_project",
	Relations: map[string]entity.Relation{
		"team": {Join: " JOIN tracker_project_team j ON j.org = t.org AND j.project = t.id", Parent: "j.team"},
		// A team's projects and those of the teams below it.
		"teams": {Join: " JOIN tracker_team j ON j.org = t.org AND t.id IN (SELECT x.project FROM tracker_project_team x WHERE x.org = j.org AND x.team IN (" +
			teamsBelow + "))", Parent: "j.id"},
	},
	Sorts: map[string]entity.SortKey{
		"createdAt":  {Expr: "@.created", By: entity.ByNumber},
		"updatedAt":  {Expr: "@.updated", By: entity.ByNumber},
		"name":       {Expr: "@.name"},
		"manual":     {Expr: "@.sort_order", By: entity.ByFloat},
		"priority":   {Expr: "-@.priority", Missing: "@.priority = 0", Zero: "0", By: entity.ByNumber},
		"startDate":  {Expr: "@.start_date", Missing: "@.start_date = ''", Zero: "''"},
		"targetDate": {Expr: "@.target_date", Missing: "@.target_date = ''", Zero: "''"},
		"status":     {Expr: "(SELECT s.position FROM tracker_project_status s WHERE s.org = @.org AND s.id = @.status)", By: entity.ByFloat},
		"lead": {Expr: "(SELECT u.display_name FROM tracker_user u WHERE u.org = @.org AND u.id = @.lead)",
			Missing: "@.lead = ''", Zero: "''"},
	},
	Hide: hideProject("t.id"),
}, (*Project).Header, []entity.Column[Project]{
	entity.Col("name", "name", entity.Text, func(p *Project) any { return &p.Name }),
	entity.Col("slug_id", "slugId", entity.Text, func(p *Project) any { return &p.SlugID }),
	entity.Col("description", "description", entity.Text, func(p *Project) any { return &p.Description }),
	entity.Col("content", "content", entity.Ref, func(p *Project) any { return &p.Content }),
	entity.Col("icon", "icon", entity.Ref, func(p *Project) any { return &p.Icon }),
	entity.Col("color", "color", entity.Text, func(p *Project) any { return &p.Color }),
	entity.Col("status", "statusId", entity.Ref, func(p *Project) any { return &p.Status }),
	entity.Col("lead", "leadId", entity.Ref, func(p *Project) any { return &p.Lead }),
	entity.Col("creator", "creatorId", entity.Ref, func(p *Project) any { return &p.Creator }),
	entity.Col("priority", "priority", entity.Number, func(p *Project) any { return &p.Priority }),
	entity.Col("sort_order", "sortOrder", entity.Number, func(p *Project) any { return &p.SortOrder }),
	entity.Col("priority_sort_order", "prioritySortOrder", entity.Number, func(p *Project) any { return &p.PrioritySortOrder }),
	entity.Col("start_date", "startDate", entity.Ref, func(p *Project) any { return &p.StartDate }),
	entity.Col("start_date_resolution", "startDateResolution", entity.Ref, func(p *Project) any { return &p.StartResolution }),
	entity.Col("target_date", "targetDate", entity.Ref, func(p *Project) any { return &p.TargetDate }),
	entity.Col("target_date_resolution", "targetDateResolution", entity.Ref, func(p *Project) any { return &p.TargetResolution }),
	entity.Col("started", "startedAt", entity.Time, func(p *Project) any { return &p.Started }),
	entity.Col("completed", "completedAt", entity.Time, func(p *Project) any { return &p.Completed }),
	entity.Col("canceled", "canceledAt", entity.Time, func(p *Project) any { return &p.Canceled }),
	entity.Col("trashed", "trashed", entity.Flag, func(p *Project) any { return &p.Trashed }),
	entity.Col("auto_archived", "autoArchivedAt", entity.Time, func(p *Project) any { return &p.AutoArchived }),
	entity.Col("team_ids", "teamIds", entity.List, func(p *Project) any { return &p.TeamIDs }),
	entity.Col("member_ids", "memberIds", entity.List, func(p *Project) any { return &p.MemberIDs }),
	entity.Col("settings", "", entity.Hidden, func(p *Project) any { return &p.Settings }),
})

// hideProject returns a condition that excludes the rows of projects whose teams
// are all unseen. column is an expression of the project's id.
func hideProject(column string) func(*View) (string, []any) {
	return func(v *View) (string, []any) {
		hidden, known := v.unseen()
		if !known {
			return nothing, nil
		}
		if len(hidden) == 0 {
			return "", nil
		}
		args := entity.Padded(hidden)
		return "EXISTS (SELECT 1 FROM tracker_project_team pt WHERE pt.org = t.org AND pt.project = " + column +
			" AND pt.team NOT IN " + store.In(len(args)) + ")", args
	}
}

var (
	projectShape = &entity.Shape{Name: "Project", Table: "tracker_project", Live: " AND #.archived = 0",
		Hide: " AND EXISTS (SELECT 1 FROM tracker_project_team #p WHERE #p.org = #.org AND #p.project = #.id AND #p.team NOT IN " + unseenTeams + ")"}
	statusShape = &entity.Shape{Name: "ProjectStatus", Table: "tracker_project_status", Live: " AND #.archived = 0"}
)

func init() {
	Projects.Shape, ProjectStatuses.Shape = projectShape, statusShape
	Projects.Complete, Projects.enrich = completeProjects, enrichProject
	Projects.Heavy = func(p *Project) bool { return len(p.Content) > heavyText }
	at := func(column string) entity.Field { return entity.Field{Sort: entity.ByTime, Expr: "@." + column} }
	user := func(column string) entity.Field {
		return entity.Field{Sort: entity.ToOne, Expr: "@." + column, To: func() *entity.Shape { return userShape }}
	}
	projectShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"), "startedAt": at("started"),
		"completedAt": at("completed"), "canceledAt": at("canceled"),
		"startDate": {Sort: entity.ByDate, Expr: "@.start_date"}, "targetDate": {Sort: entity.ByDate, Expr: "@.target_date"},
		"name": {Sort: entity.ByText, Expr: "@.name"}, "slugId": {Sort: entity.ByText, Expr: "@.slug_id"}, "priority": {Sort: entity.ByNumber, Expr: "@.priority"},
		"state":   {Sort: entity.ByText, Expr: "(SELECT s.type FROM tracker_project_status s WHERE s.org = @.org AND s.id = @.status)"},
		"creator": user("creator"), "lead": user("lead"),
		"leadTeam": {Sort: entity.ToOne, Expr: "''", To: func() *entity.Shape { return teamShape }},
		"status":   {Sort: entity.ToOne, Expr: "@.status", To: func() *entity.Shape { return statusShape }},
		"accessibleTeams": {Sort: entity.ToMany, From: "tracker_team # JOIN tracker_project_team #j ON #j.org = #.org AND #j.team = #.id",
			Expr: "#j.org = @.org AND #j.project = @.id", To: func() *entity.Shape { return teamShape }},
		"members": {Sort: entity.ToMany, From: "tracker_user # JOIN tracker_project_member #j ON #j.org = #.org AND #j.user_id = #.id",
			Expr: "#j.org = @.org AND #j.project = @.id", To: func() *entity.Shape { return userShape }},
		"issues": {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.project = @.id AND #.project <> ''",
			To: func() *entity.Shape { return issueShape }},
	}
	statusShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"),
		"name": {Sort: entity.ByText, Expr: "@.name"}, "description": {Sort: entity.ByText, Expr: "@.description"}, "type": {Sort: entity.ByText, Expr: "@.type"},
		"position": {Sort: entity.ByFloat, Expr: "@.position"},
		"team":     {Sort: entity.ToOne, Expr: "''", To: func() *entity.Shape { return teamShape }},
		"projects": {Sort: entity.ToMany, From: "tracker_project #", Expr: "#.org = @.org AND #.status = @.id", To: func() *entity.Shape { return projectShape }},
	}
}

// points adds up the points of the issues of projects or cycles. An issue without
// an estimate counts one point.
func points(v *View, column string, ids []string, add func(id string, all, done, begun float64)) error {
	in := entity.Padded(ids)
	return v.Tx.Each(`SELECT i.`+column+`, SUM(COALESCE(i.estimate, 1)), SUM(CASE WHEN i.completed <> 0 THEN COALESCE(i.estimate, 1) ELSE 0 END),
		SUM(CASE WHEN i.completed = 0 AND i.started <> 0 THEN COALESCE(i.estimate, 1) ELSE 0 END)
		FROM tracker_issue i WHERE i.org = ? AND i.`+column+` <> '' AND i.canceled = 0 AND i.trashed = FALSE AND i.`+column+` IN `+
		store.In(len(in))+` GROUP BY i.`+column, append([]any{v.Tenant}, in...), func(r store.Row) error {
		var id string
		var all, done, begun float64
		err := r.Scan(&id, &all, &done, &begun)
		add(id, all, done, begun)
		return err
	})
}

// progress returns the completed fraction of the points. Started points count a
// quarter.
func progress(all, done, begun float64) float64 {
	if all == 0 {
		return 0
	}
	return (done + begun/4) / all
}

func completeProjects(v *View, rows []*Project) error {
	byID := make(map[string]*Project, len(rows))
	ids := make([]string, len(rows))
	for i, p := range rows {
		var err error
		if p.Options, _, err = merge(projectDefaults(), p.Settings, nil); err != nil {
			return err
		}
		byID[p.ID], ids[i] = p, p.ID
	}
	types := map[string]string{}
	err := v.Tx.Each(`SELECT id, type FROM tracker_project_status WHERE org = ?`, []any{v.Tenant}, func(r store.Row) error {
		var id, kind string
		err := r.Scan(&id, &kind)
		types[id] = kind
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range rows {
		p.StatusType = types[p.Status]
	}
	return points(v, "project", ids, func(id string, all, done, begun float64) {
		byID[id].Scope, byID[id].Progress = all, progress(all, done, begun)
	})
}

func enrichProject(v *View, p *Project, data map[string]any) (detail, error) {
	d := detail{url: v.ProjectURL(p), teams: entity.Split(p.TeamIDs)}
	data["url"], data["labelIds"] = d.url, []any{}
	for _, name := range []string{"completedIssueCountHistory", "completedScopeHistory", "inProgressScopeHistory", "issueCountHistory", "scopeHistory"} {
		data[name] = []any{}
	}
	if !p.Trashed {
		delete(data, "trashed")
	}
	s, err := ProjectStatuses.Find(v, p.Status)
	if err != nil {
		return d, err
	}
	if s != nil {
		data["status"] = map[string]any{"id": s.ID, "color": s.Color, "name": s.Name, "type": s.Type}
	}
	return d, embedUser(v, data, "lead", p.Lead)
}

// linkProject updates the link tables to the list columns of a project.
func (w *writer) linkProject(old, p *Project) error {
	if _, err := relink(w.Tx, "tracker_project_team", "project", "team", w.Tenant, p.ID, old.TeamIDs, p.TeamIDs); err != nil {
		return err
	}
	_, err := relink(w.Tx, "tracker_project_member", "project", "user_id", w.Tenant, p.ID, old.MemberIDs, p.MemberIDs)
	return err
}

func topProject(tx *store.Tx, org string) (at float64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(sort_order), 0) - 1000 FROM tracker_project WHERE org = ?`, []any{org}, &at)
	return at, err
}
