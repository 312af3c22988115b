package app_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
)

// agent is an agent that reports what it does to a session of its own.
type agent struct {
	world
	session string
}

func (p plane) agent(w world) agent { return agent{w, ids.Random().UUID()} }

// post posts a message and returns the reply.
func (a agent) post(text string, headers ...string) answer {
	a.T.Helper()
	return plane{a.Plane}.send("POST", a.Credential("messaging", "base_url")+"/api/chat.postMessage", a.Credential("messaging", "bot_token"),
		object{"channel": "general", "text": text}, headers...)
}

// event returns an event as it is sent.
func (a agent) event(id, parent, name string, more object) object {
	e := object{"event_id": uuid(id), "session_id": a.session, "primitive_name": name, "primitive_type": "tool", "args": "{}", "result": "", "success": true}
	if parent != "" {
		e["parent_id"] = uuid(parent)
	} else {
		e["primitive_type"] = ""
	}
	for k, v := range more {
		e[k] = v
	}
	return e
}

// uuid returns the id of an event that a test names by a letter.
func uuid(name string) string { return fmt.Sprintf("00000000-0000-4000-8000-0000000000%02x", name[0]) }

// report sends events, several as a batch.
func (a agent) report(events ...object) {
	a.T.Helper()
	path, body := "/api/v1/capture-event", any(events[0])
	if len(events) > 1 {
		path, body = "/api/v1/capture-events", object{"events": events}
	}
	if r := (plane{a.Plane}).send("POST", a.Credential("ingest", "base_url")+path, a.Credential("ingest", "api_key"), body); r.status >= 300 {
		a.T.Fatalf("reporting answers %d %v", r.status, r.body)
	}
}

// trace returns the trace of the session, and what it shows: for each event by
// name the rule and the text or operation of each request.
func (a agent) trace(session string) (reply object, by map[string][]string) {
	a.T.Helper()
	reply, by = a.Call("GET", "/"+a.ID+"/trace/"+session, nil, 200), map[string][]string{}
	var walk func(list any, path string)
	walk = func(list any, path string) {
		for _, step := range list.([]any) {
			name := path
			if e := at(step, "event"); e != nil {
				name = strings.TrimPrefix(path+"/"+fmt.Sprint(at(e, "name")), "/")
			} else {
				name = fmt.Sprint(at(step, "trace_id"))
			}
			by[name] = []string{}
			for _, r := range at(step, "requests").([]any) {
				by[name] = append(by[name], fmt.Sprint(at(r, "join"), " ", at(r, "operations").([]any)[0], " ", a.text(at(r, "seq"))))
			}
			walk(at(step, "tools"), name)
		}
	}
	walk(reply["turns"], "")
	return reply, by
}

// text returns the text that a recorded request has posted.
func (a agent) text(seq any) string {
	a.T.Helper()
	body := a.Call("GET", fmt.Sprint("/", a.ID, "/requests/", seq), nil, 200)["request_body"].(string)
	if form, err := url.ParseQuery(body); err == nil && form.Get("text") != "" { // by a tool
		return form.Get("text")
	}
	_, rest, _ := strings.Cut(body, `"text":"`)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}

func (a agent) check(by map[string][]string, event string, want ...string) {
	a.T.Helper()
	for i, w := range want {
		rule, text, _ := strings.Cut(w, " ")
		want[i] = rule + " messaging.chat.postMessage " + text
	}
	if got := by[event]; fmt.Sprint(got) != fmt.Sprint(want) {
		a.T.Errorf("%s led to %q, want %q", event, got, want)
	}
}

