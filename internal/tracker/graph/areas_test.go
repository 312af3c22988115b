package graph

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// selection selects every field of a type that needs no argument, some levels deep.
func selection(schema *ast.Schema, def *ast.Definition, depth int) string {
	var parts []string
	for _, f := range def.Fields {
		if strings.HasPrefix(f.Name, "__") || strings.HasPrefix(f.Name, "_") {
			continue
		}
		required := false
		for _, a := range f.Arguments {
			required = required || a.Type.NonNull && a.DefaultValue == nil
		}
		target := schema.Types[f.Type.Name()]
		switch {
		case required:
		case target.IsLeafType():
			parts = append(parts, f.Name)
		case target.IsAbstractType() || depth == 0:
			parts = append(parts, f.Name+" { __typename }")
		default:
			parts = append(parts, f.Name+" { "+selection(schema, target, depth-1)+" }")
		}
	}
	return strings.Join(parts, " ")
}

// Every field of the objects that the service has can be selected, and those
// of areas that it does not have are null or empty.
func TestTouchingIsNotFailing(t *testing.T) {
	both(t, 0, func(d *desk) {
		d.fill(1)
		schema := loadSchema(t)
		project := d.made(`projectCreate(input: {name: "P", teamIds: ["`+d.team+`"], state: "started"})`, "project")
		d.made(`commentCreate(input: {issueId: "ENG-1", body: "first"})`, "comment")
		d.made(`cycleCreate(input: {teamId: "`+d.team+`", startsAt: "2027-01-01T00:00:00Z", endsAt: "2027-01-08T00:00:00Z"})`, "cycle")
		d.made(`webhookCreate(input: {url: "http://127.0.0.1:9/", resourceTypes: ["Issue"], teamId: "`+d.team+`"})`, "webhook")
		for field, typ := range map[string]string{`issue(id: "ENG-1")`: "Issue", `project(id: "` + project + `")`: "Project", `team(id: "ENG")`: "Team",
			`viewer`: "User", `organization`: "Organization", `comment(issueId: "ENG-1")`: "Comment"} {
			d.ask("{ it: "+field+" { "+selection(schema, schema.Types[typ], 0)+" } }", nil)
		}
		for _, list := range []string{"cycles", "webhooks", "issueLabels", "workflowStates", "projectStatuses", "attachments", "projectMilestones",
			"initiatives", "documents", "issueRelations", "projectUpdates", "teamMemberships"} {
			def := schema.Types[schema.Query.Fields.ForName(list).Type.Name()]
			node := schema.Types[def.Fields.ForName("nodes").Type.Name()]
			d.ask("{ "+list+"(first: 2) { nodes { "+selection(schema, node, 0)+" } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }", nil)
		}
		data := d.ask(`{ issue(id: "ENG-1") { attachments { nodes { id title url } } relations { nodes { type } } inverseRelations { edges { cursor } }
			history(first: 3) { nodes { id } pageInfo { hasNextPage } } documents { nodes { id } } } attachmentsForURL(url: "http://x/") { nodes { id } }
			project(id: "`+project+`") { projectMilestones { nodes { name } } status { type } } webhooks { nodes { teamIds } }
			searchIssues(term: "page", snippetSize: 20) { nodes { labels { nodes { name } } attachments { nodes { id } } } } }`, nil)
		raw, _ := json.Marshal(data)
		want := `{"attachmentsForURL":{"nodes":[]},"issue":{"attachments":{"nodes":[]},"documents":{"nodes":[]},"history":{"nodes":[],"pageInfo":{"hasNextPage":false}},` +
			`"inverseRelations":{"edges":[]},"relations":{"nodes":[]}},"project":{"projectMilestones":{"nodes":[]},"status":{"type":"started"}},` +
			`"searchIssues":{"nodes":[{"attachments":{"nodes":[]},"labels":{"nodes":[{"name":"Bug"}]}}]},"webhooks":{"nodes":[{"teamIds":["` + d.team + `"]}]}}`
		if string(raw) != want {
			d.Errorf("got  %s\nwant %s", raw, want)
		}
		if s := d.refuse(`{ projectMilestone(id: "` + project + `") { name } }`); s.Errors[0].Message != "Entity not found: ProjectMilestone" {
			d.Errorf("%+v", s.Errors[0])
		}
	})
}

