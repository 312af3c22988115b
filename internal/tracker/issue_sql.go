package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// stateRank is the expression that sorts issues by workflow state, in the order of the
// groups in lists: work that goes on comes before work that waits.
const stateRank = `(SELECT (CASE s.type WHEN 'triage' THEN 0 WHEN 'started' THEN 1 WHEN 'unstarted' THEN 2 WHEN 'backlog' THEN 3
	WHEN 'completed' THEN 4 ELSE 5 END) * 100000 + s.position FROM tracker_state s WHERE s.org = @.org AND s.id = @.state)`

// Issues are the issues of the teams that the viewer may see.
var Issues = declare(entity.Kind[*View, Issue]{Name: "Issue", Table: "tracker_issue", Indexed: true,
	Relations: map[string]entity.Relation{
		"team":        {Parent: "t.team"},
		"state":       {Parent: "t.state"},
		"assignee":    {Parent: "t.assignee", Hint: " AND t.assignee <> ''"},
		"creator":     {Parent: "t.creator"},
		"parent":      {Parent: "t.parent", Hint: " AND t.parent <> ''"},
		"project":     {Parent: "t.project", Hint: " AND t.project <> ''"},
		"cycle":       {Parent: "t.cycle", Hint: " AND t.cycle <> ''"},
		"label":       {Join: " JOIN tracker_issue_label j ON j.org = t.org AND j.issue = t.id", Parent: "j.label"},
		"uncompleted": {Join: " JOIN tracker_cycle_uncompleted j ON j.org = t.org AND j.issue = t.id", Parent: "j.cycle"},
		// The issues of a team and of the teams below it.
		"teams": {Join: " JOIN tracker_team j ON j.org = t.org AND t.team IN (" + teamsBelow + ")", Parent: "j.id"},
	},
	Sorts: map[string]entity.SortKey{
		"createdAt": {Expr: "@.created", By: entity.ByNumber},
		"updatedAt": {Expr: "@.updated", By: entity.ByNumber},
		// From low to urgent.
		"priority": {Expr: "-@.priority", Missing: "@.priority = 0", Zero: "0", By: entity.ByNumber,
			Tiebreak: "@.priority_sort_order"},
		"title":         {Expr: "@.title"},
		"dueDate":       {Expr: "@.due_date", Missing: "@.due_date = ''", Zero: "''"},
		"estimate":      {Expr: "@.estimate", Missing: "@.estimate IS NULL", Zero: "0", By: entity.ByFloat},
		"completedAt":   {Expr: "@.completed", Missing: "@.completed = 0", Zero: "0", By: entity.ByNumber},
		"manual":        {Expr: "@.sort_order", By: entity.ByFloat},
		"workflowState": {Expr: stateRank, By: entity.ByFloat},
		"assignee": {Expr: "(SELECT u.display_name FROM tracker_user u WHERE u.org = @.org AND u.id = @.assignee)",
			Missing: "@.assignee = ''", Zero: "''"},
		"cycle": {Expr: "(SELECT c.starts FROM tracker_cycle c WHERE c.org = @.org AND c.id = @.cycle)", Missing: "@.cycle = ''", Zero: "0", By: entity.ByNumber},
		"project": {Expr: "(SELECT p.name FROM tracker_project p WHERE p.org = @.org AND p.id = @.project)",
			Missing: "@.project = ''", Zero: "''"},
		"team": {Expr: "(SELECT e.name FROM tracker_team e WHERE e.org = @.org AND e.id = @.team)"},
	},
	Hide: hideBy("t.team"),
}, (*Issue).Header, []entity.Column[Issue]{
	entity.Col("team", "teamId", entity.Ref, func(i *Issue) any { return &i.Team }),
	entity.Col("number", "number", entity.Number, func(i *Issue) any { return &i.Number }),
	entity.Col("identifier", "identifier", entity.Text, func(i *Issue) any { return &i.Identifier }),
	entity.Col("previous", "previousIdentifiers", entity.List, func(i *Issue) any { return &i.Previous }),
	entity.Col("title", "title", entity.Text, func(i *Issue) any { return &i.Title }),
	entity.Col("description", "description", entity.Ref, func(i *Issue) any { return &i.Description }),
	entity.Col("priority", "priority", entity.Number, func(i *Issue) any { return &i.Priority }),
	entity.Col("estimate", "estimate", entity.Nullable, func(i *Issue) any { return &i.Estimate }),
	entity.Col("sort_order", "sortOrder", entity.Number, func(i *Issue) any { return &i.SortOrder }),
	entity.Col("priority_sort_order", "prioritySortOrder", entity.Number, func(i *Issue) any { return &i.PrioritySortOrder }),
	entity.Col("sub_sort_order", "subIssueSortOrder", entity.Nullable, func(i *Issue) any { return &i.SubSortOrder }),
	entity.Col("state", "stateId", entity.Ref, func(i *Issue) any { return &i.State }),
	entity.Col("assignee", "assigneeId", entity.Ref, func(i *Issue) any { return &i.Assignee }),
	entity.Col("creator", "creatorId", entity.Ref, func(i *Issue) any { return &i.Creator }),
	entity.Col("parent", "parentId", entity.Ref, func(i *Issue) any { return &i.Parent }),
	entity.Col("project", "projectId", entity.Ref, func(i *Issue) any { return &i.Project }),
	entity.Col("cycle", "cycleId", entity.Ref, func(i *Issue) any { return &i.Cycle }),
	entity.Col("due_date", "dueDate", entity.Ref, func(i *Issue) any { return &i.DueDate }),
	entity.Col("label_ids", "labelIds", entity.List, func(i *Issue) any { return &i.LabelIDs }),
	entity.Col("subscriber_ids", "subscriberIds", entity.List, func(i *Issue) any { return &i.SubscriberIDs }),
	entity.Col("started", "startedAt", entity.Time, func(i *Issue) any { return &i.Started }),
	entity.Col("completed", "completedAt", entity.Time, func(i *Issue) any { return &i.Completed }),
	entity.Col("canceled", "canceledAt", entity.Time, func(i *Issue) any { return &i.Canceled }),
	entity.Col("started_triage", "startedTriageAt", entity.Time, func(i *Issue) any { return &i.StartedTriage }),
	entity.Col("triaged", "triagedAt", entity.Time, func(i *Issue) any { return &i.Triaged }),
	entity.Col("added_to_team", "addedToTeamAt", entity.Time, func(i *Issue) any { return &i.AddedToTeam }),
	entity.Col("added_to_project", "addedToProjectAt", entity.Time, func(i *Issue) any { return &i.AddedToProject }),
	entity.Col("added_to_cycle", "addedToCycleAt", entity.Time, func(i *Issue) any { return &i.AddedToCycle }),
	entity.Col("trashed", "trashed", entity.Flag, func(i *Issue) any { return &i.Trashed }),
	entity.Col("auto_archived", "autoArchivedAt", entity.Time, func(i *Issue) any { return &i.AutoArchived }),
	entity.Col("auto_closed", "autoClosedAt", entity.Time, func(i *Issue) any { return &i.AutoClosed }),
	entity.Col("snoozed_until", "snoozedUntilAt", entity.Time, func(i *Issue) any { return &i.SnoozedUntil }),
	entity.Col("snoozed_by", "snoozedById", entity.Ref, func(i *Issue) any { return &i.SnoozedBy }),
	entity.Col("restored", "", entity.Hidden, func(i *Issue) any { return &i.Restored }),
})

