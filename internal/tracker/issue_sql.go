package tracker

import (
	"strings"

	"understudy/internal/platform/store"
)

// stateRank orders workflow states as boards show them.
const stateRank = `(SELECT (CASE s.type WHEN 'triage' THEN 0 WHEN 'backlog' THEN 1 WHEN 'unstarted' THEN 2 WHEN 'started' THEN 3
	WHEN 'completed' THEN 4 ELSE 5 END) * 100000 + s.position FROM tracker_state s WHERE s.org = @.org AND s.id = @.state)`

// Issues are those of the teams that the viewer may see.
var Issues = (&Kind[Issue]{Name: "Issue", table: "tracker_issue",
	of: map[string]relation{
		"team":        {parent: "t.team"},
		"state":       {parent: "t.state"},
		"assignee":    {parent: "t.assignee", hint: " AND t.assignee <> ''"},
		"creator":     {parent: "t.creator"},
		"parent":      {parent: "t.parent", hint: " AND t.parent <> ''"},
		"project":     {parent: "t.project", hint: " AND t.project <> ''"},
		"cycle":       {parent: "t.cycle", hint: " AND t.cycle <> ''"},
		"label":       {join: " JOIN tracker_issue_label j ON j.org = t.org AND j.issue = t.id", parent: "j.label"},
		"uncompleted": {join: " JOIN tracker_cycle_uncompleted j ON j.org = t.org AND j.issue = t.id", parent: "j.cycle"},
		// A team's issues and those of the teams below it.
		"teams": {join: " JOIN tracker_team j ON j.org = t.org AND t.team IN (" + teamsBelow + ")", parent: "j.id"},
	},
	sorts: map[string]sortKey{
		"createdAt":     {expr: "@.created", is: aNumber},
		"updatedAt":     {expr: "@.updated", is: aNumber},
		"priority":      {expr: "@.priority", missing: "@.priority = 0", zero: "0", is: aNumber},
		"title":         {expr: "@.title"},
		"dueDate":       {expr: "@.due_date", missing: "@.due_date = ''", zero: "''"},
		"estimate":      {expr: "@.estimate", missing: "@.estimate IS NULL", zero: "0", is: aFloat},
		"completedAt":   {expr: "@.completed", missing: "@.completed = 0", zero: "0", is: aNumber},
		"manual":        {expr: "@.sort_order", is: aFloat},
		"workflowState": {expr: stateRank, is: aFloat},
		"assignee": {expr: "(SELECT u.display_name FROM tracker_user u WHERE u.org = @.org AND u.id = @.assignee)",
			missing: "@.assignee = ''", zero: "''"},
		"cycle": {expr: "(SELECT c.starts FROM tracker_cycle c WHERE c.org = @.org AND c.id = @.cycle)", missing: "@.cycle = ''", zero: "0", is: aNumber},
		"project": {expr: "(SELECT p.name FROM tracker_project p WHERE p.org = @.org AND p.id = @.project)",
			missing: "@.project = ''", zero: "''"},
		"team": {expr: "(SELECT e.name FROM tracker_team e WHERE e.org = @.org AND e.id = @.team)"},
	},
	hide: hideBy("t.team"),
}).ready((*Issue).base, []column[Issue]{
	{"team", "teamId", ref, func(i *Issue) any { return &i.Team }},
	{"number", "number", number, func(i *Issue) any { return &i.Number }},
	{"identifier", "identifier", text, func(i *Issue) any { return &i.Identifier }},
	{"previous", "previousIdentifiers", list, func(i *Issue) any { return &i.Previous }},
	{"title", "title", text, func(i *Issue) any { return &i.Title }},
	{"description", "description", ref, func(i *Issue) any { return &i.Description }},
	{"priority", "priority", number, func(i *Issue) any { return &i.Priority }},
	{"estimate", "estimate", maybe, func(i *Issue) any { return &i.Estimate }},
	{"sort_order", "sortOrder", number, func(i *Issue) any { return &i.SortOrder }},
	{"priority_sort_order", "prioritySortOrder", number, func(i *Issue) any { return &i.PrioritySortOrder }},
	{"sub_sort_order", "subIssueSortOrder", maybe, func(i *Issue) any { return &i.SubSortOrder }},
	{"state", "stateId", ref, func(i *Issue) any { return &i.State }},
	{"assignee", "assigneeId", ref, func(i *Issue) any { return &i.Assignee }},
	{"creator", "creatorId", ref, func(i *Issue) any { return &i.Creator }},
	{"parent", "parentId", ref, func(i *Issue) any { return &i.Parent }},
	{"project", "projectId", ref, func(i *Issue) any { return &i.Project }},
	{"cycle", "cycleId", ref, func(i *Issue) any { return &i.Cycle }},
	{"due_date", "dueDate", ref, func(i *Issue) any { return &i.DueDate }},
	{"label_ids", "labelIds", list, func(i *Issue) any { return &i.LabelIDs }},
	{"subscriber_ids", "subscriberIds", list, func(i *Issue) any { return &i.SubscriberIDs }},
	{"started", "startedAt", moment, func(i *Issue) any { return &i.Started }},
	{"completed", "completedAt", moment, func(i *Issue) any { return &i.Completed }},
	{"canceled", "canceledAt", moment, func(i *Issue) any { return &i.Canceled }},
	{"started_triage", "startedTriageAt", moment, func(i *Issue) any { return &i.StartedTriage }},
	{"triaged", "triagedAt", moment, func(i *Issue) any { return &i.Triaged }},
	{"added_to_team", "addedToTeamAt", moment, func(i *Issue) any { return &i.AddedToTeam }},
	{"added_to_project", "addedToProjectAt", moment, func(i *Issue) any { return &i.AddedToProject }},
	{"added_to_cycle", "addedToCycleAt", moment, func(i *Issue) any { return &i.AddedToCycle }},
	{"trashed", "trashed", flag, func(i *Issue) any { return &i.Trashed }},
})