// Inputs of areas that the service does not have are accepted as null, and
// refused by name otherwise, wherever they stand.
func TestUnservedInputsAreRefusedByName(t *testing.T) {
	both(t, 0, func(d *desk) {
		create := "mutation ($in: IssueCreateInput!) { issueCreate(input: $in) { success } }"
		in := func(field string, v any) map[string]any {
			return map[string]any{"in": map[string]any{"teamId": d.team, "title": "x", field: v}}
		}
		d.ask(create, in("templateId", nil))
		d.ask(`mutation { issueCreate(input: {teamId: "`+d.team+`", title: "x", projectMilestoneId: null, slaType: null}) { success } }`, nil)
		d.ask(`query ($f: IssueFilter) { issues(filter: $f) { nodes { id } } }`, map[string]any{"f": map[string]any{"hasBlockedByRelations": nil}})
		d.ask(`mutation ($slack: Boolean) { projectCreate(connectSlackChannel: $slack, input: {name: "P", teamIds: ["`+d.team+`"]}) { success } }`, nil)
		for _, c := range []struct {
			query     string
			variables map[string]any
			name      string
		}{
			{create, in("templateId", "5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab"), "IssueCreateInput.templateId"},
			{create, in("createAsUser", "Bot"), "IssueCreateInput.createAsUser"},
			{`mutation { issueCreate(input: {teamId: "` + d.team + `", title: "x", projectMilestoneId: "y"}) { success } }`, nil, "IssueCreateInput.projectMilestoneId"},
			{`mutation ($m: String) { issueCreate(input: {teamId: "` + d.team + `", title: "x", projectMilestoneId: $m}) { success } }`,
				map[string]any{"m": "y"}, "IssueCreateInput.projectMilestoneId"},
			{`query ($f: IssueFilter) { issues(filter: $f) { nodes { id } } }`,
				map[string]any{"f": map[string]any{"or": []any{map[string]any{"hasBlockedByRelations": map[string]any{"eq": true}}}}}, "IssueFilter.hasBlockedByRelations"},
			{`{ issues(filter: {attachments: {some: {title: {eq: "x"}}}}) { nodes { id } } }`, nil, "IssueFilter.attachments"},
			{`mutation ($slack: Boolean) { projectCreate(connectSlackChannel: $slack, input: {name: "P", teamIds: ["` + d.team + `"]}) { success } }`,
				map[string]any{"slack": true}, "Mutation.projectCreate.connectSlackChannel"},
		} {
			body, _ := json.Marshal(map[string]any{"query": c.query, "variables": c.variables})
			w := d.post(body)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.name+" is not served here") {
				d.Errorf("%s: %d %s", c.query, w.Code, w.Body)
			}
		}
		if n := len(d.ask(`{ issues(filter: {title: {eq: "x"}}) { nodes { id } } }`, nil)["issues"].(map[string]any)["nodes"].([]any)); n != 2 {
			d.Errorf("%d issues, of which two calls were to make one each", n)
		}
	})
}

// The schema is served as text, without a key.
func TestSchemaIsServed(t *testing.T) {
	w := httptest.NewRecorder()
	(&Handler{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, SchemaPath, nil))
	if w.Code != http.StatusOK || w.Body.String() != SDL || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// Older versions of the client have other names for two input types.
func TestOldNamesOfInputTypes(t *testing.T) {
	both(t, 0, func(d *desk) {
		d.ask(`mutation ($in: UpdateUserInput!) { userUpdate(id: "me", input: $in) { success } }`, map[string]any{"in": map[string]any{"name": "Ann Old"}})
		d.ask(`mutation ($in: UpdateOrganizationInput!) { organizationUpdate(input: $in) { success } }`, map[string]any{"in": map[string]any{"name": "Old"}})
		got := fmt.Sprint(d.ask(`{ viewer { name } organization { name } }`, nil))
		if got != "map[organization:map[name:Old] viewer:map[name:Ann Old]]" {
			d.Error(got)
		}
	})
}

// No team has a default template, so that asking for it is as good as not asking: a
// command-line client asks with every issue.
func TestDefaultTemplatesAreNone(t *testing.T) {
	both(t, 0, func(d *desk) {
		for _, use := range []string{"true", "false", "null"} {
			d.made(`issueCreate(input: {teamId: "`+d.team+`", title: "x", useDefaultTemplate: `+use+`})`, "issue")
			d.made(`projectCreate(input: {name: "P", teamIds: ["`+d.team+`"], useDefaultTemplate: `+use+`})`, "project")
		}
	})
}