// teamsBelow selects a team j and all teams below it.
const teamsBelow = `WITH RECURSIVE down(id) AS (SELECT j.id UNION SELECT c.id FROM tracker_team c JOIN down ON c.parent = down.id
	WHERE c.org = j.org) SELECT id FROM down`

var issueShape = &entity.Shape{Name: "Issue", Table: "tracker_issue", Live: " AND #.archived = 0", Hide: " AND #.team NOT IN " + unseenTeams, Aliases: issuesOfIdentifiers}

func init() {
	Issues.Shape = issueShape
	Issues.enrich = enrichIssue
	Issues.Heavy = func(i *Issue) bool { return len(i.Description) > heavyText }
	at := func(column string) entity.Field { return entity.Field{Sort: entity.ByTime, Expr: "@." + column} }
	user := func(column string) entity.Field {
		return entity.Field{Sort: entity.ToOne, Expr: "@." + column, To: func() *entity.Shape { return userShape }}
	}
	issueShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id", Alias: true}, "createdAt": at("created"), "updatedAt": at("updated"), "archivedAt": at("archived"),
		"startedAt": at("started"), "completedAt": at("completed"), "canceledAt": at("canceled"), "triagedAt": at("triaged"),
		"addedToCycleAt": at("added_to_cycle"), "autoArchivedAt": at("auto_archived"), "autoClosedAt": at("auto_closed"),
		"snoozedUntilAt": at("snoozed_until"), "snoozedBy": user("snoozed_by"),
		"number": {Sort: entity.ByNumber, Expr: "@.number"}, "priority": {Sort: entity.ByNumber, Expr: "@.priority"},
		"estimate": {Sort: entity.ByFloat, Expr: "@.estimate"}, "dueDate": {Sort: entity.ByDate, Expr: "@.due_date"},
		"title": {Sort: entity.ByText, Expr: "@.title"}, "description": {Sort: entity.ByText, Expr: "@.description"},
		"assignee": user("assignee"), "creator": user("creator"),
		"state":   {Sort: entity.ToOne, Expr: "@.state", To: func() *entity.Shape { return stateShape }},
		"team":    {Sort: entity.ToOne, Expr: "@.team", To: func() *entity.Shape { return teamShape }},
		"project": {Sort: entity.ToOne, Expr: "@.project", To: func() *entity.Shape { return projectShape }},
		"cycle":   {Sort: entity.ToOne, Expr: "@.cycle", To: func() *entity.Shape { return cycleShape }},
		"parent":  {Sort: entity.ToOne, Expr: "@.parent", To: func() *entity.Shape { return issueShape }},
		"children": {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.parent = @.id AND #.parent <> ''",
			To: func() *entity.Shape { return issueShape }},
		"comments": {Sort: entity.ToMany, From: "tracker_comment #", Expr: "#.org = @.org AND #.issue = @.id",
			To: func() *entity.Shape { return commentShape }},
		"labels": {Sort: entity.ToMany, From: "tracker_label # JOIN tracker_issue_label #j ON #j.org = #.org AND #j.label = #.id",
			Expr: "#j.org = @.org AND #j.issue = @.id", To: func() *entity.Shape { return labelShape }},
		"subscribers": {Sort: entity.ToMany, From: "tracker_user # JOIN tracker_issue_subscriber #j ON #j.org = #.org AND #j.user_id = #.id",
			Expr: "#j.org = @.org AND #j.created = @.created AND #j.issue = @.id", To: func() *entity.Shape { return userShape }},
	}
}

