package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
)

var noon = Env{Now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}

// Each row is a matcher, the values that it accepts and those that it does not.
var cases = []struct {
	matcher     string
	takes, nots []string
}{
	{`"SUP-9"`, []string{`"SUP-9"`}, []string{`"sup-9"`, `"SUP-90"`, `null`, `9`, `["SUP-9"]`, `{}`}},
	{`null`, []string{`null`}, []string{`""`, `0`, `false`, `[]`}},
	{`4`, []string{`4`, `"4"`, `4.0`, `"4.00"`, `"04"`}, []string{`"4 "`, `5`, `true`, `null`, `[4]`, `"four"`}},
	{`"4"`, []string{`"4"`, `4`, `4.0`}, []string{`"4.0"`, `"04"`, `5`}},
	{`1772442000.000003`, []string{`"1772442000.000003"`}, []string{`"1772442000.000004"`}},
	{`90071992547409931`, []string{`90071992547409931`}, []string{`90071992547409932`}},
	{`true`, []string{`true`, `"true"`}, []string{`false`, `"yes"`, `1`, `null`}},
	{`"true"`, []string{`true`, `"true"`}, []string{`false`}},
	{`["a", 1]`, []string{`["a", 1]`, `["a", "1"]`}, []string{`["a"]`, `[1, "a"]`, `"a"`, `null`}},
	{`{"is": {"user": "U1"}}`, []string{`{"user": "U1"}`}, []string{`{"user": "U1", "ts": 1}`, `{}`, `"U1"`}},
	{`{"not": "a"}`, []string{`"b"`, `null`, `1`, `["a"]`}, []string{`"a"`}},
	{`{"any_of": [1, "x", null]}`, []string{`1`, `"1"`, `"x"`, `null`}, []string{`2`, `"X"`, `[1]`}},
	{`{"none_of": [1, "x"]}`, []string{`2`, `null`}, []string{`1`, `"1"`, `"x"`}},
	{`{"contains": "sign in"}`, []string{`"cannot sign in."`}, []string{`"Sign in"`, `null`, `["sign in"]`, `{}`}},
	{`{"contains": "Sign  IN", "ignoring": ["case", "space"]}`, []string{`"cannot sign\n in."`}, []string{`"signin"`}},
	{`{"contains": "see the page", "ignoring": ["markup"]}`, []string{`"*see* the <https://x.example|page>"`, `"see the [page](https://x.example)"`, `"<p>see <b>the</b> page</p>"`}, []string{`"see page"`}},
	{`{"contains": "a & b", "ignoring": "markup"}`, []string{`"a &amp; b"`}, nil},
	{`{"contains": 12}`, []string{`"room 12"`, `3123`}, []string{`"room 1"`}},
	{`{"not_contains": "x"}`, []string{`"y"`, `null`, `5`, `[]`}, []string{`"axa"`}},
	{`{"starts_with": "re:", "ignoring": ["case"]}`, []string{`"RE: hello"`}, []string{`"hello re:"`, `null`}},
	{`{"ends_with": ".example"}`, []string{`"a@b.example"`}, []string{`"a@b.example.com"`, `7`}},
	{`{"matches": "^SUP-\\d+$"}`, []string{`"SUP-10"`}, []string{`"sup-10"`, `"x SUP-10"`, `null`, `[]`}},
	{`{"matches": "^sup-\\d+$", "ignoring": ["case"]}`, []string{`"SUP-10"`}, nil},
	{`{"matches": "^4"}`, []string{`42`}, []string{`24`}},
	{`{"above": 10}`, []string{`11`, `"10.5"`}, []string{`10`, `"9"`, `"many"`, `null`, `true`, `[11]`}},
	{`{"at_least": 10, "below": 20}`, []string{`10`, `"19.99"`}, []string{`20`, `9`}},
	{`{"at_most": "10"}`, []string{`10`, `"2"`}, []string{`11`}},
	{`{"above": "now-5m"}`, []string{`"2026-03-02T11:56:00Z"`, `1772452741`, `1772452741000`, `"1772452741.000003"`}, []string{`"2026-03-02T11:54:00.000Z"`, `"2026-03-02"`, `"soon"`, `null`}},
	{`{"below": "2026-03-02T00:00:00Z"}`, []string{`"2026-03-01"`}, []string{`"2026-03-02"`, `"+1d"`, `"now"`, `1e30`}},
	{`{"present": true}`, []string{`0`, `false`, `"x"`, `[]`}, []string{`null`, `""`}},
	{`{"present": false}`, []string{`null`, `""`}, []string{`0`}},
	{`{"length": 2}`, []string{`"éa"`, `[1, 2]`, `{"a": 1, "b": 2}`}, []string{`2`, `null`, `"a"`}},
	{`{"length": {"at_least": 2}}`, []string{`[1, 2, 3]`}, []string{`[1]`}},
	{`{"json": {"contains": "\"type\":\"table\""}}`, []string{`[{"rows": [], "type": "table"}]`, `{"type": "table"}`}, []string{`"\"type\":\"table\""`, `[{"type": "divider"}]`, `null`}},
	{`{"json": {"not_contains": "<B>", "ignoring": ["case"]}}`, []string{`[]`, `1`}, []string{`["<b>"]`, `null`}},
	{`{"includes": "a"}`, []string{`["b", "a"]`}, []string{`"a"`, `null`, `["A"]`, `{"a": 1}`}},
	{`{"includes": {"contains": "bug"}}`, []string{`["a bug"]`}, []string{`[["bug"]]`, `[]`}},
	{`{"includes_all": ["a", 1]}`, []string{`[1, "b", "a"]`}, []string{`["a"]`, `"a1"`, `null`}},
	{`{"not": {"contains": "cat"}}`, []string{`"dog"`, `null`, `5`}, []string{`"a cat"`, `"cat"`}},
	{`{"not": {"not": {"is": {"user": "U1"}}}}`, []string{`{"user": "U1"}`}, []string{`{"user": "U2"}`, `"U1"`}},
	{`{"any_of": [{"contains": "Cat", "ignoring": ["case"]}, "dog", {"above": 5}]}`, []string{`"a cat"`, `"dog"`, `6`, `"7"`}, []string{`"Dog"`, `5`, `null`}},
	{`{"none_of": [{"contains": "cat"}, "dog"]}`, []string{`"bird"`, `null`}, []string{`"a cat"`, `"dog"`}},
	{`{"includes_all": [{"starts_with": "a"}, "b"]}`, []string{`["b", "ab"]`}, []string{`["b"]`, `["ab"]`, `"ab"`}},
	{`{"any_of": ["a", "b"], "not": "a"}`, []string{`"b"`}, []string{`"a"`, `"c"`}},
}

