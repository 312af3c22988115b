package mcptools

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"understudy/internal/platform/mcpkit"
)

// request is what the tools send.
type request struct {
	Query     string
	Variables map[string]any
}

// service is a GraphQL API that checks documents against the schema and answers
// one after another as it is told.
type service struct {
	t       *testing.T
	schema  *ast.Schema
	asked   []request
	answers []string
}

func newService(t *testing.T, answers ...string) *service {
	t.Helper()
	text, err := os.ReadFile("../graph/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return &service{t: t, schema: schema, answers: answers}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/graphql" || r.Header.Get("Authorization") != "Bearer trk_api_1" {
		s.t.Errorf("%s %v %v", r.URL.Path, r.Header, err)
	}
	if _, err := gqlparser.LoadQueryWithRules(s.schema, q.Query, rules.NewDefaultRules()); err != nil {
		s.t.Errorf("%v in\n%s", err, q.Query)
	}
	s.asked = append(s.asked, q)
	w.Header().Set("Retry-After", "9")
	if len(s.answers) < len(s.asked) {
		s.t.Fatalf("asked too often: %s", q.Query)
	}
	_, _ = w.Write([]byte(s.answers[len(s.asked)-1]))
}

func client(s *service) *Client {
	return &Client{http: mcpkit.InProcess(s), base: "http://tracker", key: "trk_api_1"}
}

const (
	foundTeam  = `{"data":{"r0":{"nodes":[{"id":"t1","key":"ENG","name":"Engineering"}]}}}`
	noIssues   = `{"data":{"issues":{"edges":[],"pageInfo":{"hasNextPage":false}}}}`
	shownIssue = `{"id":"i1","identifier":"ENG-1","title":"x","priority":0,"priorityLabel":"No priority","state":{"name":"Todo","type":"unstarted"},
		"team":{"id":"t1","key":"ENG","name":"Engineering"},"labels":{"nodes":[]}}`
)

func TestListIssuesNarrows(t *testing.T) {
	s := newService(t, `{"data":{"r0":{"nodes":[{"id":"t1","key":"ENG","name":"ops"},{"id":"t2","key":"OPS","name":"Other"}]},
		"r1":{"nodes":[{"id":"s1","name":"Done"},{"id":"s2","name":"done"}]},"r2":{"nodes":[{"id":"u1"}]},"r3":{"nodes":[{"id":"l1"}]}}}`, noIssues)
	_, err := listIssues(t.Context(), client(s), mcpkit.ArgsOf(map[string]any{"team": "ops", "state": "done", "assignee": "me", "label": "Bug",
		"project": nil, "priority": 0, "parentId": "ENG-9", "createdAt": "-P1D", "limit": 50, "orderBy": "updatedAt"}))
	if err != nil {
		t.Fatal(err)
	}
	in := func(ids ...any) map[string]any { return map[string]any{"id": map[string]any{"in": ids}} }
	want := []any{
		map[string]any{"team": in("t2")}, // the key goes before the name
		map[string]any{"state": in("s1", "s2")},
		map[string]any{"assignee": in("u1")},
		map[string]any{"project": map[string]any{"null": true}},
		map[string]any{"labels": map[string]any{"some": in("l1")}},
		map[string]any{"parent": map[string]any{"id": map[string]any{"eq": "ENG-9"}}},
		map[string]any{"priority": map[string]any{"eq": 0.0}},
		map[string]any{"createdAt": map[string]any{"gte": "-P1D"}},
	}
	if got := s.asked[1].Variables["filter"].(map[string]any)["and"]; !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if s.asked[1].Variables["includeArchived"] != true {
		t.Error("archived issues are listed unless the caller says otherwise")
	}
}

// A page that is too large ends early, with the cursor of its last item.
func TestListsAreBounded(t *testing.T) {
	node := `{"cursor":"c%","node":{"id":"t%","key":"K","name":"` + strings.Repeat("x", 9000) + `","states":{"nodes":[]}}}`
	var edges []string
	for _, i := range strings.Split("0123456789", "") {
		edges = append(edges, strings.ReplaceAll(node, "%", i))
	}
	s := newService(t, `{"data":{"teams":{"edges":[`+strings.Join(edges, ",")+`],"pageInfo":{"hasNextPage":false,"endCursor":"c9"}}}}`)
	raw, err := listTeams(t.Context(), client(s), mcpkit.ArgsOf(map[string]any{"limit": 50, "orderBy": "createdAt"}))
	if err != nil || len(raw) > mcpkit.MaxResult || !strings.Contains(string(raw), `"pageInfo":{"hasNextPage":true,"endCursor":"c5"}`) {
		t.Errorf("%v, %d bytes, %.100s", err, len(raw), raw)
	}
}

func TestUpdateTellsNullFromAbsent(t *testing.T) {
	s := newService(t, `{"data":{"issue":{"id":"i1","team":{"id":"t1"}}}}`,
		`{"data":{"r0":{"nodes":[{"id":"s1","name":"Todo"}]},"r1":{"nodes":[{"id":"l1","name":"Bug"}]}}}`, `{"data":{"issueUpdate":{"issue":`+shownIssue+`}}}`)
	_, err := updateIssue(t.Context(), client(s), mcpkit.ArgsOf(map[string]any{"id": "ENG-1", "state": "todo", "assignee": nil, "estimate": nil, "labels": []string{"bug"}, "priority": 0}))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"stateId": "s1", "assigneeId": nil, "estimate": nil, "labelIds": []any{"l1"}, "priority": 0.0}
	if got := s.asked[2].Variables["input"]; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// A state is looked for in the issue's own team.
	filter, _ := json.Marshal(s.asked[1].Variables["f0"])
	if !strings.Contains(string(filter), `{"team":{"id":{"eq":"t1"}}}`) {
		t.Errorf("%s", filter)
	}
}

