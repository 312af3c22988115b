package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
	"understudy/internal/task/report"
)

var update = flag.Bool("update", false, "write docs/report.schema.json anew")

const schemaFile = "../../../docs/report.schema.json"

const hostile = "</pre><script>alert(1)</script>]]>\x1b[2J\u202e\x00'\"&"

// some returns a report with a run of every state and text that is meant to hurt.
func some() *report.Report {
	no, yes, three := false, true, 3
	seq := int64(4)
	verdict := &plane.Verdict{Verdict: "failed", Counts: plane.Counts{CameAndWent: 2}, Checks: []plane.Check{
		{ID: "expect[0]", Name: hostile, Passed: &no, Weight: 1, Message: hostile, Evidence: plane.Evidence{
			Near: []plane.Near{{Key: hostile, Failed: []plane.Difference{{Field: hostile, Wanted: json.RawMessage(`"<b>"`), Found: json.RawMessage(`null`)}}, Cause: []plane.Call{{Seq: 3, Operation: hostile}}}},
			Left: []plane.Thing{{Op: "insert", Service: "crm", Entity: "contact", Key: hostile, Cause: []plane.Call{{Seq: 4}}}}}},
		{ID: "expect[1]", Passed: nil, Message: "undecided"}, {ID: "nothing_else", Passed: &yes, Gate: true}}}
	text := hostile
	evidence := &outcome.Evidence{Diff: &plane.Diff{Inserts: []plane.Change{{Service: "crm", Entity: "contact", Key: hostile, After: json.RawMessage(`{"<i>": "<u>"}`),
		Cause: []plane.Writer{{Seq: &seq, Operation: hostile, Actor: plane.Actor{Kind: "agent", Name: hostile}, Fields: []string{hostile}}}}}},
		Requests: []plane.Request{{Seq: 4, Operations: []string{hostile}, Fault: &plane.Firing{ID: hostile, Do: "drop after", Committed: true}}},
		Faults:   []plane.Fault{{ID: hostile, Do: json.RawMessage(`{"drop":"after"}`), Matched: 2, Fired: 1}},
		Trace: json.RawMessage(`{"session":{"session_id":"s"},"turns":[{"event":{"name":"turn <1>","model":"<m>"},"tools":[{"event":{"name":"tool <2>","success":false,"latency":12},
			"tools":[],"requests":[{"seq":4,"operations":["<op>"],"status":200,"join":"span","fault":{"id":"f","do":"drop after","committed":true},"changes":[{"op":"insert","service":"crm","entity":"contact","key":"<k>"}],
			"events":[{"type":"contact.creation","deliveries":[{"id":"d","status":"delivered","attempts":1}]}]}]}],"requests":[]}],"unjoined":[{"seq":9,"operations":["left.over"]}],"joined":{"span":1}}`)}
	return report.New(outcome.Session{Program: "dev", Started: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Command: []string{"sh", hostile}, Wanted: 2,
		Tasks: []outcome.Task{{Name: "a", File: "a.yaml", Instruction: hostile, World: map[string]any{"fixture": "demo"}, Metadata: map[string]json.RawMessage{hostile: json.RawMessage(`"<x>"`)}}, {Name: "b", File: "b.yaml", World: map[string]any{}}},
		Runs: []outcome.Run{{Task: "a", Number: 1, State: outcome.Failed, Verdict: verdict, Answer: &text, Output: hostile, Exit: &three, Evidence: evidence},
			{Task: "a", Number: 2, State: outcome.Passed, Score: 1}, {Task: "b", Number: 1, State: outcome.Timeout, Reason: "late"}, {Task: "b", Number: 2, State: outcome.Error, Reason: hostile}}}, nil, false)
}

