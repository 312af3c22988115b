package tracker

import "understudy/internal/platform/store"

// ProjectStatuses are those of the organization.
var ProjectStatuses = (&Kind[ProjectStatus]{Name: "ProjectStatus", table: "tracker_project_status"}).
	ready((*ProjectStatus).base, []column[ProjectStatus]{
		{"name", "name", text, func(s *ProjectStatus) any { return &s.Name }},
		{"color", "color", text, func(s *ProjectStatus) any { return &s.Color }},
		{"description", "description", ref, func(s *ProjectStatus) any { return &s.Description }},
		{"type", "type", text, func(s *ProjectStatus) any { return &s.Type }},
		{"position", "position", number, func(s *ProjectStatus) any { return &s.Position }},
		{"indefinite", "indefinite", flag, func(s *ProjectStatus) any { return &s.Indefinite }},
	})

// Projects are those of the teams that the viewer may see.
var Projects = (&Kind[Project]{Name: "Project", table: "tracker_project",
	of: map[string]relation{
		"team": {join: " JOIN tracker_project_team j ON j.org = t.org AND j.project = t.id", parent: "j.team"},
		// A team's projects and those of the teams below it.
		"teams": {join: " JOIN tracker_team j ON j.org = t.org AND t.id IN (SELECT x.project FROM tracker_project_team x WHERE x.org = j.org AND x.team IN (" +
			teamsBelow + "))", parent: "j.id"},
	},
	sorts: map[string]sortKey{
		"createdAt":  {expr: "@.created", is: aNumber},
		"updatedAt":  {expr: "@.updated", is: aNumber},
		"name":       {expr: "@.name"},
		"manual":     {expr: "@.sort_order", is: aFloat},
		"priority":   {expr: "@.priority", missing: "@.priority = 0", zero: "0", is: aNumber},
		"startDate":  {expr: "@.start_date", missing: "@.start_date = ''", zero: "''"},
		"targetDate": {expr: "@.target_date", missing: "@.target_date = ''", zero: "''"},
		"status":     {expr: "(SELECT s.position FROM tracker_project_status s WHERE s.org = @.org AND s.id = @.status)", is: aFloat},
		"lead": {expr: "(SELECT u.display_name FROM tracker_user u WHERE u.org = @.org AND u.id = @.lead)",
			missing: "@.lead = ''", zero: "''"},
	},
	hide: hideProject("t.id"),
}).ready((*Project).base, []column[Project]{
	{"name", "name", text, func(p *Project) any { return &p.Name }},
	{"slug_id", "slugId", text, func(p *Project) any { return &p.SlugID }},
	{"description", "description", text, func(p *Project) any { return &p.Description }},
	{"content", "content", ref, func(p *Project) any { return &p.Content }},
	{"icon", "icon", ref, func(p *Project) any { return &p.Icon }},
	{"color", "color", text, func(p *Project) any { return &p.Color }},
	{"status", "statusId", ref, func(p *Project) any { return &p.Status }},
	{"lead", "leadId", ref, func(p *Project) any { return &p.Lead }},
	{"creator", "creatorId", ref, func(p *Project) any { return &p.Creator }},
	{"priority", "priority", number, func(p *Project) any { return &p.Priority }},
	{"sort_order", "sortOrder", number, func(p *Project) any { return &p.SortOrder }},
	{"priority_sort_order", "prioritySortOrder", number, func(p *Project) any { return &p.PrioritySortOrder }},
	{"start_date", "startDate", ref, func(p *Project) any { return &p.StartDate }},
	{"start_date_resolution", "startDateResolution", ref, func(p *Project) any { return &p.StartResolution }},
	{"target_date", "targetDate", ref, func(p *Project) any { return &p.TargetDate }},
	{"target_date_resolution", "targetDateResolution", ref, func(p *Project) any { return &p.TargetResolution }},
	{"started", "startedAt", moment, func(p *Project) any { return &p.Started }},
	{"completed", "completedAt", moment, func(p *Project) any { return &p.Completed }},
	{"canceled", "canceledAt", moment, func(p *Project) any { return &p.Canceled }},
	{"trashed", "trashed", flag, func(p *Project) any { return &p.Trashed }},
	{"team_ids", "teamIds", list, func(p *Project) any { return &p.TeamIDs }},
	{"member_ids", "memberIds", list, func(p *Project) any { return &p.MemberIDs }},
	{"settings", "", hidden, func(p *Project) any { return &p.Settings }},
})

// hideProject gives the condition that leaves out rows of projects all of whose
// teams are unseen, by an expression of the project's id.
func hideProject(column string) func(*View) (string, []any) {
	return func(v *View) (string, []any) {
		hidden := v.unseen()
		if len(hidden) == 0 {
			return "", nil
		}
		args := padded(hidden)
		return "EXISTS (SELECT 1 FROM tracker_project_team pt WHERE pt.org = t.org AND pt.project = " + column +
			" AND pt.team NOT IN " + store.In(len(args)) + ")", args
	}
}

