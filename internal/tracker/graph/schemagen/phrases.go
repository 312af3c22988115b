package main

import "strings"

// phrases describe fields that their names do not explain. They apply to every
// type with such a field, and to filters on it; a key with a type applies only to
// that type.
var phrases = map[string]string{
	"creator": "the person who made it", "assignee": "the person who works on it", "lead": "the person who answers for the project", "owner": "whether the person owns the organization or team",
	"user": "the person that it belongs to", "users": "the people in it", "members": "the people who are in it", "owners": "the people who manage it", "subscribers": "the people who hear of its changes",
	"team": "the team that it belongs to", "teams": "the teams that share it", "project": "the project that it is part of", "projects": "the projects that are part of it", "cycle": "the span of time that it is planned for",
	"cycles": "the spans of time that the team plans", "issue": "the issue that it stands on", "issues": "the issues in it", "comment": "the comment that it stands on", "comments": "what people have said about it",
	"parent": "what it is a part of, one level above", "children": "what is part of it, one level below", "ancestors": "everything above it, the nearest first", "labels": "the labels that mark it", "label": "a name for people",
	"organization": "the workspace with everything in it", "type": "the kind, as a word", "status": "the step that it has reached", "health": "how its lead judges the progress", "content": "the long text, in Markdown",
	"displayName": "the short name that people are called by", "position": "the place in the order of a board, lower first", "prioritySortOrder": "the place among those of the same priority, lower first",
	"subIssueSortOrder": "the place among the sub-issues of its parent, lower first", "targetDate": "the day by which it should be done", "startDate": "the day on which it is planned to begin",
	"targetDateResolution": "how exact the target date is: month, quarter, half-year or year", "startDateResolution": "how exact the start date is: month, quarter, half-year or year",
	"avatarUrl": "the address of a picture of the person", "quotedText": "the passage that the comment is about", "groupType": "how many labels of the group one issue may have", "isGroup": "whether it holds labels instead of marking issues",
	"visibility": "public, or private: seen by members alone", "private": "whether only members see it", "active": "whether the person may sign in", "admin": "whether the person manages the workspace",
	"app": "whether it is a program instead of a person", "invited": "whether the person has not signed in yet", "isInvited": "whether the person has not signed in yet", "assignedIssues": "the issues that the person works on",
	"createdIssues": "the issues that the person made", "createdIssueCount": "how many issues the person has made", "lastSeen": "when the person was last active", "statusEmoji": "the emoji of the status that the person has set",
	"statusLabel": "the text of the status that the person has set", "issueCount": "how many issues there are", "inviteHash": "the last part of an invitation link; always empty", "urlKey": "the part of addresses that names the workspace",
	"logoUrl": "the address of the logo", "accessibleTeams": "the teams of the project that the caller may see", "isActive": "whether it is running now", "isFuture": "whether it has not begun", "isPast": "whether it has ended",
	"isNext": "whether it begins next", "isPrevious": "whether it ended last", "isInCooldown": "whether it has ended and the next has not begun", "manual": "the order that people have dragged things into",
	"workflowState": "the place of the step in the workflow", "snoozedBy": "the person who has hidden it for a while", "botActor": "the program that made it; always null", "reactionData": "emoji that people have reacted with; always empty",
	"syncedWith": "what it mirrors in other products; always null", "metadata": "further facts as a JSON object", "subtitle": "a second line below the title", "hash": "the first eight digits of its id, as links to it end",
	"autoArchivePeriod":    "after how many months of 30 days closed issues are archived; 0 is never",
	"autoClosePeriod":      "after how many months of 30 days without activity open issues are closed; null is never",
	"autoCloseState":       "the state of type completed or canceled that inactive issues move to; the first canceled one when null",
	"autoCloseChildIssues": "whether open sub-issues are closed with their parent", "autoCloseParentIssues": "whether an issue is completed when its last sub-issue is closed",
	"cyclesEnabled": "whether cycles are created, completed and followed by the next as time goes on", "cycleDuration": "how many weeks a cycle lasts, 1 to 8", "cycleCooldownTime": "how many weeks lie between two cycles, 0 to 8",
	"cycleStartDay": "the day of the week on which cycles begin, 0 is Sunday", "upcomingCycleCount": "how many cycles are kept ready ahead of the current one, up to 10",
	"cycleIssueAutoAssignStarted": "whether an issue without a cycle joins the current one when work on it starts", "cycleIssueAutoAssignCompleted": "whether an issue without a cycle joins the current one when it is completed",
	"cycleLockToActive": "whether planned and started issues are always in the current cycle", "triageEnabled": "whether new issues wait in a state of their own until someone sorts them",
	"requirePriorityToLeaveTriage": "whether an issue needs a priority before it leaves triage", "defaultIssueEstimate": "the points that an issue without an estimate counts", "issueEstimationType": "the scale of estimates, such as linear or fibonacci",
	"setIssueSortOrderOnStateChange": "where an issue goes in its new column: default, first or last", "uncompletedIssuesUponClose": "the issues that were open when the cycle ended and moved on",
	"Project.scopeHistory": "the points planned, for each day; always empty", "Project.completedScopeHistory": "the points completed, for each day; always empty",
	"Project.inProgressScopeHistory": "the points started and not completed, for each day; always empty", "Project.issueCountHistory": "how many issues there were, for each day; always empty",
	"Project.completedIssueCountHistory": "how many issues were completed, for each day; always empty",
	"currentProgress":                    "counts of the work by its step; always empty", "progressHistory": "such counts for each day; always empty", "scopeHistory": "the points planned, when a cycle began and after each of its days",
	"completedScopeHistory": "the points completed, when a cycle began and after each of its days", "inProgressScopeHistory": "the points started and not completed, when a cycle began and after each of its days", "issueCountHistory": "how many issues there were when a cycle began and after each of its days",
	"completedIssueCountHistory": "how many issues were completed when a cycle began and after each of its days", "activeCycle": "the cycle that is running now; null between cycles", "viewer": "the user whose credential the request carries",
	"resolvingUser": "the person who closed the thread", "resolvingComment": "the comment that settled the thread", "retiredBy": "the person who took the label out of use", "inheritedFrom": "the same object of a team above; always null",
	"administrableTeams": "teams that the caller may manage", "archivedTeams": "deleted teams that can be brought back; for admins", "issuePriorityValues": "the names of the priorities from 0 to 4",
	"issueVcsBranchSearch": "the issue whose identifier a branch name holds, or null", "rateLimitStatus": "what is left of the caller's budgets", "projectStatus": "a step of projects by its id",
	"searchIssues": "issues that hold all words of a term: its identifier first, then titles, descriptions, comments", "issueSearch": "what searchIssues finds, without comments; an older form of it",
	"query": "the words to look for; without any, all issues are listed", "snippetSize": "the length of highlights in older versions; it changes nothing", "userEmail": "the address of the person, instead of the id", "ids": "the UUIDs of at most 50 objects",
	"issueLabel": "the label by which issues are marked", "webhook": "the registration by which events are delivered", "webhooks": "the registrations that hear of the team's events", "workflowStates": "steps of the workflows of all teams",
	"issueLabels": "labels of the workspace and of all its teams", "archivePayload": "a summary of archived objects; always empty", "sharedAccess": "who outside the team may see the issue: always nobody", "range": "addresses in CIDR form",
	"sharedWithUsers": "people outside the team who may see the issue: always none", "sharedWithCount": "how many people outside the team may see the issue: always 0", "disallowedIssueFields": "fields that such people may not change: always none",
	"boardOrder": "a place on boards of older versions; always 0", "customerTicketCount": "how many tickets of customers mention it; always 0", "mapping": "how settings of a team above are taken over",
}