// frozen returns an environment whose clock stands still, with a webhook.
func (p plane) frozen() world {
	w := p.world(p.Call("POST", "", object{"rate_limits": "off", "clock": "2026-03-02T09:00:00Z", "seed": 7}, 201))
	hooks := newReceiver(p.T)
	p.send("POST", w.Credential("messaging", "base_url")+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": hooks.URL + "/hook"})
	return w
}

// An agent that works one step at a time needs no instrumentation: its requests
// since its last report belong to the event that it reports next.
func TestATraceFollowsTheOrderOfReports(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		a := p.agent(p.frozen())
		other := p.agent(a.world)
		a.post("of the other")
		other.report(other.event("z", "", "another turn", nil))

		a.post("one")
		a.report(a.event("b", "a", "search", nil))
		a.post("two")
		a.post("three")
		a.report(a.event("c", "a", "answer", object{"latency": 5}))
		a.post("four")
		a.report(a.event("a", "", "turn", object{"model": "m-1", "input_tokens": 3, "output_tokens": 4}))
		// A batch: its one step, and two steps of one turn which nothing distinguishes.
		a.post("five")
		a.report(a.event("d", "", "second turn", nil), a.event("e", "d", "step", nil))
		a.post("six")
		a.report(a.event("f", "d", "left", nil), a.event("g", "d", "right", nil))
		a.post("seven")
		a.report(a.event("h", "", "third turn", nil), a.event("i", "", "fourth turn", nil)) // of which turn?
		a.post("not reported")

		reply, by := a.trace(a.session)
		a.check(by, "turn", "order four")
		a.check(by, "turn/search", "order one")
		a.check(by, "turn/answer", "order two", "order three")
		a.check(by, "second turn", "order six")
		a.check(by, "second turn/step", "order five")
		a.check(by, "third turn")
		if fmt.Sprint(reply["joined"]) != "map[order:6 request:0 span:0 trace:0]" {
			t.Errorf("joined %v", reply["joined"])
		}
		var left []string
		for _, r := range reply["unjoined"].([]any) {
			left = append(left, a.text(at(r, "seq")))
		}
		if fmt.Sprint(left[len(left)-3:]) != "[of the other seven not reported]" {
			t.Errorf("unjoined %q", left)
		}
		turn := reply["turns"].([]any)[0]
		if e := at(turn, "event"); at(e, "event_id") != uuid("a") || at(e, "model") != "m-1" || at(e, "tokens") != 7.0 || at(e, "latency") != nil ||
			at(reply, "session", "session_id") != a.session || at(reply, "session", "user_id") != nil {
			t.Errorf("the turn: %v of %v", e, reply["session"])
		}
		named := map[any]any{} // by name: which of two begins first depends on how fast they come
		for _, tool := range at(turn, "tools").([]any) {
			named[at(tool, "event", "name")] = tool
		}
		if e := at(named["answer"], "event"); at(e, "success") != true || at(e, "latency") != 5.0 || at(e, "tokens") != nil || at(e, "type") != "tool" {
			t.Errorf("a tool: %v", e)
		}

		// What a request did: changes, events with their deliveries.
		r := at(named["search"], "requests", 0)
		changes := at(r, "changes").([]any)
		message := changes[0]
		for _, c := range changes {
			if at(c, "entity") == "message" {
				message = c
			}
		}
		if at(message, "op") != "insert" || at(message, "service") != "messaging" || !p.onPostgres() && at(message, "key") == nil {
			t.Errorf("changes: %v", changes)
		}
		if d := at(r, "events", 0, "deliveries", 0); at(r, "events", 0, "type") != "message" || at(d, "id") == "" || at(d, "status") == "" || at(r, "fault") != nil || at(r, "status") != 200.0 {
			t.Errorf("events: %v", r)
		}
		p.Call("GET", "/"+a.ID+"/trace/nobody", nil, 404)
		p.Call("GET", "/"+a.ID+"/trace/"+a.session+"?deep=1", nil, 400)
	})
}

