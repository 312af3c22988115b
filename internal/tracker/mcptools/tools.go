package mcptools

import "understudy/internal/platform/mcpkit"

type tool = mcpkit.Tool[*Client]

// Arguments that the lists share.
var (
	cursorArg = mcpkit.Arg{Name: "cursor", Aliases: []string{"after"},
		Description: "Where to go on: pageInfo.endCursor of the page before. Leave it out for the first page."}
	limitArg = mcpkit.Arg{Name: "limit", Aliases: []string{"first"}, Kind: mcpkit.Count, Default: 50, Min: 1, Max: 250,
		Description: "How many to return at most. Fewer may come when they are large: look at pageInfo."}
	createdArg = mcpkit.Arg{Name: "createdAt", Example: "-P7D",
		Description: "Only those made at or after this time: ISO 8601, or a duration back from now such as -P7D."}
	updatedArg = mcpkit.Arg{Name: "updatedAt", Example: "-P1D",
		Description: "Only those changed at or after this time: ISO 8601, or a duration back from now such as -P1D."}
)

func orderArg(standard string) mcpkit.Arg {
	return mcpkit.Arg{Name: "orderBy", Enum: []string{"createdAt", "updatedAt"}, Default: standard, Description: "By which time to order, newest first."}
}

func archivedArg(standard bool) mcpkit.Arg {
	return mcpkit.Arg{Name: "includeArchived", Kind: mcpkit.Flag, Default: standard, Description: "Whether archived ones are among them."}
}

func idArg(what string) mcpkit.Arg {
	return mcpkit.Arg{Name: what, Required: true, Example: "ENG-12", Description: "The issue: its identifier such as ENG-12, or its id."}
}

// issueArgs returns the arguments for the fields of an issue that can be set.
// With removable, null removes a value.
func issueArgs(removable bool) []mcpkit.Arg {
	removes := ""
	if removable {
		removes = " null removes it."
	}
	labels := "Names or ids of the labels."
	if removable {
		labels = "Names or ids of the labels; they replace those that are there, and an empty list removes all."
	}
	return []mcpkit.Arg{
		{Name: "description", Nullable: removable, Empty: removable, Description: "What it is about, in Markdown." + removes},
		{Name: "assignee", Aliases: []string{"assigneeId"}, Nullable: removable, Example: "me",
			Description: "Who is to do it: name, e-mail address or id of a user, or \"me\"." + removes},
		{Name: "priority", Kind: mcpkit.Integer, Min: 0, Max: 4, Description: "0 none, 1 urgent, 2 high, 3 medium, 4 low."},
		{Name: "state", Aliases: []string{"status", "stateId"}, Example: "In Progress",
			Description: "State of the issue's team: name, type (backlog, unstarted, started, completed, canceled) or id."},
		{Name: "project", Aliases: []string{"projectId"}, Nullable: removable, Description: "Project: name or id." + removes},
		{Name: "labels", Aliases: []string{"labelIds"}, Kind: mcpkit.List, Description: labels},
		{Name: "dueDate", Nullable: removable, Example: "2025-06-30", Description: "Day by which it is due, YYYY-MM-DD." + removes},
		{Name: "cycle", Aliases: []string{"cycleId"}, Nullable: removable, Description: "Cycle of the team: name, number, id, or current, next, previous." + removes},
		{Name: "parentId", Aliases: []string{"parent"}, Nullable: removable, Description: "The issue that it is a part of: identifier or id." + removes},
		{Name: "estimate", Kind: mcpkit.Integer, Min: 0, Max: 1000, Nullable: removable, Description: "Points." + removes},
	}
}