// teamsBelow gives a team j and all teams below it.
const teamsBelow = `WITH RECURSIVE down(id) AS (SELECT j.id UNION SELECT c.id FROM tracker_team c JOIN down ON c.parent = down.id
	WHERE c.org = j.org) SELECT id FROM down`

var issueShape = &shape{name: "Issue", table: "tracker_issue", live: " AND #.archived = 0", hide: " AND #.team NOT IN " + unseenTeams, ident: identifiers}

func init() {
	Issues.shape = issueShape
	Issues.enrich = enrichIssue
	Issues.heavy = func(i *Issue) bool { return len(i.Description) > heavyText }
	at := func(column string) term { return term{sort: aTime, expr: "@." + column} }
	user := func(column string) term {
		return term{sort: toOne, expr: "@." + column, to: func() *shape { return userShape }}
	}
	issueShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id", any: true}, "createdAt": at("created"), "updatedAt": at("updated"), "archivedAt": at("archived"),
		"startedAt": at("started"), "completedAt": at("completed"), "canceledAt": at("canceled"), "triagedAt": at("triaged"),
		"addedToCycleAt": at("added_to_cycle"), "autoArchivedAt": {sort: aTime, expr: "0"}, "autoClosedAt": {sort: aTime, expr: "0"},
		"number": {sort: aNumber, expr: "@.number"}, "priority": {sort: aNumber, expr: "@.priority"},
		"estimate": {sort: aFloat, expr: "@.estimate"}, "dueDate": {sort: aDate, expr: "@.due_date"},
		"title": {sort: aText, expr: "@.title"}, "description": {sort: aText, expr: "@.description"},
		"assignee": user("assignee"), "creator": user("creator"),
		"state":   {sort: toOne, expr: "@.state", to: func() *shape { return stateShape }},
		"team":    {sort: toOne, expr: "@.team", to: func() *shape { return teamShape }},
		"project": {sort: toOne, expr: "@.project", to: func() *shape { return projectShape }},
		"cycle":   {sort: toOne, expr: "@.cycle", to: func() *shape { return cycleShape }},
		"parent":  {sort: toOne, expr: "@.parent", to: func() *shape { return issueShape }},
		"children": {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.parent = @.id AND #.parent <> ''",
			to: func() *shape { return issueShape }},
		"comments": {sort: toMany, from: "tracker_comment #", expr: "#.org = @.org AND #.issue = @.id",
			to: func() *shape { return commentShape }},
		"labels": {sort: toMany, from: "tracker_label # JOIN tracker_issue_label #j ON #j.org = #.org AND #j.label = #.id",
			expr: "#j.org = @.org AND #j.issue = @.id", to: func() *shape { return labelShape }},
		"subscribers": {sort: toMany, from: "tracker_user # JOIN tracker_issue_subscriber #j ON #j.org = #.org AND #j.user_id = #.id",
			expr: "#j.org = @.org AND #j.issue = @.id", to: func() *shape { return userShape }},
	}
}