func TestHTMLShowsEverythingAsText(t *testing.T) {
	var b bytes.Buffer
	if err := some().HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "<b>\"", "\x1b", "\u202e", "\x00", "<i>", "<u>", "<op>", "<k>", "<m>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"1 of 4 runs passed", `aria-label="Answer">&lt;/pre&gt;`, "&lt;script&gt;", "␛[2J", "turn &lt;1&gt;", "tool &lt;2&gt;</b> failed", "joined by span", "contact.creation", "left.over", "carried out", "made and removed again: 2", "✗ failed", "◷ timeout", "! error"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Who opens the page reads at its head why runs did not pass, runs that failed alike
// in one line.
func TestTheHeadOfThePageSaysWhy(t *testing.T) {
	no := false
	s := outcome.Session{Wanted: 12, Tasks: []outcome.Task{{Name: "a"}, {Name: "b"}}}
	for n := range 12 {
		s.Runs = append(s.Runs, outcome.Run{Task: "a", Number: n + 1, State: outcome.Failed, Verdict: &plane.Verdict{Checks: []plane.Check{
			{ID: "expect[0]", Name: "an issue", Passed: &no, Message: "no issue matched"}}}})
	}
	for n := range 12 {
		s.Runs = append(s.Runs, outcome.Run{Task: "b", Number: n + 1, State: outcome.Error, Reason: fmt.Sprint("reason ", n)})
	}
	var b bytes.Buffer
	if err := report.New(s, nil, false).HTML(&b); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(b.String(), `id="figures"`)
	for _, want := range []string{"<b>a</b> expect[0]: an issue: no issue matched", `<a href="#run-a-8">run 8</a> and 4 more)`, "<b>b</b> reason 8", "3 runs for other reasons"} {
		if !strings.Contains(head, want) {
			t.Errorf("the head lacks %q:\n%s", want, head)
		}
	}
	if strings.Count(head, "an issue") != 1 || strings.Contains(head, "reason 9") {
		t.Errorf("the head repeats itself:\n%s", head)
	}
}

func TestJUnitIsWellFormedAndTellsErrorsApart(t *testing.T) {
	var b bytes.Buffer
	if err := some().JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Error *struct{} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if all.Tests != 4 || all.Failures != 2 || all.Errors != 1 || len(all.Suites) != 2 || all.Suites[1].Cases[1].Error == nil {
		t.Errorf("%+v", all)
	}
	if !strings.Contains(b.String(), `<property name="came_and_went" value="2">`) {
		t.Error("the report does not say what was made and removed again")
	}
	failure := all.Suites[0].Cases[0].Failure
	if failure == nil || !strings.Contains(failure.Text, "wanted \"<b>\", found null") || !strings.Contains(failure.Text, "left insert crm.contact") {
		t.Errorf("%+v", failure)
	}
}

// junitSchema is what the schema junit-10 of Jenkins allows below and on each
// element, and the properties of a case, which pytest writes too.
var junitSchema = map[string]struct{ within, attributes string }{
	"testsuites": {"testsuite", "name time tests failures errors"},
	"testsuite":  {"properties testcase system-out system-err", "name tests failures errors group time skipped timestamp hostname id package file log url"},
	"testcase":   {"properties skipped error failure system-out system-err", "name time classname group"},
	"properties": {"property", ""},
	"property":   {"", "name value"},
	"error":      {"", "type message"},
	"failure":    {"", "type message"},
	"system-out": {"", ""},
}

func TestJUnitFollowsTheSchema(t *testing.T) {
	var b bytes.Buffer
	if err := some().JUnit(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	var open []string
	seen := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			allowed := junitSchema[name]
			if len(open) > 0 && !slices.Contains(strings.Fields(junitSchema[open[len(open)-1]].within), name) || len(open) == 0 && name != "testsuites" {
				t.Errorf("%s stands in %v", name, open)
			}
			for _, a := range x.Attr {
				if !slices.Contains(strings.Fields(allowed.attributes), a.Name.Local) {
					t.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
			}
			open, seen[name] = append(open, name), true
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	if len(seen) != len(junitSchema) {
		t.Errorf("the report has only %v", seen)
	}
}

// The schema in docs is made of the structs of the report:
// go test ./internal/task/report -run Schema -update
func TestTheSchemaOfTheReportIsUpToDate(t *testing.T) {
	schema, err := jsonschema.For[report.Report](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}})
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", "Understudy report of runs"
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(have, text) {
		t.Fatalf("docs/report.schema.json is not the form of the report: run this test with -update (%v)", err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := some().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Error(err)
	}
}
