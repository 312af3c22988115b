package understudytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"understudy/understudytest"
)

type object = map[string]any

// step is a step of the table that all helpers run; clients/cases.json says what it means.
type step struct {
	Person  string
	Act     string
	Call    string
	Path    string
	Body    object
	Options object
	Settle  object
	Expect  any
	More    object

	NothingElse any `json:"nothing_else"`
	Verdict     any
	Fault       any
	Faults      bool
	Advance     string
	Env         bool
	Credentials bool
	Trace       string

	As      string
	Gives   object
	Fails   []string
	Refused string
}

// The table that all helpers run.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("../clients/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Cases []struct {
			Name    string
			Fork    object
			Refused string
			Steps   []json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r, kept := &recorder{}, object{}
			defer r.end()
			var w *understudytest.World
			r.run(func() { w = understudytest.New(r, optionsOf(c.Fork)...) })
			if c.Refused != "" {
				refused(t, r, c.Refused)
				return
			}
			for _, raw := range c.Steps {
				if r.Failed() {
					t.Fatal(r.text())
				}
				var s step
				filled, _ := json.Marshal(fill(decode(t, raw), kept))
				d := json.NewDecoder(bytes.NewReader(filled))
				d.DisallowUnknownFields()
				if err := d.Decode(&s); err != nil {
					t.Fatal(err)
				}
				var reply any
				r.run(func() { reply = s.run(w) })
				s.check(t, r, reply, kept, raw)
			}
			if r.Failed() {
				t.Error(r.text())
			}
		})
	}
}

func optionsOf(fork object) (out []understudytest.Option) {
	for name, value := range fork {
		switch name {
		case "fixture":
			out = append(out, understudytest.Fixture(value.(string)))
		case "document":
			out = append(out, understudytest.Document(value.(string)))
		case "seed":
			out = append(out, understudytest.Seed(int64(value.(float64))))
		case "clock":
			out = append(out, understudytest.Clock(value.(string)))
		case "faults":
			out = append(out, understudytest.Faults(value.([]any)...))
		case "rate_limits":
			out = append(out, understudytest.RateLimits(value.(string)))
		default:
			out = append(out, understudytest.With(name, value))
		}
	}
	return out
}

// run does a step by the helper's own method.
func (s step) run(w *understudytest.World) any {
	switch {
	case s.Person != "":
		return s.act(w.Person(s.Person))
	case s.Call != "":
		return s.request(w)
	case s.Settle != nil:
		return w.Settle()
	case s.Expect != nil:
		if s.More == nil {
			if text, ok := s.Expect.(string); ok {
				return w.ExpectDocument(text)
			}
			return w.Expect(expectations(s.Expect)...)
		}
		s.More["expect"] = expectations(s.Expect)
		return w.ExpectDocument(s.More)
	case s.NothingElse != nil:
		options, _ := s.NothingElse.(object)
		return w.NothingElse(expectations(options["except"])...)
	case s.Verdict != nil:
		return w.Verdict(s.Verdict)
	case s.Fault != nil:
		rules, several := s.Fault.([]any)
		if several {
			return object{"faults": w.Fault(rules...)}
		}
		return w.Fault(s.Fault)[0]
	case s.Faults:
		return w.Faults()
	case s.Advance != "":
		return object{"clock": w.Advance(s.Advance)}
	case s.Env:
		out := object{}
		for _, line := range w.Env() {
			name, value, _ := strings.Cut(line, "=")
			out[name] = value
		}
		return out
	case s.Credentials:
		return w.Credentials
	}
	return w.Trace(s.Trace)
}

// act does an act by its own method.
func (s step) act(p *understudytest.Person) any {
	b := s.Body
	str := func(name string) string { text, _ := b[name].(string); return text }
	at := func(name string) (m understudytest.Message) {
		text, _ := json.Marshal(b[name])
		_ = json.Unmarshal(text, &m)
		return m
	}
	switch s.Act {
	case "say":
		if b["thread"] != nil {
			return p.Reply(at("thread"), str("text"))
		}
		return p.Say(str("channel"), str("text"))
	case "edit":
		return p.Edit(at("message"), str("text"))
	case "delete":
		return p.Delete(at("message"))
	case "react":
		if b["remove"] == true {
			return p.Unreact(at("message"), str("emoji"))
		}
		return p.React(at("message"), str("emoji"))
	case "click":
		return p.Click(at("message"), str("action_id"))
	case "choose":
		return p.Choose(at("message"), str("action_id"), b["values"].([]any)[0].(string))
	case "shortcut":
		return p.Shortcut(str("callback_id"), nil)
	case "run":
		return p.Run(str("command"), str("channel"))
	case "join":
		return object{"channel": p.Join(str("channel"))}
	case "leave":
		p.Leave(str("channel"))
		return nil
	case "read":
		return object{"last_read": p.Read(str("channel"), str("up_to"))}
	case "session":
		return p.Session(str("kind"))
	case "inbox":
		return p.Inbox(int(b["limit"].(float64)))
	case "wait":
		timeout, _ := s.Options["timeout_ms"].(float64)
		return p.Wait(understudytest.Wanted{Kind: str("kind"), Channel: str("channel"), From: str("from"), Thread: str("thread"), Text: b["text"], TimeoutMS: int64(timeout)})
	}
	panic("the table has an unknown act " + s.Act)
}

