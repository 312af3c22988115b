package mcpkit

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var argsUnderTest = []Arg{
	{Name: "text", Aliases: []string{"body", "content"}, Required: true},
	{Name: "limit", Kind: Count, Default: 10, Min: 1, Max: 200},
	{Name: "priority", Kind: Integer, Min: 0, Max: 4},
	{Name: "archived", Kind: Flag, Default: false},
	{Name: "labels", Kind: List},
	{Name: "assignee", Nullable: true},
	{Name: "note", Nullable: true, Empty: true},
	{Name: "sort", Enum: []string{"up", "down"}},
}

func TestReadArgs(t *testing.T) {
	standard := func(more map[string]any) map[string]any {
		out := map[string]any{"text": "x", "limit": 10, "archived": false}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	for in, want := range map[string]map[string]any{
		`{"text":"x"}`:                                            standard(nil),
		`{"body":"x"}`:                                            standard(nil),
		`{"text":"","content":"x"}`:                               nil, // the argument itself goes before its aliases
		`{"text":"x","limit":"20","priority":"0"}`:                standard(map[string]any{"limit": 20, "priority": 0}),
		`{"text":"x","limit":5000}`:                               standard(map[string]any{"limit": 200}),
		`{"text":"x","limit":20.0,"archived":"true"}`:             standard(map[string]any{"limit": 20, "archived": true}),
		`{"text":1712345678.123456}`:                              standard(map[string]any{"text": "1712345678.123456"}),
		`{"text":"x","limit":null,"sort":"","labels":null}`:       standard(nil),
		`{"text":"x","labels":[]}`:                                standard(map[string]any{"labels": []string{}}),
		`{"text":"x","labels":"a, b"}`:                            standard(map[string]any{"labels": []string{"a", "b"}}),
		`{"text":"x","labels":["a, b"],"assignee":null}`:          standard(map[string]any{"labels": []string{"a, b"}, "assignee": nil}),
		`{"text":"x","assignee":"","note":""}`:                    standard(map[string]any{"note": ""}),
		`{"text":"x","sort":"down","priority":4,"note":"  y\n "}`: standard(map[string]any{"sort": "down", "priority": 4, "note": "  y\n "}),
	} {
		got, unknown, bad := readArgs(argsUnderTest, json.RawMessage(in))
		switch {
		case want == nil && bad == "":
			t.Errorf("%s was taken: %v", in, got.values)
		case want != nil && (bad != "" || unknown != nil || !reflect.DeepEqual(got.values, want)):
			t.Errorf("%s: %v %v %q, want %v", in, got.values, unknown, bad, want)
		}
	}
}

func TestReadArgsRefuses(t *testing.T) {
	for in, says := range map[string]string{
		``:                                  "Missing required arguments: text",
		`{"text":"  "}`:                     "Missing required arguments: text",
		`[]`:                                "JSON object",
		`{"text":{}}`:                       "text must be a text",
		`{"text":true}`:                     "text must be a text",
		`{"text":"x","limit":0}`:            "limit must be a whole number from 1 to 200",
		`{"text":"x","limit":1.5}`:          "limit must be a whole number",
		`{"text":"x","limit":"NaN"}`:        "limit must be a whole number",
		`{"text":"x","limit":1e300}`:        "limit must be a whole number",
		`{"text":"x","priority":5}`:         "priority must be a whole number from 0 to 4",
		`{"text":"x","archived":"perhaps"}`: "archived must be true or false",
		`{"text":"x","labels":[1]}`:         "labels must be a list of texts",
		`{"text":"x","labels":{}}`:          "labels must be a list of texts",
		`{"text":"x","sort":"sideways"}`:    "sort must be up or down",
		`{"text":"x","assignee":["a","b"]}`: "assignee must be a text, or null",
	} {
		if _, _, bad := readArgs(argsUnderTest, json.RawMessage(in)); !strings.Contains(bad, says) {
			t.Errorf("%s: %q does not say %q", in, bad, says)
		}
	}
	if _, unknown, _ := readArgs(argsUnderTest, json.RawMessage(`{"text":"x","b":1,"a":2}`)); !slices.Equal(unknown, []string{"a", "b"}) {
		t.Errorf("unknown: %v", unknown)
	}
}

func FuzzReadArgs(f *testing.F) {
	f.Add([]byte(`{"text":"x","limit":"20","labels":["a"],"assignee":null}`))
	f.Add([]byte(`{"text":1e999,"archived":1,"sort":["up"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, _, bad := readArgs(argsUnderTest, raw)
		if bad != "" {
			return
		}
		if got.Text("text") == "" || got.Int("limit") < 1 || got.Int("limit") > 200 || got.Int("priority") > 4 {
			t.Errorf("%s was read as %v", raw, got.values)
		}
	})
}
