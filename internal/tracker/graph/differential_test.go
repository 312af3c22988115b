package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker"
)

const judges = "../../../test/graphql/"

// askNode runs a script of test/graphql, with in as its input.
func askNode(t *testing.T, in []byte, script string, args ...string) []byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(judges + "node_modules/graphql"); err != nil || missing != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("run npm ci in test/graphql first")
		}
		t.Skip("graphql-js is not installed: run npm ci in test/graphql")
	}
	cmd := exec.Command(node, append([]string{judges + script}, args...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// judged is a reply of the endpoint or of graphql-js.
type judged struct {
	Data   *map[string]any
	Errors []struct {
		Message   string
		Path      []any
		Locations []map[string]int
	}
}

// TestAgainstGraphQLJS sends a corpus of queries to the endpoint and to
// graphql-js, on the same schema and data, and compares the replies.
func TestAgainstGraphQLJS(t *testing.T) {
	d := newDesk(t, storetest.SQLite(t, schemas), 0)
	d.library()
	type query struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables,omitempty"`
	}
	corpus, err := os.ReadFile("testdata/differential.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []query
	for line := range strings.Lines(string(corpus)) {
		text, variables, _ := strings.Cut(strings.TrimSpace(line), " | ")
		q := query{Query: text}
		if variables != "" {
			if err := json.Unmarshal([]byte(variables), &q.Variables); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		cases = append(cases, q)
	}
	file := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(file, d.export(), 0o600); err != nil {
		t.Fatal(err)
	}
	in, _ := json.Marshal(cases)
	var want []judged
	if err := json.Unmarshal(askNode(t, in, "tracker.mjs", "schema.graphql", file), &want); err != nil {
		t.Fatal(err)
	}
	for i, q := range cases {
		body, _ := json.Marshal(q)
		w := d.post(body)
		var got judged
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %s", q.Query, w.Body)
		}
		compareJudged(t, q.Query, w, got, want[i])
	}
}

func compareJudged(t *testing.T, query string, w *httptest.ResponseRecorder, got, want judged) {
	t.Helper()
	if !reflect.DeepEqual(got.Data, want.Data) {
		text, _ := json.Marshal(want.Data)
		t.Errorf("%s\nhave %s\nwant %s", query, w.Body, text)
	}
	if len(want.Errors) == 0 || len(got.Errors) == 0 {
		if len(want.Errors) != len(got.Errors) {
			t.Errorf("%s\nhave %s\nwant errors %v", query, w.Body, want.Errors)
		}
		return
	}
	if len(want.Errors[0].Path) == 0 {
		return // both refuse the document; how they put it differs
	}
	if len(got.Errors) != len(want.Errors) {
		t.Errorf("%s\nhave %s\nwant errors %v", query, w.Body, want.Errors)
		return
	}
	for i := range want.Errors {
		if !reflect.DeepEqual(got.Errors[i], want.Errors[i]) {
			t.Errorf("%s\nhave %v\nwant %v", query, got.Errors[i], want.Errors[i])
		}
	}
}

// library makes a little of everything.
func (d *desk) library() {
	d.Helper()
	own := d.possessions() // ENG-1
	d.clock.Advance(time.Second)
	d.made(fmt.Sprintf(`issueUpdate(id: "ENG-1", input: {assigneeId: "%s", estimate: 3, priority: 2, dueDate: "2026-04-01"})`, d.p.Subject), "issue")
	for i := range 6 {
		d.clock.Advance(time.Second)
		in := tracker.WriteIssue{Team: opt.Some(d.team), Title: opt.Some(fmt.Sprintf("Part %d of \"many\"\n", i))}
		if i%2 == 1 {
			in.Parent = opt.Some(own["issue"])
		}
		if _, err := d.t.CreateIssue(d.Context(), d.p, in); err != nil {
			d.Fatal(err)
		}
	}
}

// export returns every row with all its plain fields and links, by list.
func (d *desk) export() []byte {
	d.Helper()
	schema := loadSchema(d.TB.(*testing.T))
	data := map[string]any{}
	for _, list := range []string{"issues", "teams", "users", "workflowStates", "projects", "cycles", "issueLabels", "comments"} {
		connection := schema.Types[schema.Query.Fields.ForName(list).Type.Name()]
		row := schema.Types[connection.Fields.ForName("nodes").Type.Name()]
		reply := d.ask("{ "+list+"(first: 100) { nodes { "+plainFields(schema, row, 2)+" } } }", nil)
		data[list] = reply[list].(map[string]any)["nodes"]
	}
	raw, err := json.Marshal(data)
	if err != nil {
		d.Fatal(err)
	}
	return raw
}

// plainFields selects what a type shows without arguments, objects by their
// ids or, where they have none, by their own plain fields.
func plainFields(schema *ast.Schema, def *ast.Definition, depth int) string {
	var b strings.Builder
	for _, f := range def.Fields {
		of := schema.Types[f.Type.Name()]
		switch {
		case strings.HasPrefix(f.Name, "__") || len(f.Arguments) > 0:
		case of.IsLeafType():
			b.WriteString(f.Name + " ")
		case of.Kind != ast.Object:
		case of.Fields.ForName("id") != nil:
			b.WriteString(f.Name + " { id } ")
		case depth > 1:
			b.WriteString(f.Name + " { " + plainFields(schema, of, depth-1) + "} ")
		}
	}
	return b.String()
}

// Code generators rebuild the schema from the endpoint.
func TestIntrospectionRebuildsTheSchema(t *testing.T) {
	d := newDesk(t, storetest.SQLite(t, schemas), 1)
	body, _ := json.Marshal(map[string]any{"query": string(askNode(t, nil, "introspect.mjs", "query"))})
	w := d.post(body)
	if out := askNode(t, w.Body.Bytes(), "introspect.mjs", "check", "schema.graphql"); string(out) != "same" {
		t.Errorf("%.2000s", out)
	}
}