func TestMatchers(t *testing.T) {
	for _, c := range cases {
		m, err := Parse("where.x", []byte(c.matcher))
		if err != nil {
			t.Errorf("%s: %v", c.matcher, err)
			continue
		}
		for want, list := range map[bool][]string{true: c.takes, false: c.nots} {
			for _, v := range list {
				if m.Matches(json.RawMessage(v), noon) != want {
					t.Errorf("%s matches %s: want %v", c.matcher, v, want)
				}
			}
		}
	}
}

// Values of records come in the types of Go as well.
func TestMatchersCompareValuesOfGo(t *testing.T) {
	for text, v := range map[string]any{`3`: int64(3), `"3"`: 3, `0.5`: 0.5, `["a", "b"]`: []string{"a", "b"}, `{"includes": "b"}`: []string{"a", "b"}, `null`: nil} {
		m, err := Parse("x", []byte(text))
		if err != nil || !m.Matches(v, noon) {
			t.Errorf("%s does not match %v: %v", text, v, err)
		}
	}
	if !new(Matcher).Matches(nil, noon) || new(Matcher).Matches("x", noon) {
		t.Error("the zero matcher expects null")
	}
}

func TestMatchersThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                          "x",
		`{"contians": "a"}`:                           "x.contians",
		`{"is": 1, "is": 2}`:                          "x.is",
		`{"any_of": "a"}`:                             "x.any_of",
		`{"not": {"contians": "a"}}`:                  "x.not.contians",
		`{"any_of": [{"is": 1}], "any_of": []}`:       "x.any_of",
		`{"not": {}}`:                                 "x.not",
		`{"none_of": ["a", {"matches": "("}]}`:        "x.none_of[1].matches",
		`{"includes_all": {}}`:                        "x.includes_all",
		`{"any_of": []}`:                              "x.any_of",
		`{"none_of": []}`:                             "x.none_of",
		`{"not": {"includes_all": []}}`:               "x.not.includes_all",
		`{"contains": null}`:                          "x.contains",
		`{"starts_with": ["a"]}`:                      "x.starts_with",
		`{"matches": 5}`:                              "x.matches",
		`{"matches": "("}`:                            "x.matches",
		`{"matches": "(?=a)"}`:                        "x.matches",
		`{"matches": "` + long("a", 1001) + `"}`:      "x.matches",
		`{"matches": "` + long("a{1000}", 100) + `"}`: "x.matches",
		`{"above": "soon"}`:                           "x.above",
		`{"above": true}`:                             "x.above",
		`{"present": "yes"}`:                          "x.present",
		`{"length": "3"}`:                             "x.length",
		`{"length": {"abov": 3}}`:                     "x.length.abov",
		`{"json": "[]"}`:                              "x.json",
		`{"ignoring": ["case"]}`:                      "x",
		`{"is": "a", "ignoring": ["accents"]}`:        "x.ignoring",
		`{"is": "a", "ignoring": []}`:                 "x.ignoring",
	} {
		_, err := Parse("x", []byte(text))
		e, _ := fault.As(err)
		if e == nil || !e.Is(BadMatcher) && !e.Is(strict.Unknown) || e.Field != want {
			t.Errorf("%.60s returns %v, want a refusal of %s", text, err, want)
		}
	}
	if _, err := Parse("x", []byte(`{`)); err == nil {
		t.Error("half an object is read")
	}
}

