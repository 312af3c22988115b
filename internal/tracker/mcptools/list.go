package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"understudy/internal/platform/mcpkit"
)

// longestInList is the length to which a list shortens a text; get_issue shows
// all of it.
const longestInList = 1000

type pageInfo struct {
	HasNextPage bool   `json:"hasNextPage"`
	EndCursor   string `json:"endCursor,omitempty"`
}

// listing describes a page of a connection.
type listing struct {
	field, filterType, selection string
	filter                       object
	key                          string // name of the list in the result
	archived                     bool   // archived ones too, unless the caller says otherwise
}

// list reads a page and returns as many items as are short enough for a model.
// The cursor of the last item returned continues from there.
func list[N, S any](ctx context.Context, c *Client, a mcpkit.Args, l listing, show func(*N) S) (json.RawMessage, error) {
	variables := object{"first": a.Int("limit"), "filter": l.filter, "includeArchived": l.archived, "orderBy": a.Text("orderBy")}
	if a.Has("includeArchived") {
		variables["includeArchived"] = a.Flag("includeArchived")
	}
	if a.Text("cursor") != "" {
		variables["after"] = a.Text("cursor")
	}
	var data map[string]struct {
		Edges []struct {
			Cursor string
			Node   N
		}
		PageInfo pageInfo
	}
	err := c.ask(ctx, fmt.Sprintf(`query($first: Int, $after: String, $filter: %s, $includeArchived: Boolean, $orderBy: PaginationOrderBy) {
		%s(first: $first, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: $orderBy) {
			edges { cursor node { %s } } pageInfo { hasNextPage endCursor } } }`, l.filterType, l.field, l.selection), variables, &data)
	if err != nil {
		return nil, err
	}
	page := data[l.field]
	items := []json.RawMessage{}
	for i := range page.Edges {
		raw, err := mcpkit.Encode(show(&page.Edges[i].Node))
		if err != nil {
			return nil, err
		}
		items = append(items, raw)
	}
	if n := max(1, mcpkit.Fitting(items)); n < len(items) {
		items = items[:n]
		page.PageInfo = pageInfo{HasNextPage: true, EndCursor: page.Edges[n-1].Cursor}
	}
	return mcpkit.Encode(map[string]any{l.key: items, "pageInfo": page.PageInfo})
}

// and joins conditions. Without any it returns nil, which is no filter.
func and(conditions []object) object {
	if len(conditions) == 0 {
		return nil
	}
	return object{"and": conditions}
}

// since adds the condition that something was created or changed at or after a
// time.
func since(conditions []object, a mcpkit.Args) []object {
	for _, field := range []string{"createdAt", "updatedAt"} {
		if at := a.Text(field); at != "" {
			conditions = append(conditions, object{field: object{"gte": at}})
		}
	}
	return conditions
}

func contains(fields []string, text string) object {
	var any []object
	for _, f := range fields {
		any = append(any, object{f: object{"containsIgnoreCase": text}})
	}
	return object{"or": any}
}

func listTeams(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	var conditions []object
	if q := a.Text("query"); q != "" {
		conditions = append(conditions, contains([]string{"name", "key"}, q))
	}
	return list(ctx, c, a, listing{field: "teams", filterType: "TeamFilter", selection: teamFields, key: "teams",
		filter: and(since(conditions, a))}, func(t *team) *team {
		if t.Description != nil {
			*t.Description = mcpkit.CutText(*t.Description, longestInList)
		}
		return t
	})
}

var identifier = regexp.MustCompile(`(?i)^[a-z][a-z0-9]*-\d+$`)

func listIssues(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	var wants []*want
	var team, state, assignee, project, label, cycle *want
	wants, team = wantIf(wants, a, "team", teams, nil, true)
	wants, state = wantIf(wants, a, "state", states, nil, false)
	wants, assignee = wantIf(wants, a, "assignee", users, nil, true)
	wants, project = wantIf(wants, a, "project", projects, nil, true)
	wants, label = wantIf(wants, a, "label", labels, nil, false)
	wants, cycle = wantIf(wants, a, "cycle", cycles, nil, false)
	if err := c.lookup(ctx, wants); err != nil {
		return nil, err
	}
	var conditions []object
	for _, r := range []struct {
		field string
		w     *want
	}{{"team", team}, {"state", state}, {"assignee", assignee}, {"project", project}, {"cycle", cycle}} {
		switch {
		case r.w != nil:
			conditions = append(conditions, object{r.field: idIn(r.w.ids())})
		case a.Null(r.field):
			conditions = append(conditions, object{r.field: object{"null": true}})
		}
	}
	if label != nil {
		conditions = append(conditions, object{"labels": object{"some": idIn(label.ids())}})
	}
	if p := a.Text("parentId"); p != "" {
		conditions = append(conditions, object{"parent": object{"id": object{"eq": p}}})
	}
	if a.Has("priority") {
		conditions = append(conditions, object{"priority": object{"eq": a.Int("priority")}})
	}
	if q := a.Text("query"); q != "" {
		match := contains([]string{"title", "description"}, q)
		if identifier.MatchString(q) {
			match["or"] = append(match["or"].([]object), object{"id": object{"eq": q}})
		}
		conditions = append(conditions, match)
	}
	return list(ctx, c, a, listing{field: "issues", filterType: "IssueFilter", selection: issueFields, key: "issues", archived: true,
		filter: and(since(conditions, a))}, func(n *issueNode) *issue {
		if n.Description != nil {
			*n.Description = mcpkit.CutText(*n.Description, longestInList)
		}
		return n.show()
	})
}

func listProjects(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	var wants []*want
	var team, member *want
	wants, team = wantIf(wants, a, "team", teams, nil, true)
	wants, member = wantIf(wants, a, "member", users, nil, true)
	if err := c.lookup(ctx, wants); err != nil {
		return nil, err
	}
	var conditions []object
	if team != nil {
		conditions = append(conditions, object{"accessibleTeams": object{"some": idIn(team.ids())}})
	}
	if member != nil {
		conditions = append(conditions, object{"or": []object{{"members": object{"some": idIn(member.ids())}}, {"lead": idIn(member.ids())}}})
	}
	if s := a.Text("state"); s != "" {
		conditions = append(conditions, object{"status": object{"or": []object{{"name": object{"eqIgnoreCase": s}}, {"type": object{"eqIgnoreCase": s}}}}})
	}
	if q := a.Text("query"); q != "" {
		conditions = append(conditions, contains([]string{"name"}, q))
	}
	return list(ctx, c, a, listing{field: "projects", filterType: "ProjectFilter", selection: projectFields, key: "content",
		filter: and(since(conditions, a))}, func(n *projectNode) project {
		n.Description = mcpkit.CutText(n.Description, longestInList)
		return n.show()
	})
}