// issuesOfIdentifiers returns the ids of the issues that have or had one of the
// identifiers. It returns BadArgument for a text that is not an identifier.
func issuesOfIdentifiers(s *entity.Scope, identifiers []string) (found []string, err error) {
	for _, id := range identifiers {
		key, n, ok := splitIdentifier(id)
		if !ok {
			return nil, badArgument("id", "id must be a UUID or an issue identifier.")
		}
		issue, err := issueOfNumber(s.Tx, s.Tenant, key, n)
		if err != nil {
			return nil, err
		}
		if issue != "" {
			found = append(found, issue)
		}
	}
	return found, nil
}

// issueOfNumber returns the id of the issue that has or had an identifier, "" if there
// is none.
func issueOfNumber(tx *store.Tx, org, key string, number int64) (id string, err error) {
	team, err := teamOfKey(tx, org, key)
	if err != nil || team == "" {
		return "", err
	}
	found, err := tx.Get(`SELECT id FROM tracker_issue WHERE org = ? AND team = ? AND number = ?`, []any{org, team, number}, &id)
	if err != nil || found {
		return id, err
	}
	_, err = tx.Get(`SELECT issue FROM tracker_issue_alias WHERE org = ? AND team = ? AND number = ?`, []any{org, team, number}, &id)
	return id, err
}

// issueWithin reports whether an issue is another one or a descendant of it.
func issueWithin(v *View, issue, above string) (bool, error) {
	var one int64
	return v.Tx.Get(`WITH RECURSIVE up(id) AS (SELECT id FROM tracker_issue WHERE org = ? AND id = ? UNION SELECT p.parent
		FROM tracker_issue p JOIN up ON up.id = p.id WHERE p.org = ?) SELECT 1 FROM up WHERE id = ?`, []any{v.Tenant, issue, v.Tenant, above}, &one)
}