func TestNamesThatAreNotOneThing(t *testing.T) {
	for _, c := range []struct {
		answers []string
		args    map[string]any
		code    string
		says    []string
	}{
		{[]string{`{"data":{"r0":{"nodes":[]}}}`, foundTeam}, map[string]any{"title": "x", "team": "NOPE"}, "not_found", []string{"NOPE", "ENG (Engineering)", "list_teams"}},
		{[]string{`{"data":{"r0":{"nodes":[{"id":"a","key":"A","name":"Twin"},{"id":"b","key":"B","name":"Twin"}]}}}`}, map[string]any{"title": "x", "team": "twin"},
			"ambiguous", []string{"id a", "id b"}},
		{[]string{foundTeam, `{"data":{"r0":{"nodes":[]}}}`, `{"data":{"r0":{"nodes":[{"id":"u","name":"Sam","email":"sam@example.com"}]}}}`},
			map[string]any{"title": "x", "team": "ENG", "assignee": "nobody"}, "not_found", []string{"Sam (sam@example.com)"}},
	} {
		_, err := createIssue(t.Context(), client(newService(t, c.answers...)), mcpkit.ArgsOf(c.args))
		var f *mcpkit.Failure
		if !errors.As(err, &f) || f.Body.(refused).Error != c.code {
			t.Errorf("%v: %v", c.args, err)
			continue
		}
		for _, part := range c.says {
			if b := f.Body.(refused); !strings.Contains(b.Message+b.Hint, part) {
				t.Errorf("%v does not name %s", b, part)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	say := func(message, kind string, status string) string {
		return `{"errors":[{"message":"` + message + `","extensions":{"type":"` + kind + `","statusCode":` + status + `,"userPresentableMessage":"In other words."}}],"data":null}`
	}
	for _, c := range []struct {
		answer, code, says string
		status             int
	}{
		{say("Authentication required", "authentication error", "401"), "authentication_error", "key does not work", 401},
		{say("Rate limit exceeded", "ratelimited", "429"), "ratelimited", "Wait 9 seconds", 429},
		{say("Entity not found: Issue", "invalid input", "400"), "invalid_input", "list_issues", 0},
		{say("Forbidden", "forbidden", "403"), "forbidden", "admin", 0},
		{say("Something else", "user error", "400"), "user_error", "In other words.", 0},
		{say("Oh", "internal error", "500"), "internal_error", "Try again", 0},
		{`{}`, "service_unavailable", "not as a tracker", 503},
	} {
		err := client(newService(t, c.answer)).ask(t.Context(), viewerQuery, nil, nil)
		var f *mcpkit.Failure
		if !errors.As(err, &f) || f.Status != c.status {
			t.Errorf("%s: %v", c.answer, err)
			continue
		}
		if b := f.Body.(refused); b.Error != c.code || !strings.Contains(b.Message+b.Hint, c.says) || b.Hint == "" {
			t.Errorf("%+v does not say %q", b, c.says)
		}
	}
}

// Every document that a tool can send is one that the schema takes.
func TestDocumentsFitTheSchema(t *testing.T) {
	empty := func(field string) string { return `{"data":{"` + field + `":{"edges":[],"pageInfo":{}}}}` }
	comment := `{"id":"c","body":"x","issue":{"id":"i1"}}`
	s := newService(t, empty("projects"), empty("teams"),
		`{"data":{"issue":`+shownIssue[:len(shownIssue)-1]+`,"comments":{"nodes":[`+comment+`]},"children":{"nodes":[{"id":"k"}]}}}}`,
		foundTeam, `{"data":{"r0":{"nodes":[{"id":"p"}]},"r1":{"nodes":[{"id":"c"}]}}}`, `{"data":{"issueCreate":{"issue":`+shownIssue+`}}}`,
		`{"data":{"commentCreate":{"comment":`+comment+`}}}`)
	c := client(s)
	run := func(_ json.RawMessage, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	ctx := t.Context()
	run(listProjects(ctx, c, mcpkit.ArgsOf(map[string]any{"state": "started", "query": "x", "limit": 1, "orderBy": "createdAt"})))
	run(listTeams(ctx, c, mcpkit.ArgsOf(map[string]any{"query": "x", "limit": 1, "orderBy": "createdAt"})))
	run(getIssue(ctx, c, mcpkit.ArgsOf(map[string]any{"id": "ENG-1", "includeRelations": true})))
	run(createIssue(ctx, c, mcpkit.ArgsOf(map[string]any{"title": "x", "team": "ENG", "project": "P", "cycle": "current"})))
	run(createComment(ctx, c, mcpkit.ArgsOf(map[string]any{"issueId": "ENG-1", "body": "x", "parentId": "c"})))
}
