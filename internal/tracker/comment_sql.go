package tracker

// Comments are those on issues and projects that the viewer may see.
var Comments = (&Kind[Comment]{Name: "Comment", table: "tracker_comment",
	of: map[string]relation{
		"issue":   {parent: "t.issue"},
		"project": {parent: "t.project", hint: " AND t.project <> ''"},
		"parent":  {parent: "t.parent", hint: " AND t.parent <> ''"},
	},
	hide: func(v *View) (string, []any) {
		cond, args := hideBy("t.team")(v)
		if cond == "" {
			return "", nil
		}
		more, hidden := hideProject("t.project")(v)
		return cond + " AND (t.project = '' OR " + more + ")", append(args, hidden...)
	},
}).ready((*Comment).base, []column[Comment]{
	{"issue", "issueId", ref, func(c *Comment) any { return &c.Issue }},
	{"project", "projectId", ref, func(c *Comment) any { return &c.Project }},
	{"team", "", hidden, func(c *Comment) any { return &c.Team }},
	{"parent", "parentId", ref, func(c *Comment) any { return &c.Parent }},
	{"user_id", "userId", ref, func(c *Comment) any { return &c.User }},
	{"body", "body", text, func(c *Comment) any { return &c.Body }},
	{"quoted_text", "quotedText", ref, func(c *Comment) any { return &c.QuotedText }},
	{"edited", "editedAt", moment, func(c *Comment) any { return &c.Edited }},
	{"resolved", "resolvedAt", moment, func(c *Comment) any { return &c.Resolved }},
	{"resolving_user", "resolvingUserId", ref, func(c *Comment) any { return &c.ResolvingUser }},
	{"resolving_comment", "resolvingCommentId", ref, func(c *Comment) any { return &c.ResolvingComment }},
})

var commentShape = &shape{name: "Comment", table: "tracker_comment", hide: " AND #.team NOT IN " + unseenTeams +
	" AND (#.project = '' OR EXISTS (SELECT 1 FROM tracker_project_team #p WHERE #p.org = #.org AND #p.project = #.project AND #p.team NOT IN " + unseenTeams + "))"}

func init() {
	Comments.shape = commentShape
	Comments.complete = addressComments
	Comments.heavy = func(c *Comment) bool { return len(c.Body) > heavyText }
	Comments.enrich = enrichComment
	commentShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": {sort: aTime, expr: "@.created"}, "updatedAt": {sort: aTime, expr: "@.updated"},
		"body":    {sort: aText, expr: "@.body"},
		"user":    {sort: toOne, expr: "@.user_id", to: func() *shape { return userShape }},
		"issue":   {sort: toOne, expr: "@.issue", to: func() *shape { return issueShape }},
		"project": {sort: toOne, expr: "@.project", to: func() *shape { return projectShape }},
		"parent":  {sort: toOne, expr: "@.parent", to: func() *shape { return commentShape }},
	}
}

// addressComments adds the URLs: that of the issue or project, and the comment in it.
func addressComments(v *View, rows []*Comment) error {
	var issues, projects []string
	for _, c := range rows {
		if c.Issue != "" {
			issues = append(issues, c.Issue)
		} else {
			projects = append(projects, c.Project)
		}
	}
	byIssue, byProject := map[string]*Issue{}, map[string]*Project{}
	var err error
	if len(issues) > 0 {
		if byIssue, err = Issues.byID(v, unique(issues)); err != nil {
			return err
		}
	}
	if len(projects) > 0 {
		if byProject, err = Projects.byID(v, unique(projects)); err != nil {
			return err
		}
	}
	for _, c := range rows {
		url := v.url
		if i := byIssue[c.Issue]; i != nil {
			url += "/issue/" + i.Identifier
		} else if p := byProject[c.Project]; p != nil {
			url = v.ProjectURL(p)
		}
		c.Address = url + "#comment-" + c.ID[:8]
	}
	return nil
}

func enrichComment(v *View, c *Comment, data map[string]any) (d detail, err error) {
	if err := addressComments(v, []*Comment{c}); err != nil {
		return d, err
	}
	d.url = c.Address
	data["reactionData"] = []any{}
	if err := embedUser(v, data, "user", c.User); err != nil {
		return d, err
	}
	parent, err := Comments.find(v, c.Parent)
	if err != nil {
		return d, err
	}
	if parent != nil {
		data["parent"] = map[string]any{"id": parent.ID, "body": parent.Body, "issueId": parent.Issue, "userId": parent.User}
	}
	if c.Issue == "" {
		p, err := Projects.find(v, c.Project)
		if err == nil && p != nil {
			data["project"] = map[string]any{"id": p.ID, "name": p.Name, "url": v.ProjectURL(p)}
			d.teams = Split(p.TeamIDs)
		}
		return d, err
	}
	d.teams = []string{c.Team}
	issue, err := Issues.find(v, c.Issue)
	if err != nil || issue == nil {
		return d, err
	}
	team, err := Teams.find(v, issue.Team)
	if err == nil && team != nil {
		data["issue"] = map[string]any{"id": issue.ID, "identifier": issue.Identifier, "title": issue.Title, "teamId": team.ID,
			"team": map[string]any{"id": team.ID, "key": team.Key, "name": team.Name}, "url": v.IssueURL(issue)}
	}
	return d, err
}
