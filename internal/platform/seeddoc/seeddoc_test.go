package seeddoc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type thing struct {
	Pos
	Name  string          `seed:"name,required"`
	Kind  string          `seed:"kind" enum:"a,b"`
	Count *int64          `seed:"count"`
	Ratio float64         `seed:"ratio"`
	On    bool            `seed:"on"`
	When  Time            `seed:"when"`
	Day   Day             `seed:"day"`
	Note  Text            `seed:"note"`
	Extra Raw             `seed:"extra"`
	More  Object          `seed:"more"`
	Of    Ref             `seed:"of"`
	Tags  []string        `seed:"tags"`
	Below Named[thing]    `seed:"below"`
	Lists Named[[]string] `seed:"lists"`
}

func readThing(text string) (thing, error) {
	n, err := ParseJSON([]byte(text))
	if err != nil {
		return thing{}, err
	}
	r := &Reader{Now: noon}
	var v thing
	r.Read(n, Pos{Place: Place{Line: n.Line}, Field: "t"}, &v)
	return v, r.Err()
}

func TestADocumentIsLaidOverAStruct(t *testing.T) {
	v, err := readThing(`{"name": "n", "kind": "b", "count": 3, "ratio": 0.5, "on": true, "when": "-1d2h", "day": "+1w", "note": 1.50,
		"extra": [1, {"a": "<é>"}, null], "more": {"x": 1, "y": "z"}, "of": "other", "tags": ["p", "q"],
		"below": {"first": {"name": "f"},
		          "second": {"name": "s", "when": null}}, "lists": {"l": ["1"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(v.Name, v.Kind, *v.Count, v.Ratio, v.On, time.UnixMicro(v.When.Micros).UTC().Format(time.RFC3339), v.Day, v.Note, string(v.Extra),
		string(v.More["x"]), string(v.More["y"]), v.Of.Name, v.Tags, v.Below[1].Value.Name, v.Below[1].Line, v.Below[1].Field, v.Lists[0].Value)
	const want = `nb3 0.5 true2026-02-28T10:00:00Z2026-03-081.50[1,{"a":"<é>"},null]1"z"other[p q]s4t.below.second[1]`
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("read %s\nwant %s", got, want)
	}
}

func TestProblemsNameLineAndField(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                  "1 t.name is required",
		`{"name": null}`:                      "1 t.name is required",
		"{\"name\":\n 1}":                     "1 t.name must be a text, not a number (put it in quotes)",
		"{\"name\": \"n\",\n\"nme\": 1}":      "2 t.nme is not a field here",
		"{\"name\": \"n\",\n\"name\": \"m\"}": "2 t.name is given twice",
		`{"name": "n", "kind": "c"}`:          "1 t.kind must be one of a, b",
		`{"name": "n", "count": 1.5}`:         "1 t.count must be a whole number",
		`{"name": "n", "ratio": 1e999}`:       "1 t.ratio must be a number",
		`{"name": "n", "when": "soon"}`:       "1 t.when must be a time",
		`{"name": "n", "of": "a b"}`:          "1 t.of is not a name: names have 1 to 200 characters and no blanks",
		`{"name": "n", "of": "` + strings.Repeat("é", 201) + `"}`:                               "1 t.of is not a name: names have 1 to 200 characters and no blanks",
		"{\"name\": \"n\", \"tags\": [\"a\",\n2]}":                                              "2 t.tags[1] must be a text",
		"{\"name\": \"n\", \"below\": {\n\"a\": {\"name\": \"x\"},\n\"a\": {\"name\": \"y\"}}}": "3 t.below.a is given twice",
		`{"name": "n", "below": []}`:                                                            "1 t.below must be a mapping, not a list",
		`{"name": "n", "more": {"a": 1, "a": 2}}`:                                               "1 t.more.a is given twice",
		`{"name": "n", "below": {"a": {"count": true}}}`:                                        "1 t.below.a.count must be a number",
	} {
		_, err := readThing(text)
		e, _ := fault.As(err)
		if e == nil || !e.Is(Invalid) {
			t.Errorf("%s returns %v", text, err)
			continue
		}
		p := e.Attrs.(Problems)[0]
		if got := fmt.Sprintf("%d %s %s", p.Line, p.Field, p.Message); !strings.HasPrefix(got, want) {
			t.Errorf("%s returns %q, want %q", text, got, want)
		}
	}
}

func TestMalformedJSONNamesTheLine(t *testing.T) {
	for text, want := range map[string]int{"": 1, "{": 1, "{\n\"a\": 1,\n}": 3, "[1]\n[2]": 2, "{\"a\":\n\"b\" c}": 2, "{\"a\": \"\n\"}": 1,
		"{\n\"a\": \"\\u0000\"}": 2, strings.Repeat("[", MaxDepth+2): 1} {
		_, err := ParseJSON([]byte(text))
		e, _ := fault.As(err)
		if e == nil || !e.Is(Malformed) || e.Attrs.(Problems)[0].Line != want {
			t.Errorf("%q returns %v, want line %d", text, err, want)
		}
	}
	if _, err := ParseJSON([]byte("[" + strings.Repeat("1,", MaxNodes) + "1]")); err != error(TooLarge) {
		t.Errorf("too many values give %v", err)
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{"now": "2026-03-01T12:00:00Z", "-3d2h": "2026-02-26T10:00:00Z", "+90m": "2026-03-01T13:30:00Z", "-1w": "2026-02-22T12:00:00Z",
		"-1500ms": "2026-03-01T11:59:58.5Z", "2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T09:00:00+02:00": "2026-01-31T07:00:00Z",
		"-3x": "", "3d": "", "-": "", "2026-02-30": "", "tomorrow": "", "-999999w": "", "+999999d999999w": "", "1900-01-01": "", "2026-01-31T09:00:00": ""} {
		got, ok := ParseTime(text, noon)
		if ok != (want != "") || ok && got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s is %v, %v; want %q", text, got, ok, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"name": "n", "below": {"a": {"when": "-1d"}}, "extra": [1, "x"]}`)
	f.Add("{\"name\":\n null")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := readThing(text); err != nil {
			if e, ok := fault.As(err); !ok || !e.Is(Invalid) && !e.Is(Malformed) && !e.Is(TooLarge) {
				t.Errorf("%q returns %v", text, err)
			}
		}
	})
}