// An event that names a request, a span or a trace is matched by that and not
// by the order of requests, whenever it is reported and whatever the
// environment's clock shows.
func TestATraceFollowsNames(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		a := p.agent(p.frozen())
		span := func(id string) string { return "00-" + traceID + "-" + id + "-01" }
		now := func() int64 { return clock.Real().UnixMilli() }

		began := now()
		time.Sleep(2 * time.Millisecond)
		named := a.post("named")
		tool := object{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": object{"name": "msg_post_message",
			"arguments": object{"channel_id": "general", "text": "by a tool"}, "_meta": object{"traceparent": span("00f067aa0ba902b7")}}}
		called := p.send("POST", a.Credential("messaging", "base_url")+"/mcp", a.Credential("messaging", "bot_token"), tool, "Accept", "application/json, text/event-stream")
		tool["params"].(object)["_meta"] = nil
		tool["params"].(object)["arguments"] = object{"channel_id": "general", "text": "by number"}
		numbered := p.send("POST", a.Credential("messaging", "base_url")+"/mcp", a.Credential("messaging", "bot_token"), tool, "Accept", "application/json, text/event-stream")
		inner := now()
		time.Sleep(2 * time.Millisecond)
		a.post("of a client span", "traceparent", span("1111111111111111"))
		innerEnd := now()
		time.Sleep(3 * time.Millisecond)
		a.post("of the turn", "traceparent", span("2222222222222222"))
		a.post("of another trace", "traceparent", "00-"+strings.Repeat("a", 32)+"-2222222222222222-01")
		if called.status != 200 || numbered.status != 200 {
			t.Fatalf("%v %v", called, numbered)
		}
		a.report(
			a.event("b", "a", "names", object{"metadata": object{"request_ids": []string{named.id, "unknown"}}}),
			a.event("c", "a", "spans", object{"metadata": object{"traceparent": span("00f067aa0ba902b7")}}),
			a.event("d", "a", "times", object{"timestamp": inner, "latency": innerEnd - inner}),
			a.event("e", "a", "number", object{"metadata": object{"request_seq": at(numbered.body, "result", "_meta", "request_seq")}}),
			a.event("a", "", "turn", object{"timestamp": began, "latency": now() - began, "metadata": object{"trace_id": traceID}}))

		reply, by := a.trace(a.session)
		a.check(by, "turn", "trace of the turn")
		a.check(by, "turn/names", "request named")
		a.check(by, "turn/spans", "span by a tool")
		a.check(by, "turn/number", "request by number")
		a.check(by, "turn/times", "trace of a client span")
		if fmt.Sprint(reply["joined"]) != "map[order:0 request:2 span:1 trace:2]" {
			t.Errorf("joined %v", reply["joined"])
		}
		for _, step := range at(reply, "turns", 0, "tools").([]any) {
			if at(step, "event", "name") == "spans" {
				if r := at(step, "requests", 0); at(r, "via", "tool") != "msg_post_message" || at(r, "parent_seq") != at(called.body, "result", "_meta", "request_seq") {
					t.Errorf("a call by a tool: %v", r)
				}
			}
		}

		_, by = a.trace("-")
		a.check(by, traceID, "trace by a tool", "trace of a client span", "trace of the turn")
		a.check(by, strings.Repeat("a", 32), "trace of another trace")
	})
}

// A trace shows which fault broke a request.
func TestATraceShowsFaults(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		a := p.agent(p.frozen())
		p.Call("POST", "/"+a.ID+"/faults", object{"id": "busy", "on": "request", "match": object{"operation": "messaging.chat.postMessage"},
			"when": object{"nth": []int{1}}, "do": object{"error": object{"status": 429, "retry_after": 2}}}, 201)
		a.post("refused")
		a.report(a.event("a", "", "turn", nil))
		reply, _ := a.trace(a.session)
		r := at(reply, "turns", 0, "requests", 1) // behind the webhook
		if at(r, "status") != 429.0 || at(r, "fault", "id") != "busy" || at(r, "fault", "committed") != false || len(at(r, "changes").([]any)) != 0 {
			t.Errorf("a refused request: %v", r)
		}
	})
}

// The cause of an event is the request that reported it, alone or among others
// that came at the same time.
func TestEventsNameTheRequestThatReportedThem(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		a := p.agent(p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201)))
		const n = 24
		done := make(chan int)
		for i := range n {
			go func() {
				id := fmt.Sprintf("00000000-0000-4000-8000-00000001%04x", i)
				e := a.event("a", "", "turn", object{"event_id": id, "args": fmt.Sprint("marked ", i)})
				if i%2 == 0 {
					a.report(e)
				} else { // the second one is there already, the third comes twice
					a.report(e, a.event("q", "", "twice", nil), e)
				}
				done <- i
			}()
		}
		for range n {
			<-done
		}
		seen := map[string]bool{}
		for _, c := range p.Call("GET", "/"+a.ID+"/diff", nil, 200)["inserts"].([]any) {
			if at(c, "entity") != "event" || at(c, "after", "primitive_name") != "turn" {
				continue
			}
			causes := at(c, "cause").([]any)
			if len(causes) != 1 || at(c, "exact") != true {
				t.Fatalf("an event is caused by %v, exactly: %v", causes, at(c, "exact"))
			}
			body := p.Call("GET", fmt.Sprint("/", a.ID, "/requests/", at(causes[0], "seq")), nil, 200)["request_body"].(string)
			if want := at(c, "after", "args").(string); !strings.Contains(body, want) {
				t.Errorf("%s came with %s", want, body)
			}
			seen[at(c, "after", "args").(string)] = true
		}
		if len(seen) != n {
			t.Errorf("%d events", len(seen))
		}
	})
}
