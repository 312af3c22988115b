package task_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
	"understudy/internal/task"
)

var update = flag.Bool("update", false, "write docs/task.schema.json anew")

const schemaFile = "../../docs/task.schema.json"

func read(text string) (*task.Task, error) {
	n, err := yamldoc.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return task.Read("task.yaml", n)
}

// The schema in docs is made of the structs that the reader fills:
// go test ./internal/task -run Schema -update
func TestTheSchemaIsUpToDate(t *testing.T) {
	text, err := task.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(have, text) {
		t.Fatalf("docs/task.schema.json is not what the reader accepts: run this test with -update (%v)", err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(have, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	allows := func(text []byte) error {
		n, err := yamldoc.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(n.JSON(), &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	files, _ := filepath.Glob("../../docs/tasks/*.yaml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := allows(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if _, err := read(string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, r := range refusals {
		if r.form && allows([]byte(r.text)) == nil {
			t.Errorf("the schema allows %q", r.text)
		}
	}
}

// What is wrong with a file, and with which line and field it is refused. form is
// set where the schema refuses it too.
var refusals = []struct {
	text, where string
	form        bool
}{
	{"task: a\nnothing_else: true", "1 world: is required", true},
	{"task: a\nworld: {fixture: demo}\nexpct: []", "3 expct: is not a field here", true},
	{"task: a b\nworld: {fixture: demo}\nnothing_else: true", "1 task: must have 1 to 80", false},
	{"task: a\nworld: {}\nnothing_else: true", "2 world: must have environment, fixture or document", false},
	{"task: a\nworld: {environment: b, seed: 1}\nnothing_else: true", "2 world: environment is one that exists", false},
	{"task: a\nworld: {fixture: demo}", "1 : expects nothing", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\ninstruction: " + strings.Repeat("é", 60_001), "4 instruction: has 120002 bytes; at most 120000 fit", false},
	{"task: a\nworld: {fixture: demo}\nexpect: [{exit: 0}]", "1 : expects nothing of the world", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nexpect: [{exit: x}]", "4 expect[0].exit: has a value of the wrong kind", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nexpect: [{exit: 0, by: agent}]", "4 expect[0].by: is not a field here", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nfork: {credentials: inherited}", "4 fork.credentials: is not a field here", true},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nfork: {count: 3}", "4 fork.count: is not a field here", true},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nfork: {seed: every}", "4 fork.seed: must be a whole number or each", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nbefore:\n  - {say: {text: x}}", "5 before[0]: person must be messaging/", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nbefore:\n  - {person: messaging/a}", "5 before[0]: must have one of say, edit,", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nbefore:\n  - {person: messaging/a, say: {text: x}, join: {channel: y}}", "5 before[0]: must have one of say, edit,", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nbefore:\n  - {person: messaging/a, say: {text: $b.ts}}\n  - {as: b, person: messaging/a, say: {text: x}}", "5 before[0].say: nothing before this is called \"b\"", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nmeanwhile:\n  - {when: {person: messaging/a}, then: [{say: {thread: $c, text: x}}]}", "5 meanwhile[0].then[0].say: nothing before this is called", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nmeanwhile:\n  - {when: {person: crm/a}, then: []}", "5 meanwhile[0]: person must be messaging/", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nidle: sleeps", "4 idle: must be one of fails, passes", true},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nlimits: {seconds: 0}", "4 limits.seconds: must be above 0", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nlimits: {requests: 0}", "4 limits.requests: must be at least 1", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nsolution: {run: x}", "4 solution: must be a path or a list of words", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\napp: {command: []\n  , serves: x}", "4 app.command: must name a program", false},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\napp: {command: [x]}", "4 app.serves: is required", true},
	{"task: a\nworld: {fixture: demo}\nnothing_else: true\nuser: {command: [x], person: jon}", "4 user.person: must be a service and a person", false},
}

func TestMistakesAreRefusedWithLineAndField(t *testing.T) {
	for _, r := range refusals {
		_, err := read(r.text)
		e, _ := fault.As(err)
		if e == nil {
			t.Errorf("%q is accepted", r.text)
			continue
		}
		problems := e.Attrs.(seeddoc.Problems)
		line, rest, _ := strings.Cut(r.where, " ")
		field, message, _ := strings.Cut(rest, ": ")
		first := problems[0]
		if text, _ := json.Marshal(first.Line); string(text) != line || first.Field != field || !strings.HasPrefix(first.Message, message) {
			t.Errorf("%q: line %d, %s: %s, want %s", r.text, first.Line, first.Field, first.Message, r.where)
		}
	}
}

func TestReferencesStandForWhatWasDone(t *testing.T) {
	one, err := read(`{task: a, world: {fixture: demo}, nothing_else: true, before: [
		{as: q, person: messaging/a, say: {channel: "#c", text: x}},
		{person: messaging/b, say: {thread: $q, text: "$$q costs $5", blocks: [{t: $q.ts}]}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	verb, body, err := one.Before[1].Call(task.Bindings{"q": {"channel": "C1", "ts": "1.2", "request_seq": []any{1}}})
	if want := `{"blocks":[{"t":"1.2"}],"text":"$q costs $5","thread":{"channel":"C1","ts":"1.2"}}`; err != nil || verb != "say" || string(body) != want {
		t.Errorf("%s %s %v, want %s", verb, body, err, want)
	}
}

// What is no task is refused, whatever it is; what is one can be graded.
func FuzzTask(f *testing.F) {
	for _, r := range refusals {
		f.Add(r.text)
	}
	files, _ := filepath.Glob("../../docs/tasks/*.yaml")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, err := read(text)
		if err != nil {
			if _, ok := fault.As(err); !ok {
				t.Errorf("%q returns %v", text, err)
			}
			return
		}
		answer := "x"
		for _, doc := range []any{one.Grading(task.Bindings{"q": {"ts": "1"}}, &answer), one.ForkRequest(1, one.Limit(1), ""), one.Shown("f", 1)} {
			if _, err := json.Marshal(doc); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		for i := range one.Before {
			_, _, _ = one.Before[i].Call(task.Bindings{})
		}
		one.LineOf("expect[0].where.x")
		one.SolutionCommand()
	})
}