func long(s string, n int) string { return strings.Repeat(s, n) }

func TestBindReplacesNamesAndCaptures(t *testing.T) {
	replace := func(op, text string) ([]any, any, error) {
		switch {
		case text == "$gone.id":
			return nil, nil, errors.New("nothing was captured as gone")
		case text == "$issue.identifier":
			return []any{"SUP-10"}, "SUP-10", nil
		case text == "$two.id":
			return []any{"1", "2"}, []any{"1", "2"}, nil
		case Whole(op) && text == "#support":
			return []any{"C1", "C2"}, "#support", nil
		}
		return nil, nil, nil
	}
	for _, c := range []struct{ matcher, takes, not, shown string }{
		{`"#support"`, `"C2"`, `"C3"`, `"#support"`},
		{`{"not": "#support"}`, `"C3"`, `"C2"`, `{"not":"#support"}`},
		{`{"contains": "$issue.identifier"}`, `"see SUP-10"`, `"see SUP-1"`, `{"contains":"SUP-10"}`},
		{`{"contains": "#support"}`, `"in #support"`, `"C1"`, `{"contains":"#support"}`},
		{`{"any_of": "$two.id"}`, `2`, `3`, `{"any_of":[["1","2"]]}`},
		{`{"includes_all": ["$issue.identifier", "b"]}`, `["b", "SUP-10"]`, `["b"]`, `{"includes_all":["SUP-10","b"]}`},
		{`{"not": {"any_of": ["#support", {"contains": "$issue.identifier"}]}}`, `"C3"`, `"see SUP-10"`, `{"not":{"any_of":["#support",{"contains":"SUP-10"}]}}`},
		{`["$issue.identifier"]`, `["SUP-10"]`, `["$issue.identifier"]`, `["SUP-10"]`},
		{`{"includes": {"is": "#support"}}`, `["C1"]`, `["#support"]`, `{"includes":{"is":"#support"}}`},
	} {
		m, err := Parse("x", []byte(c.matcher))
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Bind(replace)
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := json.Marshal(b)
		if !b.Matches(json.RawMessage(c.takes), noon) || b.Matches(json.RawMessage(c.not), noon) || string(shown) != c.shown {
			t.Errorf("%s is bound to %s", c.matcher, shown)
		}
	}
	m, _ := Parse("x", []byte(`{"any_of": ["a", "$gone.id"]}`))
	if _, err := m.Bind(replace); err == nil {
		t.Error("a capture that is not there is bound")
	}
}