// linkIssue updates the link tables from the list columns of an issue.
func (w *writer) linkIssue(old, i *Issue) error {
	added, err := relink(w.Tx, "tracker_issue_label", "issue", "label", w.Tenant, i.ID, old.LabelIDs, i.LabelIDs)
	if err != nil {
		return err
	}
	if err := w.markApplied(added); err != nil {
		return err
	}
	return w.linkSubscribers(i, entity.Split(old.SubscriberIDs), entity.Split(i.SubscriberIDs))
}

// linkSubscribers changes the stored subscribers of an issue. The time at which an issue
// was created never changes.
func (w *writer) linkSubscribers(i *Issue, had, has []string) error {
	for _, gone := range without(had, has) {
		if _, err := w.Tx.Exec(`DELETE FROM tracker_issue_subscriber WHERE org = ? AND created = ? AND issue = ? AND user_id = ?`,
			w.Tenant, i.Created, i.ID, gone); err != nil {
			return err
		}
	}
	added := without(has, had)
	rows := make([][]any, len(added))
	for n, user := range added {
		rows[n] = []any{w.Tenant, i.Created, i.ID, user}
	}
	return w.Tx.ExecBatch(`INSERT INTO tracker_issue_subscriber (org, created, issue, user_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (org, created, issue, user_id) DO NOTHING`, rows)
}

// relink changes the rows of one owner in a link table from the list of ids old to the
// list now. It returns the ids that it added.
func relink(tx *store.Tx, table, owner, link, org, id, old, now string) (added []string, err error) {
	if old == now {
		return nil, nil
	}
	had, has := entity.Split(old), entity.Split(now)
	added = without(has, had)
	for _, gone := range without(had, has) {
		if _, err := tx.Exec("DELETE FROM "+table+" WHERE org = ? AND "+owner+" = ? AND "+link+" = ?", org, id, gone); err != nil {
			return nil, err
		}
	}
	rows := make([][]any, len(added))
	for i, x := range added {
		rows[i] = []any{org, id, x}
	}
	return added, tx.ExecBatch("INSERT INTO "+table+" (org, "+owner+", "+link+") VALUES (?, ?, ?) ON CONFLICT (org, "+owner+", "+link+") DO NOTHING", rows)
}

func insertAlias(tx *store.Tx, i *Issue) error {
	_, err := tx.Exec(`INSERT INTO tracker_issue_alias (org, team, number, issue) VALUES (?, ?, ?, ?)`, i.Org, i.Team, i.Number, i.ID)
	return err
}

func (w *writer) moveComments(i *Issue) error {
	_, err := w.Tx.Exec(`UPDATE tracker_comment SET team = ?, version = ? WHERE org = ? AND issue = ?`, i.Team, w.syncID, i.Org, i.ID)
	return err
}

// removeIssue deletes an issue with its comments, links and relations. Its
// sub-issues stay.
func (w *writer) removeIssue(i *Issue) error {
	if err := Issues.Delete(w.View, i); err != nil {
		return err
	}
	if err := w.reindex(i.ID, true); err != nil {
		return err
	}
	if err := w.tallyIssue(i, &Issue{}); err != nil {
		return err
	}
	if err := w.linkSubscribers(i, entity.Split(i.SubscriberIDs), nil); err != nil {
		return err
	}
	tx := w.Tx
	for _, sql := range []string{
		`DELETE FROM tracker_issue_label WHERE org = ? AND issue = ?`,
		`DELETE FROM tracker_issue_alias WHERE org = ? AND issue = ?`,
		`DELETE FROM tracker_cycle_uncompleted WHERE org = ? AND issue = ?`,
		`DELETE FROM tracker_comment WHERE org = ? AND issue = ?`,
	} {
		if _, err := tx.Exec(sql, i.Org, i.ID); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`UPDATE tracker_issue SET parent = '', sub_sort_order = NULL, version = ? WHERE org = ? AND parent = ? AND parent <> ''`,
		w.syncID, i.Org, i.ID); err != nil {
		return err
	}
	open, archived := -1, 0
	if i.Archived != 0 {
		open, archived = 0, -1
	}
	return countIssues(tx, i.Org, i.Team, open, archived)
}
