package inject

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

var (
	services = []string{"messaging", "crm"}
	names    = Names{Services: services, Codes: func(string) []string { return []string{"a"} }, Operations: []string{"crm.x", "crm.y", "messaging.chat.0"}}
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// faultsOf returns faults with some rules in force.
func faultsOf(t *testing.T, rules ...string) *Faults {
	t.Helper()
	f := New([]byte("key"), func() time.Time { return noon })
	add(t, f, rules...)
	return f
}

func add(t *testing.T, f *Faults, rules ...string) {
	t.Helper()
	list := make([]Rule, len(rules))
	for i, text := range rules {
		if err := json.Unmarshal([]byte(text), &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	made, err := f.Rules(list, func(int) string { return "" }, names)
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.Text(func(string) bool { return false }, nil, made...)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Load(text, services); err != nil {
		t.Fatal(err)
	}
}

var request = Request{Service: "crm", Operations: []string{"crm.x"}, Method: "POST", Path: "/x", By: record.Caller{ID: "U1", Principal: "user U1"},
	Body: func() *match.Content { return match.ReadBody([]byte(`{"a":{"b":["c",{"d/e":5}]}}`)) }}

// Each member of when narrows the matches at which a rule fires.
func TestWhen(t *testing.T) {
	for when, want := range map[string]string{
		`{}`: "1234567", `{"nth":[1,3]}`: "13", `{"every":3}`: "36", `{"after":5}`: "67", `{"times":2}`: "12", `{"after":2,"times":2}`: "34",
		`{"every":2,"after":3}`: "46", `{"probability":0}`: "", `{"probability":1}`: "1234567",
		`{"between":["2026-01-01T12:00:00Z","2026-01-01T12:00:01Z"]}`: "1234567", `{"between":["2026-01-01T11:00:00Z","2026-01-01T12:00:00Z"]}`: "",
	} {
		f := faultsOf(t, `{"on":"request","when":`+when+`,"do":{"drop":"before"}}`)
		var fired string
		for n := 1; n <= 7; n++ {
			if f.MeetRequest(&request) != nil {
				fired += fmt.Sprint(n)
			}
		}
		if fired != want {
			t.Errorf("%s fires at %q, want %q", when, fired, want)
		}
		if s := f.List()[0]; s.Matched != 7 || s.Fired != len(want) {
			t.Errorf("%s: %d matched, %d fired", when, s.Matched, s.Fired)
		}
	}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, `{"service":"crm"}`: true, `{"service":"messaging"}`: false, `{"operation":"crm.*"}`: true, `{"operation":"crm.y"}`: false,
		`{"method":"post"}`: true, `{"method":"GET"}`: false, `{"path":"/*"}`: true, `{"path":"/y"}`: false, `{"by":"agent"}`: true, `{"by":"person"}`: false,
		`{"principal":"U1"}`: true, `{"principal":"user U1"}`: true, `{"principal":"U2"}`: false, `{"tool":"*"}`: false,
		`{"body":{"/a/b/0":"c"}}`: true, `{"body":{"/a/b/1/d~1e":{"above":4}}}`: true, `{"body":{"/a/b/2":{"present":true}}}`: false,
		`{"body":{"/a/b/0":"c","/z":"y"}}`: false, `{"body":{"":{"present":true}}}`: true, `{"body":{"/a/b/x":null}}`: true,
	} {
		f := faultsOf(t, `{"on":"request","match":`+text+`,"do":{"drop":"before"}}`)
		if got := f.MeetRequest(&request) != nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	f := faultsOf(t, `{"on":"delivery","match":{"service":"crm","event":"a*","url":"http://*"},"do":{"lose":true}}`)
	if f.OnRequests() || f.MeetDelivery(Delivery{Service: "crm", Event: "ab", URL: "http://x"}) == nil || f.MeetDelivery(Delivery{Service: "crm", Event: "b", URL: "http://x"}) != nil {
		t.Error("rules on deliveries")
	}
}

// The first rule that fires wins; a delay goes together with one other.
func TestTheFirstThatFiresWins(t *testing.T) {
	f := faultsOf(t, `{"id":"late","on":"request","when":{"nth":[2]},"do":{"drop":"before"}}`, `{"id":"slow","on":"request","do":{"delay":{"min_ms":10,"max_ms":20}}}`,
		`{"id":"a","on":"request","do":{"error":{"status":500}}}`, `{"id":"b","on":"request","do":{"error":{"status":501}}}`)
	first, second := f.MeetRequest(&request), f.MeetRequest(&request)
	if first.ID != "a" || first.Do.Error.Status != 500 || first.Delay < 10*time.Millisecond || first.Delay > 20*time.Millisecond {
		t.Errorf("%+v", first)
	}
	if second.ID != "late" || second.Do.Drop != "before" || second.Delay == 0 {
		t.Errorf("%+v", second)
	}
	var counts string
	for _, s := range f.List() {
		counts += fmt.Sprintf("%s%d%d ", s.ID, s.Matched, s.Fired)
	}
	if counts != "late21 slow22 a21 b20 " {
		t.Error(counts)
	}
}

// Rules that ask for the operation that the rule before asked for, and rules that do
// not, each see the request that is asked about.
func TestRulesMayAskForTheSameOperation(t *testing.T) {
	var rules []string
	for i, operation := range []string{"crm.y", "crm.y", "crm.x", "crm.y", "crm.*", "crm.x", "messaging.chat.*", "crm.y"} {
		rules = append(rules, fmt.Sprintf(`{"id":"r%d","on":"request","match":{"operation":%q},"when":{"times":1},"do":{"drop":"before"}}`, i, operation))
	}
	f := faultsOf(t, rules...)
	one := request
	for _, step := range []struct{ operation, want string }{{"crm.x", "r2"}, {"crm.y", "r0"}, {"crm.x", "r4"}, {"messaging.chat.0", "r6"}, {"crm.y", "r1"}, {"crm.x", "r5"}, {"crm.y", "r3"}, {"crm.x", ""}} {
		one.Operations = []string{step.operation}
		if one.Service = "crm"; step.want == "r6" {
			one.Service = "messaging"
		}
		id := ""
		if fired := f.MeetRequest(&one); fired != nil {
			id = fired.ID
		}
		if id != step.want {
			t.Errorf("%s meets %q, want %q", step.operation, id, step.want)
		}
	}
}

// Each rule draws its chances from its own stream, the same one for the same
// key.
func TestChancesRepeat(t *testing.T) {
	pattern := func(id string) (out string) {
		f := faultsOf(t, `{"id":"`+id+`","on":"request","when":{"probability":0.3},"do":{"drop":"before"}}`)
		for range 200 {
			if f.MeetRequest(&request) != nil {
				out += "x"
			} else {
				out += "."
			}
		}
		return out
	}
	first, again, other := pattern("a"), pattern("a"), pattern("b")
	if n := strings.Count(first, "x"); first != again || first == other || n < 40 || n > 80 {
		t.Errorf("%d of 200: %s", n, first)
	}
}

// A world without rules is recognized at once, and rules that do not match
// allocate nothing.
func TestRulesThatDoNotMatchAllocateNothing(t *testing.T) {
	f := faultsOf(t)
	if f.OnRequests() || f.OnDeliveries() {
		t.Fatal("there are none")
	}
	for range 20 {
		add(t, f, `{"on":"request","match":{"operation":"messaging.chat.0","by":"agent"},"do":{"drop":"before"}}`)
	}
	if n := testing.AllocsPerRun(100, func() { f.MeetRequest(&request) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRules(f *testing.F) {
	f.Add(`{"on":"request","match":{"body":{"/a":{"any_of":[1]}}},"when":{"nth":[1],"probability":0.5},"do":{"delay":{"ms":1}}}`)
	f.Add(`{"on":"delivery","match":{"event":"*"},"do":{"delay":"30s","duplicate":1}}`)
	f.Add(`{"on":"request","match":{"operation":"crm.*","body":{"/a/b/0":{"matches":"c"}}},"do":{"error":{"status":200,"code":"a"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r Rule
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		faults := New([]byte("key"), func() time.Time { return noon })
		made, err := faults.Rules([]Rule{r}, func(int) string { return "" }, names)
		if err != nil {
			if _, ok := fault.As(err); !ok {
				t.Errorf("%s: %v", text, err)
			}
			return
		}
		stored, err := faults.Text(func(string) bool { return false }, nil, made...)
		if err != nil {
			t.Fatal(err)
		}
		if err := faults.Load(stored, services); err != nil || len(faults.List()) != 1 {
			t.Errorf("%s is stored as %s: %v", text, stored, err)
		}
		faults.MeetRequest(&request)
		faults.MeetDelivery(Delivery{Service: "crm", Event: "e", URL: "u"})
	})
}
