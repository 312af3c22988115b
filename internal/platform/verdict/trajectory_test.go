package verdict

import (
	"context"
	"fmt"
	"testing"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict/match"
)

var words = NewVocabulary([]diff.Entity{{Service: "crm", Name: "contact", Table: "contact", Columns: map[string]diff.Column{
	"id": diff.As("id", diff.Text), "name": diff.As("name", diff.Text), "seen": diff.As("seen", diff.Int).Derived(), "owner": diff.As("owner", diff.Text).Refers("crm.contact")}}},
	nil, []string{"crm"})

// recorded is what an agent, a person and a tool did.
func recorded() []Request {
	agent := Actor{Kind: Agent, Service: "crm", ID: "1"}
	return []Request{
		{Seq: 1, Service: "crm", Operations: []string{"crm.POST search"}, Actor: agent, Status: 200, Body: []byte(`{"q": "a"}`)},
		{Seq: 2, Service: "crm", Operations: []string{"crm.POST contacts"}, Actor: agent, Status: 201, Body: []byte(`{"properties": {"email": "a@b.example"}}`)},
		{Seq: 3, Service: "crm", Operations: []string{"crm.POST contacts"}, Actor: agent, Status: 409, Reply: []byte(`{"status": "error", "category": "CONFLICT"}`), Body: []byte(`{"properties": {"email": "a@b.example"}}`)},
		{Seq: 4, Service: "messaging", Operations: []string{"messaging.chat.delete"}, Actor: Actor{Kind: Person}, Status: 200},
		{Seq: 5, Service: "messaging", Operations: []string{"mcp.post"}, Actor: agent, Status: 200},
		{Seq: 6, Service: "messaging", Operations: []string{"messaging.chat.postMessage"}, Actor: agent, Status: 200, Tool: "post", Body: []byte(`channel=C1&text=hi`)},
		{Seq: 7, Service: "tracker", Operations: []string{"tracker.issueUpdate", "tracker.issueUpdate"}, Actor: agent, Status: 200, Dropped: true},
		{Seq: 8, Service: "crm", Operations: []string{"crm.GET contacts/{id}"}, Actor: agent, Status: 200, Path: "/contacts/1"},
		{Seq: 9, Service: "crm", Operations: []string{"crm.GET contacts/{id}"}, Actor: agent, Status: 200, Path: "/contacts/2"},
		{Seq: 10, Service: "crm", Operations: []string{"crm.GET contacts"}, Actor: agent, Status: 200, Path: "/contacts", Query: "limit=10"},
		{Seq: 11, Service: "crm", Operations: []string{"crm.GET contacts"}, Actor: agent, Status: 200, Path: "/contacts", Query: "limit=10&after=10"},
		{Seq: 12, Service: "crm", Operations: []string{"crm.GET contacts"}, Actor: agent, Status: 200, Path: "/contacts", Query: "limit=10"},
	}
}