var table = mcpkit.NewTable(
	tool{Name: "list_teams", Title: "List teams", Output: teamsOut,
		Description: "List the teams that you can see, with key, name and the states that their issues go through. Use it to find the team and state that other tools take.",
		Args: []mcpkit.Arg{{Name: "query", Description: "Only teams whose name or key contains this."},
			limitArg, cursorArg, archivedArg(false), orderArg("createdAt"), createdArg, updatedArg}, Run: listTeams},
	tool{Name: "list_issues", Title: "List issues", Output: issuesOut,
		Description: "List issues, narrowed by any of the arguments together. For your own, give assignee \"me\". Long descriptions are cut: get_issue shows all of one.",
		Args: []mcpkit.Arg{
			{Name: "query", Description: "Only issues whose title or description contains this, or the issue of this identifier."},
			{Name: "team", Aliases: []string{"teamId"}, Example: "ENG", Description: "Team: key, name or id."},
			{Name: "state", Aliases: []string{"status", "stateId"}, Example: "In Progress",
				Description: "State: name, type (backlog, unstarted, started, completed, canceled) or id."},
			{Name: "assignee", Aliases: []string{"assigneeId", "userId"}, Nullable: true, Example: "me",
				Description: "Who is to do them: name, e-mail address or id of a user, or \"me\". null finds those that nobody has."},
			{Name: "project", Aliases: []string{"projectId"}, Nullable: true, Description: "Project: name or id. null finds those in no project."},
			{Name: "label", Aliases: []string{"labels"}, Description: "Label: name or id."},
			{Name: "cycle", Aliases: []string{"cycleId"}, Nullable: true, Description: "Cycle: name, number, id, or current, next, previous. null finds those in no cycle."},
			{Name: "parentId", Aliases: []string{"parent"}, Description: "Only parts of this issue: identifier or id."},
			{Name: "priority", Kind: mcpkit.Integer, Min: 0, Max: 4, Description: "0 none, 1 urgent, 2 high, 3 medium, 4 low."},
			createdArg, updatedArg, archivedArg(true), orderArg("updatedAt"), limitArg, cursorArg}, Run: listIssues},
	tool{Name: "get_issue", Title: "Show an issue", Output: issueOut,
		Description: "Show one issue in full: description, state, people, labels, project, and its latest comments.",
		Args: []mcpkit.Arg{{Name: "id", Aliases: []string{"issueId", "identifier"}, Required: true, Example: "ENG-12", Description: "The issue: its identifier such as ENG-12, or its id."},
			{Name: "includeRelations", Kind: mcpkit.Flag, Default: false, Description: "Whether to show its sub-issues too."}}, Run: getIssue},
	tool{Name: "create_issue", Title: "Create an issue", Output: issueOut, Effect: mcpkit.Creates,
		Description: "Create an issue in a team. The reply holds its identifier. Without a state it begins in the team's backlog.",
		Args: append([]mcpkit.Arg{{Name: "title", Required: true, Description: "What it is, in one line."},
			{Name: "team", Aliases: []string{"teamId"}, Required: true, Example: "ENG", Description: "Team: key, name or id."}}, issueArgs(false)...), Run: createIssue},
	tool{Name: "update_issue", Title: "Change an issue", Output: issueOut, Effect: mcpkit.Updates,
		Description: "Change fields of an issue; those left out stay as they are. Use it to move an issue to another state, assign it, or file it under a project.",
		Args: append([]mcpkit.Arg{{Name: "id", Aliases: []string{"issueId", "identifier"}, Required: true, Example: "ENG-12", Description: "The issue: its identifier such as ENG-12, or its id."},
			{Name: "title", Description: "What it is, in one line."},
			{Name: "team", Aliases: []string{"teamId"}, Description: "Another team to move it to: key, name or id. It gets a new identifier."}}, issueArgs(true)...), Run: updateIssue},
	tool{Name: "create_comment", Title: "Comment on an issue", Output: commentOut, Effect: mcpkit.Creates,
		Description: "Write a comment on an issue, or a reply to a comment.",
		Args: []mcpkit.Arg{idArg("issueId"), {Name: "body", Required: true, Description: "Text of the comment, in Markdown."},
			{Name: "parentId", Description: "Id of the comment to reply to, as get_issue shows it."}}, Run: createComment},
	tool{Name: "list_projects", Title: "List projects", Output: projectsOut,
		Description: "List projects, narrowed by any of the arguments together, with status, lead, teams, dates and progress.",
		Args: []mcpkit.Arg{{Name: "query", Description: "Only projects whose name contains this."},
			{Name: "team", Aliases: []string{"teamId"}, Example: "ENG", Description: "Only projects of this team: key, name or id."},
			{Name: "state", Aliases: []string{"status"}, Example: "started", Description: "Status: name, or type (backlog, planned, started, paused, completed, canceled)."},
			{Name: "member", Description: "Only projects of this member or lead: name, e-mail address or id of a user, or \"me\"."},
			limitArg, cursorArg, archivedArg(false), orderArg("createdAt"), createdArg, updatedArg}, Run: listProjects},
)

// OperationNames returns the names that recordings have for calls of the tools.
func OperationNames() []string { return table.Operations() }
