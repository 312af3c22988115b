package tracker

import "understudy/internal/tracker/entity"

// Comments are the comments on issues and projects that the viewer may see.
var Comments = declare(entity.Kind[*View, Comment]{Name: "Comment", Table: "tracker_comment",
	Relations: map[string]entity.Relation{
		"issue":   {Parent: "t.issue"},
		"project": {Parent: "t.project", Hint: " AND t.project <> ''"},
		"parent":  {Parent: "t.parent", Hint: " AND t.parent <> ''"},
	},
	Hide: func(v *View) (string, []any) {
		cond, args := hideBy("t.team")(v)
		if cond == "" {
			return "", nil
		}
		more, hidden := hideProject("t.project")(v)
		return cond + " AND (t.project = '' OR " + more + ")", append(args, hidden...)
	},
}, (*Comment).Header, []entity.Column[Comment]{
	entity.Col("issue", "issueId", entity.Ref, func(c *Comment) any { return &c.Issue }),
	entity.Col("project", "projectId", entity.Ref, func(c *Comment) any { return &c.Project }),
	entity.Col("team", "", entity.Hidden, func(c *Comment) any { return &c.Team }),
	entity.Col("parent", "parentId", entity.Ref, func(c *Comment) any { return &c.Parent }),
	entity.Col("user_id", "userId", entity.Ref, func(c *Comment) any { return &c.User }),
	entity.Col("body", "body", entity.Text, func(c *Comment) any { return &c.Body }),
	entity.Col("quoted_text", "quotedText", entity.Ref, func(c *Comment) any { return &c.QuotedText }),
	entity.Col("edited", "editedAt", entity.Time, func(c *Comment) any { return &c.Edited }),
	entity.Col("resolved", "resolvedAt", entity.Time, func(c *Comment) any { return &c.Resolved }),
	entity.Col("resolving_user", "resolvingUserId", entity.Ref, func(c *Comment) any { return &c.ResolvingUser }),
	entity.Col("resolving_comment", "resolvingCommentId", entity.Ref, func(c *Comment) any { return &c.ResolvingComment }),
})

var commentShape = &entity.Shape{Name: "Comment", Table: "tracker_comment", Hide: " AND #.team NOT IN " + unseenTeams +
	" AND (#.project = '' OR EXISTS (SELECT 1 FROM tracker_project_team #p WHERE #p.org = #.org AND #p.project = #.project AND #p.team NOT IN " + unseenTeams + "))"}

func init() {
	Comments.Shape = commentShape
	Comments.Complete = addressComments
	Comments.Heavy = func(c *Comment) bool { return len(c.Body) > heavyText }
	Comments.enrich = enrichComment
	commentShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": {Sort: entity.ByTime, Expr: "@.created"}, "updatedAt": {Sort: entity.ByTime, Expr: "@.updated"},
		"body":    {Sort: entity.ByText, Expr: "@.body"},
		"user":    {Sort: entity.ToOne, Expr: "@.user_id", To: func() *entity.Shape { return userShape }},
		"issue":   {Sort: entity.ToOne, Expr: "@.issue", To: func() *entity.Shape { return issueShape }},
		"project": {Sort: entity.ToOne, Expr: "@.project", To: func() *entity.Shape { return projectShape }},
		"parent":  {Sort: entity.ToOne, Expr: "@.parent", To: func() *entity.Shape { return commentShape }},
	}
}

// addressComments sets the URLs of comments: the URL of the issue or project with
// a fragment for the comment.
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
		if byIssue, err = Issues.ByID(v, unique(issues)); err != nil {
			return err
		}
	}
	if len(projects) > 0 {
		if byProject, err = Projects.ByID(v, unique(projects)); err != nil {
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
	parent, err := Comments.Find(v, c.Parent)
	if err != nil {
		return d, err
	}
	if parent != nil {
		data["parent"] = map[string]any{"id": parent.ID, "body": parent.Body, "issueId": parent.Issue, "userId": parent.User}
	}
	if c.Issue == "" {
		p, err := Projects.Find(v, c.Project)
		if err == nil && p != nil {
			data["project"] = map[string]any{"id": p.ID, "name": p.Name, "url": v.ProjectURL(p)}
			d.teams = entity.Split(p.TeamIDs)
		}
		return d, err
	}
	d.teams = []string{c.Team}
	issue, err := Issues.Find(v, c.Issue)
	if err != nil || issue == nil {
		return d, err
	}
	team, err := Teams.Find(v, issue.Team)
	if err == nil && team != nil {
		data["issue"] = map[string]any{"id": issue.ID, "identifier": issue.Identifier, "title": issue.Title, "teamId": team.ID,
			"team": map[string]any{"id": team.ID, "key": team.Key, "name": team.Name}, "url": v.IssueURL(issue)}
	}
	return d, err
}