// moments describe times whose names are not participles.
var moments = map[string]string{
	"snoozedUntilAt": "When a hidden issue shows again; null while it is not hidden.", "statusUntilAt": "When the status of the person ends; null for one that stays.",
	"autoArchivedAt": "When the settings of its team archived it; null unless they did.", "autoClosedAt": "When the settings of its team closed it for want of activity; null unless they did.",
	"addedToCycleAt": "When it came into its cycle; null without one.", "addedToProjectAt": "When it came into its project; null without one.", "addedToTeamAt": "When it came into its team.",
	"startedTriageAt": "When it began to wait in triage; null if it never did.", "lastAppliedAt": "When it was last put on an issue; null if it never was.",
	"healthUpdatedAt": "When the lead last judged the progress; null if never.", "slaBreachesAt": "The deadline that was promised to a customer.", "slaStartedAt": "When the time promised to a customer began.",
	"slaHighRiskAt": "When little is left of the time promised to a customer.", "slaMediumRiskAt": "When half is left of the time promised to a customer.",
}

// phrase returns the description of a field as a part of a sentence; ok is false
// when only its name describes it.
func phrase(name string) (text string, ok bool) {
	if text, ok = phrases[name]; ok {
		return text, true
	}
	w := words(name)
	for _, p := range []struct{ prefix, text string }{{"from ", "the %s before the change"}, {"to ", "the %s after the change"},
		{"has ", "whether it has %s"}, {"is ", "whether it is %s"}, {"removed ", "the %s that the change took away"}, {"added ", "the %s that the change brought"}} {
		if rest, found := strings.CutPrefix(w, p.prefix); found {
			return strings.ReplaceAll(p.text, "%s", rest), true
		}
	}
	return "the " + w, false
}

// sentence returns a phrase as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