func FuzzMatcher(f *testing.F) {
	for _, c := range cases {
		for _, v := range append(c.takes, c.nots...) {
			f.Add(c.matcher, v)
		}
	}
	f.Fuzz(func(t *testing.T, matcher, value string) {
		m, err := Parse("x", []byte(matcher))
		if err != nil {
			if e, ok := fault.As(err); !ok || !e.Is(BadMatcher) && !e.Is(strict.Unknown) && !e.Is(seeddoc.Malformed) && !e.Is(seeddoc.TooLarge) {
				t.Errorf("%q returns %v", matcher, err)
			}
			return
		}
		first := m.Matches(json.RawMessage(value), noon)
		if m.Matches(json.RawMessage(value), noon) != first {
			t.Errorf("%q on %q is not decided", matcher, value)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var again Matcher
		if err := json.Unmarshal(text, &again); err != nil {
			t.Errorf("%q was written as %q, which returns %v", matcher, text, err)
		}
		_ = fmt.Sprint(Text(json.RawMessage(value)))
	})
}

// A matcher within matchers is held once, not once for each that it stands in.
func TestNestedMatchersAreHeldOnce(t *testing.T) {
	const depth = 55
	items := "1" + strings.Repeat(",1", 100_000)
	for _, op := range []string{"includes", "length", "json", "not"} {
		text := strings.Repeat(`{"`+op+`":`, depth) + `{"any_of":[` + items + `]}` + strings.Repeat(`}`, depth)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m, err := Parse("x", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if used := int64(after.HeapAlloc-before.HeapAlloc) >> 20; used > 60 {
			t.Errorf("%s: %d MiB to hold %d bytes", op, used, len(text))
		}
		if shown, err := json.Marshal(m); err != nil || string(shown) != text {
			t.Errorf("%s: it is shown otherwise: %.100s %v", op, shown, err)
		}
	}
}

// The worst pattern that is read on a long text ends soon.
func TestPatternsEndSoon(t *testing.T) {
	m, err := Parse("x", []byte(`{"matches": "(?:a?){500}(?:a){500}b$"}`))
	if err != nil {
		t.Fatal(err)
	}
	took := time.Hour
	for range 3 { // a machine that is busy with other tests slows some
		began := time.Now()
		if m.Matches(strings.Repeat("a", 40_000), noon) {
			t.Error("it matches")
		}
		if took = min(took, time.Since(began)); took <= 10*time.Second {
			break
		}
	}
	if took > 10*time.Second {
		t.Errorf("it takes %v", took)
	}
	for _, text := range []string{`{"matches": "(?:a?){1000}(?:[a-z]{2}){1000}"}`, `{"matches": "(a?){900}(b?){900}"}`} {
		if _, err := Parse("x", []byte(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// Values that are decoded without a decoder are those that it returns.
func TestPlainValuesAreDecodedAlike(t *testing.T) {
	random, pieces := rand.New(rand.NewPCG(5, 5)), []string{`"`, `\`, `a`, ` `, `é`, "\x7f", "\x01", "\n", "\xff", `0`, `1`, `-`, `.`, `e`, `~`, `\u0041`, `null`, `"post 1"`}
	texts := []string{``, `""`, `"`, `"a"`, `"a\"`, `"a\""`, `"a" `, ` "a"`, `"a" "b"`, `0`, `00`, `01`, `10`, `-1`, `1.5`, `1e3`, `12 13`, `true`, `null`, `[]`, `[1, "a"]`, "\"\x7f\""}
	for range 20_000 {
		text := ""
		for range 1 + random.IntN(5) {
			text += pieces[random.IntN(len(pieces))]
		}
		if texts = append(texts, text); random.IntN(2) == 0 {
			texts = append(texts, `"`+text+`"`)
		}
	}
	taken := 0
	for _, text := range texts {
		got, ok := plain([]byte(text))
		if !ok {
			continue
		}
		taken++
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil || got != want {
			t.Errorf("%q is decoded as %#v, the decoder says %#v, %v", text, got, want, err)
		}
	}
	if taken < 1000 {
		t.Errorf("only %d texts of %d are plain", taken, len(texts))
	}
}
