package mcptools

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/mcpkit"
)

// answer returns the result of a tool as JSON, shortened when it is too long to
// read.
func answer(v any) (json.RawMessage, error) {
	raw, err := mcpkit.Encode(v)
	if err != nil || len(raw) <= mcpkit.MaxResult {
		return raw, err
	}
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return nil, err
	}
	return mcpkit.Shortened(loose)
}

// commentsShown is the number of comments that get_issue shows, the latest ones.
const commentsShown = 50

func getIssue(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	var data struct {
		Issue struct {
			issueNode
			Children *struct {
				Nodes []struct {
					ID, Identifier, Title string
					State                 struct{ Name string }
				}
			}
			Comments struct {
				Nodes    []commentNode
				PageInfo pageInfo
			}
		}
	}
	err := c.ask(ctx, `query($id: String!, $comments: Int, $relations: Boolean!) { issue(id: $id) { `+issueFields+`
		comments(first: $comments) { nodes { `+commentFields+` } pageInfo { hasNextPage } }
		children(first: 50) @include(if: $relations) { nodes { id identifier title state { name } } } } }`,
		object{"id": a.Text("id"), "comments": commentsShown, "relations": a.Flag("includeRelations")}, &data)
	if err != nil {
		return nil, err
	}
	out := data.Issue.show()
	if data.Issue.Children != nil {
		for _, n := range data.Issue.Children.Nodes {
			out.Children = append(out.Children, child{n.ID, n.Identifier, n.Title, n.State.Name})
		}
	}
	for _, n := range data.Issue.Comments.Nodes {
		out.Comments = append(out.Comments, n.show())
	}
	out.MoreComments = data.Issue.Comments.PageInfo.HasNextPage
	return answer(out)
}

func createIssue(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	team := &want{kind: teams, text: a.Text("team"), single: true}
	if err := c.lookup(ctx, []*want{team}); err != nil {
		return nil, err
	}
	input := object{"teamId": team.found[0].ID}
	if err := c.fill(ctx, a, input, team.found[0].ID); err != nil {
		return nil, err
	}
	var data struct {
		IssueCreate struct{ Issue issueNode }
	}
	err := c.ask(ctx, `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { `+issueFields+` } } }`,
		object{"input": input}, &data)
	if err != nil {
		return nil, err
	}
	return answer(data.IssueCreate.Issue.show())
}

func updateIssue(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	input := object{}
	teamID := ""
	if a.Text("team") != "" {
		team := &want{kind: teams, text: a.Text("team"), single: true}
		if err := c.lookup(ctx, []*want{team}); err != nil {
			return nil, err
		}
		teamID = team.found[0].ID
		input["teamId"] = teamID
	} else {
		var data struct {
			Issue struct{ Team struct{ ID string } }
		}
		if err := c.ask(ctx, `query($id: String!) { issue(id: $id) { id team { id } } }`, object{"id": a.Text("id")}, &data); err != nil {
			return nil, err
		}
		teamID = data.Issue.Team.ID
	}
	if err := c.fill(ctx, a, input, teamID); err != nil {
		return nil, err
	}
	if len(input) == 0 {
		return nil, refuse("invalid_arguments", "Nothing to change was given.", "Name at least one field beside id, such as state or assignee.")
	}
	var data struct {
		IssueUpdate struct{ Issue issueNode }
	}
	err := c.ask(ctx, `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { `+issueFields+` } } }`,
		object{"id": a.Text("id"), "input": input}, &data)
	if err != nil {
		return nil, err
	}
	return answer(data.IssueUpdate.Issue.show())
}

// fill sets the fields that create and update have in common, with names resolved
// to ids within the issue's team.
func (c *Client) fill(ctx context.Context, a mcpkit.Args, input object, teamID string) error {
	for _, name := range []string{"title", "description", "dueDate", "parentId"} {
		if a.Has(name) {
			input[name] = a.Text(name)
		}
	}
	for _, name := range []string{"priority", "estimate"} {
		if a.Has(name) {
			input[name] = a.Int(name)
		}
	}
	var wants []*want
	found := map[string]*want{}
	for _, r := range []struct {
		arg    string
		kind   *kind
		within object
	}{{"state", states, inTeam(teamID)}, {"assignee", users, nil}, {"project", projects, nil}, {"cycle", cycles, inTeam(teamID)}} {
		if wants, found[r.arg] = wantIf(wants, a, r.arg, r.kind, r.within, true); found[r.arg] == nil {
			delete(found, r.arg)
		}
	}
	usable := object{"or": []object{inTeam(teamID), {"team": object{"null": true}}}}
	first := len(wants)
	for _, name := range a.List("labels") {
		wants = append(wants, &want{kind: labels, text: name, within: usable, single: true})
	}
	if err := c.lookup(ctx, wants); err != nil {
		return err
	}
	for arg, w := range found {
		input[arg+"Id"] = w.found[0].ID
	}
	if a.Has("labels") {
		ids := []string{}
		for _, w := range wants[first:] {
			ids = append(ids, w.found[0].ID)
		}
		input["labelIds"] = ids
	}
	for arg, field := range map[string]string{"description": "description", "dueDate": "dueDate", "parentId": "parentId", "estimate": "estimate",
		"assignee": "assigneeId", "project": "projectId", "cycle": "cycleId"} {
		if a.Null(arg) {
			input[field] = nil
		}
	}
	return nil
}

func createComment(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	input := object{"issueId": a.Text("issueId"), "body": a.Text("body")}
	if p := a.Text("parentId"); p != "" {
		input["parentId"] = p
	}
	var data struct {
		CommentCreate struct{ Comment commentNode }
	}
	err := c.ask(ctx, `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { `+commentFields+` } } }`,
		object{"input": input}, &data)
	if err != nil {
		return nil, err
	}
	return answer(data.CommentCreate.Comment.show())
}