// request makes a request as the agent.
func (s step) request(w *understudytest.World) any {
	to := map[string][2]string{"messaging": {w.Messaging.APIURL, w.Messaging.BotToken}, "crm": {w.CRM.APIURL, w.CRM.AccessToken}}[s.Call]
	body, _ := json.Marshal(s.Body)
	r, err := http.NewRequest("POST", to[0]+s.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+to[1])
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	var out any
	_ = json.NewDecoder(reply.Body).Decode(&out)
	return out
}

// expectations reads expectations of the table, one or several.
func expectations(v any) (out []understudytest.Expectation) {
	if one, ok := v.(object); ok {
		return []understudytest.Expectation{one}
	}
	all, _ := v.([]any)
	for _, one := range all {
		out = append(out, one.(object))
	}
	return out
}

// check compares what a step did with what the table says.
func (s step) check(t *testing.T, r *recorder, reply any, kept object, raw []byte) {
	t.Helper()
	if s.Refused != "" {
		refused(t, r, s.Refused)
		return
	}
	if len(s.Fails) > 0 {
		said := r.text()
		if !r.Failed() {
			t.Errorf("it passed: %s", raw)
		}
		for _, text := range s.Fails {
			if !strings.Contains(said, text) {
				t.Errorf("%s\nlacks %q", said, text)
			}
		}
		r.forget()
		return
	}
	if r.Failed() {
		t.Fatalf("%s: %s", raw, r.text())
	}
	whole := decode(t, marshal(reply))
	if s.As != "" {
		kept[s.As] = whole
	}
	var again struct{ Gives object }
	_ = json.Unmarshal(marshal(fill(decode(t, raw), kept)), &again) // what it gives may name itself
	for path, want := range again.Gives {
		got := dig(whole, path)
		if want == nil && got == "" {
			continue // a text that is missing
		}
		if m, ok := want.(object); ok && m["contains"] != nil {
			if !strings.Contains(fmt.Sprint(got), m["contains"].(string)) {
				t.Errorf("%s is %v, not %v: %s", path, got, want, raw)
			}
		} else if ok && m["length"] != nil {
			if list, _ := got.([]any); float64(len(list)) != m["length"] {
				t.Errorf("%s is %v: %s", path, got, raw)
			}
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v, want %v: %s", path, got, want, raw)
		}
	}
}

// refused wants the test to have ended with a refusal of a code, and forgets it.
func refused(t *testing.T, r *recorder, code string) {
	t.Helper()
	if !r.Failed() || !strings.Contains(r.text(), "("+code+")") {
		t.Errorf("%q, want a refusal with %s", r.text(), code)
	}
	r.forget()
}

func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = false
	r.said.Reset()
}

func marshal(v any) []byte { b, _ := json.Marshal(v); return b }

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var reference = regexp.MustCompile(`\{(\w+)\.([\w.]+)\}`)

// fill replaces {name.member} in texts.
func fill(v any, kept object) any {
	switch v := v.(type) {
	case string:
		return reference.ReplaceAllStringFunc(v, func(all string) string {
			m := reference.FindStringSubmatch(all)
			if of, ok := kept[m[1]]; ok {
				return fmt.Sprint(dig(of, m[2]))
			}
			return all
		})
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = fill(one, kept)
		}
		return out
	case object:
		out := object{}
		for name, one := range v {
			out[name] = fill(one, kept)
		}
		return out
	}
	return v
}

// dig returns what a path leads to.
func dig(v any, path string) any {
	if path == "" {
		return v
	}
	for _, name := range strings.Split(path, ".") {
		switch at := v.(type) {
		case object:
			v = at[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(at) {
				return nil
			}
			v = at[n]
		default:
			return nil
		}
	}
	return v
}