// identifiers is the condition that an issue has, or had, one of these identifiers.
func identifiers(c *compiler, alias string, ids []string) string {
	var found []string
	for _, id := range ids {
		key, n, ok := splitIdentifier(id)
		if !ok {
			return c.fail(badArgument("id", "id must be a UUID or an issue identifier."))
		}
		issue, err := issueOfNumber(c.v.tx, c.v.org, key, n)
		if err != nil {
			return c.fail(err)
		}
		if issue != "" {
			found = append(found, issue)
		}
	}
	if len(found) == 0 {
		return "1 = 0"
	}
	args := padded(found)
	c.args = append(c.args, args...)
	return alias + ".id IN " + store.In(len(args))
}

// issueOfNumber gives the id of the issue with an identifier, now or formerly.
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

// issueWithin tells whether an issue is another one or lies below it.
func issueWithin(v *View, issue, above string) (bool, error) {
	var one int64
	return v.tx.Get(`WITH RECURSIVE up(id) AS (SELECT id FROM tracker_issue WHERE org = ? AND id = ? UNION SELECT p.parent
		FROM tracker_issue p JOIN up ON up.id = p.id WHERE p.org = ?) SELECT 1 FROM up WHERE id = ?`, []any{v.org, issue, v.org, above}, &one)
}

// linkIssue brings the link tables to what the columns of an issue say.
func (w *writer) linkIssue(old, i *Issue) error {
	added, err := relink(w.tx, "tracker_issue_label", "issue", "label", w.org, i.ID, old.LabelIDs, i.LabelIDs)
	if err != nil {
		return err
	}
	if err := w.markApplied(added); err != nil {
		return err
	}
	_, err = relink(w.tx, "tracker_issue_subscriber", "issue", "user_id", w.org, i.ID, old.SubscriberIDs, i.SubscriberIDs)
	return err
}

// relink brings a link table from one list of ids to another, and gives those that are new.
func relink(tx *store.Tx, table, owner, link, org, id, old, now string) (added []string, err error) {
	if old == now {
		return nil, nil
	}
	had, has := Split(old), Split(now)
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
	_, err := w.tx.Exec(`UPDATE tracker_comment SET team = ?, version = ? WHERE org = ? AND issue = ?`, i.Team, w.syncID, i.Org, i.ID)
	return err
}

// removeIssue deletes an issue with all that hangs on it; its sub-issues stay.
func (w *writer) removeIssue(i *Issue) error {
	delete(w.memo, memoKey{Issues.table, i.ID})
	tx := w.tx
	for _, sql := range []string{
		`DELETE FROM tracker_issue WHERE org = ? AND id = ?`,
		`DELETE FROM tracker_issue_label WHERE org = ? AND issue = ?`,
		`DELETE FROM tracker_issue_subscriber WHERE org = ? AND issue = ?`,
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

// SearchIssues gives the issues whose title, description or identifier, or
// comments where asked, hold every word of a term.
func (v *View) SearchIssues(term, team string, comments bool, l List) (*Page[Issue], int64, error) {
	f := Filter{}
	for _, word := range strings.Fields(term) {
		like := Filter{{"containsIgnoreCaseAndAccent", word}}
		either := []any{Filter{{"title", like}}, Filter{{"description", like}}}
		if comments {
			either = append(either, Filter{{"comments", Filter{{"some", Filter{{"body", like}}}}}})
		}
		if _, _, ok := splitIdentifier(word); ok {
			either = append(either, Filter{{"id", Filter{{"eq", word}}}})
		}
		f = append(f, Term{"and", []any{Filter{{"or", either}}}})
	}
	if team != "" {
		t, err := v.Team(team)
		if err != nil {
			return nil, 0, err
		}
		f = append(f, Term{"team", Filter{{"id", Filter{{"eq", t.ID}}}}})
	}
	if len(l.Filter) > 0 {
		f = append(f, Term{"and", []any{l.Filter}})
	}
	l.Filter = f
	page, err := Issues.List(v, l)
	if err != nil {
		return nil, 0, err
	}
	n, err := Issues.Count(v, l)
	return page, n, err
}
