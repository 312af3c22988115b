package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// benchIssue stands for a row of a tracker.
type benchIssue struct {
	id, title, description, identifier, url, branch string
	team, state, assignee, creator, project, parent string
	number, priority, sortOrder                     float64
	estimate                                        *float64
	labels                                          []string
	created, updated                                time.Time
	started, completed                              *time.Time
	shared                                          benchShared
}

type benchShared struct{}

type benchLink struct{ id, name string }

func benchEngine(b testing.TB) *Engine {
	b.Helper()
	sdl, err := os.ReadFile("testdata/bench/schema.graphql")
	if err != nil {
		b.Fatal(err)
	}
	bd, err := NewBuilder(string(sdl))
	if err != nil {
		b.Fatal(err)
	}
	bindBench(bd)
	e, err := bd.Build(Options{Cost: pointRule})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func bindBench(b *Builder) {
	b.Stub("Stub")
	links := map[string]*Loader[string, benchLink]{}
	for typ, second := range map[string]string{"User": "name", "WorkflowState": "name", "Team": "key", "Project": "", "Cycle": ""} {
		fetch := func(_ *Call, keys []string) (map[string]*benchLink, error) {
			out := make(map[string]*benchLink, len(keys))
			for _, k := range keys {
				out[k] = &benchLink{k, "name " + k}
			}
			return out, nil
		}
		links[typ] = &Loader[string, benchLink]{Load: fetch, Peek: fetch}
		t := Object[benchLink](b, typ)
		t.Field("id", func(l *benchLink) string { return l.id })
		if second != "" {
			t.Field(second, func(l *benchLink) string { return l.name })
		}
	}
	t := Object[benchIssue](b, "Issue")
	for name, get := range map[string]func(*benchIssue) string{
		"id": func(i *benchIssue) string { return i.id }, "title": func(i *benchIssue) string { return i.title },
		"description": func(i *benchIssue) string { return i.description }, "identifier": func(i *benchIssue) string { return i.identifier },
		"url": func(i *benchIssue) string { return i.url }, "branchName": func(i *benchIssue) string { return i.branch },
		"priorityLabel": func(i *benchIssue) string { return "High" },
	} {
		t.Field(name, get)
	}
	for name, get := range map[string]func(*benchIssue) float64{
		"number": func(i *benchIssue) float64 { return i.number }, "priority": func(i *benchIssue) float64 { return i.priority },
		"sortOrder": func(i *benchIssue) float64 { return i.sortOrder }, "prioritySortOrder": func(i *benchIssue) float64 { return i.sortOrder },
	} {
		t.Field(name, get)
	}
	for name, get := range map[string]func(*benchIssue) *time.Time{
		"startedAt": func(i *benchIssue) *time.Time { return i.started }, "completedAt": func(i *benchIssue) *time.Time { return i.completed },
		"addedToTeamAt": func(i *benchIssue) *time.Time { return &i.created },
	} {
		t.Field(name, get)
	}
	t.Field("createdAt", func(i *benchIssue) time.Time { return i.created })
	t.Field("updatedAt", func(i *benchIssue) time.Time { return i.updated })
	t.Field("estimate", func(i *benchIssue) *float64 { return i.estimate })
	t.Field("labelIds", func(i *benchIssue) []string { return i.labels })
	t.Const(0, "boardOrder", "customerTicketCount")
	t.Const(false, "inheritsSharedAccess")
	t.Const(json.RawMessage("[]"), "reactionData")
	t.Null("asksExternalUserRequester", "asksRequester", "autoArchivedAt", "autoClosedAt", "botActor", "canceledAt", "delegate",
		"dueDate", "externalUserCreator", "favorite", "integrationSourceType", "lastAppliedTemplate", "projectMilestone",
		"recurringIssueTemplate", "slaBreachesAt", "slaHighRiskAt", "slaMediumRiskAt", "slaStartedAt", "slaType", "snoozedBy",
		"snoozedUntilAt", "sourceComment", "startedTriageAt", "subIssueSortOrder", "syncedWith", "trashed", "triagedAt",
		"addedToCycleAt", "addedToProjectAt", "archivedAt")
	t.Empty("reactions", "previousIdentifiers")
	Ref(t, "team", links["Team"], func(i *benchIssue) string { return i.team })
	Ref(t, "state", links["WorkflowState"], func(i *benchIssue) string { return i.state })
	Ref(t, "assignee", links["User"], func(i *benchIssue) string { return i.assignee })
	Ref(t, "creator", links["User"], func(i *benchIssue) string { return i.creator })
	Ref(t, "project", links["Project"], func(i *benchIssue) string { return i.project })
	Ref(t, "cycle", links["Cycle"], func(i *benchIssue) string { return "" })
	Ref(t, "parent", &Loader[string, benchIssue]{Load: func(*Call, []string) (map[string]*benchIssue, error) { return nil, nil }},
		func(i *benchIssue) string { return i.parent })
	One(t, "sharedAccess", func(i *benchIssue) *benchShared { return &i.shared })
	s := Object[benchShared](b, "IssueSharedAccess")
	s.Const(false, "isShared", "viewerHasOnlySharedAccess").Const(0, "sharedWithCount").Empty("sharedWithUsers", "disallowedIssueFields")
	Connection[*benchIssue](b, "IssueConnection")
	rows := benchRows(50)
	Query(b, "issues", func(c *Call) (*Page[*benchIssue], error) {
		n, _ := c.Args.Int("first")
		return &Page[*benchIssue]{Nodes: rows[:n], HasNextPage: true, Cursor: func(i *benchIssue) string { return i.id }}, nil
	})
}

func benchRows(n int) []*benchIssue {
	at := time.Date(2026, 3, 1, 9, 30, 0, 123e6, time.UTC)
	three := 3.0
	var rows []*benchIssue
	for i := range n {
		id := fmt.Sprintf("%08d-1111-4222-8333-444455556666", i)
		rows = append(rows, &benchIssue{
			id: id, title: "Dropdown overflows in the \"select\" menu on small screens",
			description: strings.Repeat("Steps to reproduce:\n\n1. open the page\n2. resize it\n", 2),
			identifier:  fmt.Sprintf("ENG-%d", i), url: "https://app.example/acme/issue/ENG-1/dropdown-overflows-in-the-select-menu",
			branch: "ada/eng-1-dropdown-overflows", team: "t1" + id[2:], state: fmt.Sprintf("s%d%s", i%6, id[2:8]),
			assignee: fmt.Sprintf("u%d%s", i%9, id[2:8]), creator: "u1" + id[2:8], project: "p1" + id[2:8],
			number: float64(i), priority: 2, sortOrder: -26718.25, estimate: &three, labels: []string{id, id},
			created: at, updated: at, started: &at,
		})
	}
	return rows
}

func benchmark(b *testing.B, query string) {
	e := benchEngine(b)
	buf := make([]byte, 0, 1<<20)
	r := Request{Query: query, Variables: json.RawMessage(`{"first":50}`)}
	b.ReportAllocs()
	for b.Loop() {
		p, rejection := e.Prepare(r)
		if rejection != nil {
			b.Fatal(rejection)
		}
		if p.Cost() <= 0 {
			b.Fatal("no cost")
		}
		out := p.Execute(context.Background(), nil, buf[:0])
		if len(out.Errors) > 0 {
			b.Fatalf("%s", out.JSON)
		}
		b.SetBytes(int64(len(out.JSON)))
	}
}

func clientDocument(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/bench/issues.graphql")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The client's document: 62 fields of each of 50 issues.
func BenchmarkClientDocument(b *testing.B) { benchmark(b, clientDocument(b)) }

func BenchmarkSmallSelection(b *testing.B) {
	benchmark(b, `query($first: Int) { issues(first: $first) { nodes { id title state { name } assignee { id name } } } }`)
}

// What a document costs that was not seen before.
func BenchmarkFirstSight(b *testing.B) {
	e := benchEngine(b)
	doc := clientDocument(b)
	for b.Loop() {
		d, r := e.open(doc)
		if r != nil {
			b.Fatal(r)
		}
		if _, r := e.plan(d, d.ops["issues"], nil); r != nil {
			b.Fatal(r)
		}
	}
}

// The benchmark's document selects the fields that it is meant to measure.
func TestBenchmarkDocument(t *testing.T) {
	e := benchEngine(t)
	out := e.Execute(context.Background(), Request{Query: clientDocument(t), Variables: json.RawMessage(`{"first":50}`)}, nil)
	var reply struct {
		Data struct {
			Issues struct{ Nodes []map[string]any }
		}
	}
	if err := json.Unmarshal(out.JSON, &reply); err != nil || len(out.Errors) > 0 {
		t.Fatalf("%v: %.300s", err, out.JSON)
	}
	if n := len(reply.Data.Issues.Nodes); n != 50 || len(reply.Data.Issues.Nodes[0]) != 63 {
		t.Errorf("%d issues of %d fields", n, len(reply.Data.Issues.Nodes[0]))
	}
}
