package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// The conformance suite: every case of testdata/conformance/cases.txt is
// answered by the engine and compared with what graphql-js answered. Its
// answers are kept in judged.json, so that the suite runs without Node;
// TestJudge asks it again where it is installed.

var judge = flag.Bool("judge", false, "write testdata/conformance/judged.json anew")

const conformance = "testdata/conformance"

type conformanceCase struct {
	Name      string          `json:"-"`
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables,omitempty"`
	Operation string          `json:"operationName,omitempty"`
	messages  bool
	refused   bool
}

func conformanceCases(t testing.TB) []conformanceCase {
	t.Helper()
	raw, err := os.ReadFile(conformance + "/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []conformanceCase
	for _, part := range strings.Split(string(raw), "\n## ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		c := conformanceCase{Name: name}
		var doc []string
		for _, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
			switch key, rest, _ := strings.Cut(line, ": "); key {
			case "variables":
				c.Variables = json.RawMessage(rest)
			case "operation":
				c.Operation = rest
			case "expect":
				c.messages, c.refused = rest == "messages", rest == "refused"
			default:
				doc = append(doc, line)
			}
		}
		c.Query = strings.TrimSuffix(strings.Join(doc, "\n"), "\n")
		out = append(out, c)
	}
	return out
}

// reply is a reply in the form that both sides use. HasData is false where data is absent, true where it is null.
type reply struct {
	Data    any
	HasData bool
	Errors  []replyError
}

type replyError struct {
	Message    string
	Path       []any
	Locations  []Location
	Extensions map[string]any
}

func (r *reply) UnmarshalJSON(raw []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	data, ok := members["data"]
	r.HasData = ok
	if ok {
		if err := json.Unmarshal(data, &r.Data); err != nil {
			return err
		}
	}
	if list, ok := members["errors"]; ok {
		if err := json.Unmarshal(list, &r.Errors); err != nil {
			return err
		}
		if len(r.Errors) == 0 {
			return errors.New("an empty list of errors")
		}
	}
	return nil
}

// askNode runs a script of test/graphql, with in as its input.
func askNode(t *testing.T, in []byte, script string, args ...string) []byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if _, missing := os.Stat("../../../../test/graphql/node_modules/graphql"); err != nil || missing != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("run npm ci in test/graphql first")
		}
		t.Skip("graphql-js is not installed: run npm ci in test/graphql")
	}
	cmd := exec.Command(node, append([]string{"../../../../test/graphql/" + script}, args...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func askJudge(t *testing.T, cases []conformanceCase) []byte {
	t.Helper()
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	return askNode(t, in, "judge.mjs", conformance)
}

// The stored answers equal those of graphql-js.
func TestJudge(t *testing.T) {
	cases := conformanceCases(t)
	var fresh []json.RawMessage
	if err := json.Unmarshal(askJudge(t, cases), &fresh); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("{\n")
	for i, c := range cases {
		key, _ := json.Marshal(c.Name)
		b.WriteString(string(key) + ": " + string(fresh[i]))
		if i < len(cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	if *judge {
		if err := os.WriteFile(conformance+"/judged.json", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept, _ := os.ReadFile(conformance + "/judged.json"); string(kept) != b.String() {
		t.Error("judged.json is stale: run go test -run TestJudge -judge")
	}
}

func TestConformance(t *testing.T) {
	raw, err := os.ReadFile(conformance + "/judged.json")
	if err != nil {
		t.Fatal(err)
	}
	var judged map[string]reply
	if err := json.Unmarshal(raw, &judged); err != nil {
		t.Fatal(err)
	}
	cases := conformanceCases(t)
	if len(judged) != len(cases) {
		t.Errorf("%d cases, %d answers of the judge: two cases of one name, or stale answers", len(cases), len(judged))
	}
	e := newLibrary(t, Options{})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := judged[c.Name]
			if !ok {
				t.Fatal("not judged yet")
			}
			out := e.Execute(context.Background(), Request{Query: c.Query, Variables: c.Variables, OperationName: c.Operation}, &library{})
			var got reply
			if err := json.Unmarshal(out.JSON, &got); err != nil {
				t.Fatalf("%v: %s", err, out.JSON)
			}
			compare(t, c, got, want, out.JSON)
		})
	}
}

func compare(t *testing.T, c conformanceCase, got, want reply, raw []byte) {
	t.Helper()
	if c.refused {
		if got.HasData || len(got.Errors) == 0 || len(want.Errors) == 0 {
			t.Errorf("have %s", raw)
		}
		return
	}
	if got.HasData != want.HasData || !reflect.DeepEqual(got.Data, want.Data) {
		w, _ := json.Marshal(want.Data)
		t.Errorf("data differs:\n have %s\n want %s (present: %v)", raw, w, want.HasData)
	}
	if (len(got.Errors) == 0) != (len(want.Errors) == 0) {
		t.Fatalf("have %s\nwant errors %+v", raw, want.Errors)
	}
	if !want.HasData && !c.messages {
		return // both refuse the document; how many faults they list and how they put them differs
	}
	if len(got.Errors) != len(want.Errors) {
		t.Fatalf("have %s\nwant errors %+v", raw, want.Errors)
	}
	for i, w := range want.Errors {
		g := got.Errors[i]
		if !reflect.DeepEqual(g.Path, w.Path) || !reflect.DeepEqual(g.Locations, w.Locations) || !reflect.DeepEqual(g.Extensions, w.Extensions) {
			t.Errorf("error %d: have %+v\nwant %+v", i, g, w)
		}
		if want, _, _ := strings.Cut(w.Message, " Did you mean"); c.messages && g.Message != want {
			t.Errorf("error %d: have %q\nwant %q", i, g.Message, want)
		}
	}
}

// Field order is part of the specification, and maps do not show it.
func TestFieldOrderIsTheJudges(t *testing.T) {
	raw, err := os.ReadFile(conformance + "/judged.json")
	if err != nil {
		t.Fatal(err)
	}
	var judged map[string]struct{ Data json.RawMessage }
	if err := json.Unmarshal(raw, &judged); err != nil {
		t.Fatal(err)
	}
	e := newLibrary(t, Options{})
	for _, c := range conformanceCases(t) {
		if strings.HasPrefix(c.Name, "introspect") || c.refused {
			continue // lists of the schema come sorted here, in SDL order there
		}
		out := e.Execute(context.Background(), Request{Query: c.Query, Variables: c.Variables, OperationName: c.Operation}, &library{})
		var got struct{ Data json.RawMessage }
		if err := json.Unmarshal(out.JSON, &got); err != nil {
			t.Fatal(err)
		}
		if keys(t, got.Data) != keys(t, judged[c.Name].Data) {
			t.Errorf("%s: the order of fields differs: %s", c.Name, got.Data)
		}
	}
}

// keys lists the object members of a JSON text in order.
func keys(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var out []string
	d := json.NewDecoder(bytes.NewReader(raw))
	for {
		tok, err := d.Token()
		if err != nil {
			return strings.Join(out, " ")
		}
		if s, ok := tok.(string); ok {
			out = append(out, s)
		}
	}
}