func TestRules(t *testing.T) {
	for rule, want := range map[string]string{
		`{"never": {"operation": "messaging.chat.delete"}}`:                                                    "true null",
		`{"never": {"operation": "messaging.chat.delete", "by": "person"}}`:                                    "false false",
		`{"never": {"operation": "crm.DELETE *"}}`:                                                             "true null",
		`{"called": {"operation": "crm.*search*"}}`:                                                            "true true",
		`{"called": {"operation": "tracker.*"}, "count": 2}`:                                                   "true null",
		`{"called": {"operation": "crm.POST *", "code": "CONFLICT"}, "count": {"at_most": 1}}`:                 "true null",
		`{"called": {"service": "crm", "status": {"at_least": 400}}, "count": 1}`:                              "true null",
		`{"called": {"body": {"/properties/email": {"ends_with": ".example"}}, "service": "crm"}, "count": 2}`: "true null",
		`{"called": {"operation": "messaging.*", "body": {"/text": "hi"}}}`:                                    "true true",
		`{"called": {"operation": "tracker.issueUpdate", "body": {"/id": 1}}}`:                                 "null null",
		`{"never": {"operation": "tracker.issueUpdate", "body": {"/id": 1}}}`:                                  "null null",
		`{"called": {"operation": "mcp.*"}}`:                                                                   "true true",
		`{"called": {"tool": "post"}}`:                                                                         "true true",
		`{"called": {"operation": "messaging.*"}, "count": 1}`:                                                 "true null",
		`{"at_most": 10}`: "true null",
		`{"at_most": 9}`:  "false false",
		`{"before": [{"operation": "crm.POST search"}, {"operation": "crm.POST contacts"}]}`: "true null",
		`{"before": [{"operation": "crm.POST contacts"}, {"operation": "crm.POST search"}]}`: "false null",
		`{"before": [{"operation": "crm.POST search"}, {"operation": "crm.DELETE *"}]}`:      "false null",
		`{"no_repeats": {"within": 2, "operation": "crm.*"}}`:                                "false false",
		`{"no_repeats": {"within": 2, "operation": "messaging.*"}}`:                          "true null",
		`{"no_repeats": {"within": 9, "operation": "crm.GET contacts/{id}"}}`:                "true null",
		`{"no_repeats": {"within": 2, "operation": "crm.GET contacts"}}`:                     "true null",
		`{"no_repeats": {"within": 3, "operation": "crm.GET contacts"}}`:                     "false false",
		`{"called": {"operation": "crm.GET *", "body": {"/after": 10}}, "count": 1}`:         "true null",
		`{"no_repeats": {}}`: "false false",
	} {
		n, err := seeddoc.ParseJSON([]byte(`{"trajectory": [` + rule + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Read(n, words)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		result := func(list []Request, complete bool) string {
			c := &course{&scope{ctx: context.Background(), captures: map[string]*captured{}}, list, complete}
			check, err := c.rule(d.trajectory[0])
			if err != nil {
				return err.Error()
			}
			if check.Passed == nil {
				return "null"
			}
			return fmt.Sprint(*check.Passed)
		}
		if got := result(recorded(), true) + " " + result(recorded(), false); got != want {
			t.Errorf("%s is %s, want %s", rule, got, want)
		}
	}
}

// A change is attributed by its fields that are not derived.
func TestWhoseChangeItIs(t *testing.T) {
	k := words.byName["crm.contact"]
	agent, person := Actor{Kind: Agent}, Actor{Kind: Person, Service: "crm", ID: "7"}
	update := &diff.Change{Service: "crm", Entity: "contact", Before: map[string]any{"name": "a"}, After: map[string]any{"name": "b"}, Changed: []string{"name", "seen"}}
	for _, c := range []struct {
		name    string
		ch      *diff.Change
		writers []Writer
		exact   bool
		by      by
		want    certainty
	}{
		{"the agent wrote it", update, []Writer{{Seq: 1, Actor: agent, Fields: []string{"name"}}}, true, by{}, yes},
		{"the agent wrote what is derived", update, []Writer{{Seq: 1, Actor: agent, Fields: []string{"seen"}}, {Seq: 2, Actor: person}}, true, by{}, no},
		{"fields are not known", update, []Writer{{Seq: 1, Actor: agent}}, true, by{}, yes},
		{"a person wrote it", update, []Writer{{Seq: 1, Actor: person}}, true, by{}, no},
		{"a person wrote it, and one is asked for", update, []Writer{{Seq: 1, Actor: person}}, true, by{kind: Person}, yes},
		{"that person", update, []Writer{{Seq: 1, Actor: person}}, true, by{handle: "@x", ids: []id{{"crm", "7"}}}, yes},
		{"another person", update, []Writer{{Seq: 1, Actor: person}}, true, by{handle: "@x", ids: []id{{"crm", "8"}}}, no},
		{"nobody is known", update, nil, false, by{}, maybe},
		{"a person alone may have", update, []Writer{{Seq: 1, Actor: person}, {Seq: 2, Actor: person}}, false, by{}, maybe},
		{"several may have", update, []Writer{{Seq: 1, Actor: agent}, {Seq: 2, Actor: person}}, false, by{}, maybe},
		{"agents alone may have", update, []Writer{{Seq: 1, Actor: agent}, {Seq: 2, Actor: agent}}, false, by{}, yes},
		{"an agent wrote what is derived, agents alone may have the rest", update, []Writer{{Seq: 2, Actor: agent, Fields: []string{"seen"}}, {Seq: 1, Actor: agent}}, false, by{}, yes},
		{"a person wrote what is derived, an agent alone may have the rest", update, []Writer{{Seq: 2, Actor: person, Fields: []string{"seen"}}, {Seq: 1, Actor: agent}}, false, by{}, yes},
		{"an agent wrote what is derived, a person may have the rest", update, []Writer{{Seq: 2, Actor: agent, Fields: []string{"seen"}}, {Seq: 1, Actor: person}}, false, by{}, maybe},
		{"anyone", update, nil, false, by{kind: anyone}, yes},
		{"an insert that the agent edited", &diff.Change{After: map[string]any{"name": "b"}}, []Writer{{Seq: 2, Actor: agent, Fields: []string{"name"}}, {Seq: 1, Actor: person}}, true, by{}, yes},
	} {
		it := &change{thing: thing{kind: k}, diff: c.ch, writers: c.writers, exact: c.exact}
		if got := it.whose(c.by); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	it := &change{thing: thing{kind: k}, diff: update, complete: true, writers: []Writer{{Seq: 1, Actor: person}, {Seq: 2, Actor: person}}}
	if got := it.whose(by{}); got != no {
		t.Errorf("several people may have, and nobody else: %d", got)
	}
	it.writers[0].Actor = agent
	if got := it.whose(by{}); got != maybe {
		t.Errorf("an agent or a person, and nobody else: %d", got)
	}
}

func TestTheScore(t *testing.T) {
	pass, fail := decided(true), decided(false)
	for _, c := range []struct {
		checks []Check
		want   string
	}{
		{[]Check{{Passed: pass, Weight: 1}, {Passed: pass, Weight: 2}}, "passed 1"},
		{[]Check{{Passed: pass, Weight: 1}, {Passed: fail, Weight: 3}}, "failed 0.25"},
		{[]Check{{Passed: pass, Weight: 1}, {Passed: fail, Gate: true}}, "failed 0"},
		{[]Check{{Passed: pass, Weight: 1}, {Weight: 1}}, "unknown 0.5"},
		{[]Check{{Passed: fail, Weight: 1}, {Weight: 1}}, "failed 0"},
		{[]Check{{Passed: pass, Gate: true}}, "passed 1"},
		{[]Check{{Gate: true}}, "unknown 0"},
	} {
		v := &Verdict{Checks: c.checks}
		v.decide()
		if got := fmt.Sprint(v.Verdict, " ", v.Score); got != c.want {
			t.Errorf("%+v returns %s, want %s", c.checks, got, c.want)
		}
	}
}

// An unknown member is named with its line, as other mistakes are.
func TestUnknownMembersHaveTheirLine(t *testing.T) {
	n, err := seeddoc.ParseJSON([]byte("{\"expect\": [\n  {\"inserted\": \"crm.contact\",\n   \"whre\": {}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(n, words)
	e, _ := fault.As(err)
	if at, ok := e.Attrs.(strict.Located); !ok || at.Line != 3 || at.Suggestion != "where" || e.Field != "expect[0].whre" || !e.Is(strict.Unknown) {
		t.Errorf("%v %+v", err, e)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"expect": [{"inserted": "crm.contact", "where": {"name": {"contains": "$a.b"}}, "as": "x", "count": {"at_least": 1}}], "nothing_else": {"except": []}}`)
	f.Add(`{"trajectory": [{"before": [{"operation": "*"}, {"by": {"app": "A"}}]}], "bind": {"a": {"b": 1}}, "answer": "x"}`)
	f.Add(`{"expect": [{"updated": "crm.contact", "change": {"name": {"from": null, "to": "$x.name"}}, "only": true}], "settle": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := seeddoc.ParseJSON([]byte(text))
		if err != nil {
			return
		}
		d, err := Read(n, words)
		if err != nil {
			if e, ok := fault.As(err); !ok || !e.Is(Invalid) && !e.Is(strict.Unknown) {
				t.Errorf("%q returns %v", text, err)
			}
			return
		}
		c := &course{&scope{ctx: context.Background(), captures: map[string]*captured{}, bound: d.bind, env: match.Env{}, names: &lookup{vocabulary: words, found: map[[2]string]named{}}}, recorded(), true}
		for _, r := range d.trajectory {
			if _, err := c.rule(r); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