var (
	projectShape = &shape{name: "Project", table: "tracker_project", live: " AND #.archived = 0",
		hide: " AND EXISTS (SELECT 1 FROM tracker_project_team #p WHERE #p.org = #.org AND #p.project = #.id AND #p.team NOT IN " + unseenTeams + ")"}
	statusShape = &shape{name: "ProjectStatus", table: "tracker_project_status", live: " AND #.archived = 0"}
)

func init() {
	Projects.shape, ProjectStatuses.shape = projectShape, statusShape
	Projects.complete, Projects.enrich = completeProjects, enrichProject
	Projects.heavy = func(p *Project) bool { return len(p.Content) > heavyText }
	at := func(column string) term { return term{sort: aTime, expr: "@." + column} }
	user := func(column string) term {
		return term{sort: toOne, expr: "@." + column, to: func() *shape { return userShape }}
	}
	projectShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"), "startedAt": at("started"),
		"completedAt": at("completed"), "canceledAt": at("canceled"),
		"startDate": {sort: aDate, expr: "@.start_date"}, "targetDate": {sort: aDate, expr: "@.target_date"},
		"name": {sort: aText, expr: "@.name"}, "slugId": {sort: aText, expr: "@.slug_id"}, "priority": {sort: aNumber, expr: "@.priority"},
		"state":   {sort: aText, expr: "(SELECT s.type FROM tracker_project_status s WHERE s.org = @.org AND s.id = @.status)"},
		"creator": user("creator"), "lead": user("lead"),
		"leadTeam": {sort: toOne, expr: "''", to: func() *shape { return teamShape }},
		"status":   {sort: toOne, expr: "@.status", to: func() *shape { return statusShape }},
		"accessibleTeams": {sort: toMany, from: "tracker_team # JOIN tracker_project_team #j ON #j.org = #.org AND #j.team = #.id",
			expr: "#j.org = @.org AND #j.project = @.id", to: func() *shape { return teamShape }},
		"members": {sort: toMany, from: "tracker_user # JOIN tracker_project_member #j ON #j.org = #.org AND #j.user_id = #.id",
			expr: "#j.org = @.org AND #j.project = @.id", to: func() *shape { return userShape }},
		"issues": {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.project = @.id AND #.project <> ''",
			to: func() *shape { return issueShape }},
	}
	statusShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"),
		"name": {sort: aText, expr: "@.name"}, "description": {sort: aText, expr: "@.description"}, "type": {sort: aText, expr: "@.type"},
		"position": {sort: aFloat, expr: "@.position"},
		"team":     {sort: toOne, expr: "''", to: func() *shape { return teamShape }},
		"projects": {sort: toMany, from: "tracker_project #", expr: "#.org = @.org AND #.status = @.id", to: func() *shape { return projectShape }},
	}
}

// points sums up the issues of projects or cycles: an issue without an estimate counts one point.
func points(v *View, column string, ids []string, add func(id string, all, done, begun float64)) error {
	in := padded(ids)
	return v.tx.Each(`SELECT i.`+column+`, SUM(COALESCE(i.estimate, 1)), SUM(CASE WHEN i.completed <> 0 THEN COALESCE(i.estimate, 1) ELSE 0 END),
		SUM(CASE WHEN i.completed = 0 AND i.started <> 0 THEN COALESCE(i.estimate, 1) ELSE 0 END)
		FROM tracker_issue i WHERE i.org = ? AND i.`+column+` <> '' AND i.canceled = 0 AND i.trashed = FALSE AND i.`+column+` IN `+
		store.In(len(in))+` GROUP BY i.`+column, append([]any{v.org}, in...), func(r store.Row) error {
		var id string
		var all, done, begun float64
		err := r.Scan(&id, &all, &done, &begun)
		add(id, all, done, begun)
		return err
	})
}

// progress is the part of the points that is done; what is begun counts a quarter.
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
	err := v.tx.Each(`SELECT id, type FROM tracker_project_status WHERE org = ?`, []any{v.org}, func(r store.Row) error {
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
	d := detail{url: v.ProjectURL(p), teams: Split(p.TeamIDs)}
	data["url"], data["labelIds"] = d.url, []any{}
	for _, name := range []string{"completedIssueCountHistory", "completedScopeHistory", "inProgressScopeHistory", "issueCountHistory", "scopeHistory"} {
		data[name] = []any{}
	}
	if !p.Trashed {
		delete(data, "trashed")
	}
	s, err := ProjectStatuses.find(v, p.Status)
	if err != nil {
		return d, err
	}
	if s != nil {
		data["status"] = map[string]any{"id": s.ID, "color": s.Color, "name": s.Name, "type": s.Type}
	}
	return d, embedUser(v, data, "lead", p.Lead)
}

// linkProject brings the link tables to what the columns of a project say.
func (w *writer) linkProject(old, p *Project) error {
	if _, err := relink(w.tx, "tracker_project_team", "project", "team", w.org, p.ID, old.TeamIDs, p.TeamIDs); err != nil {
		return err
	}
	_, err := relink(w.tx, "tracker_project_member", "project", "user_id", w.org, p.ID, old.MemberIDs, p.MemberIDs)
	return err
}

func topProject(tx *store.Tx, org string) (at float64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(sort_order), 0) - 1000 FROM tracker_project WHERE org = ?`, []any{org}, &at)
	return at, err
}
