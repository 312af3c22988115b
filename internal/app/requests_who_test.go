package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	traceparent = "00-" + traceID + "-00f067aa0ba902b7-01"
)

// A recorded request says in which order it came, what was asked, by whom, by
// which tool and in which trace.
func TestRecordedRequestsSayWhoAskedWhat(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		base, bot := w.Credential("messaging", "base_url"), w.Credential("messaging", "bot_token")
		tracker, key := w.Credential("tracker", "base_url"), w.Credential("tracker", "api_key")
		hooks := newReceiver(t)
		p.send("POST", base+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": hooks.URL + "/m"})

		p.send("POST", base+"/api/chat.postMessage", bot, object{"channel": "general", "text": "hello"}, "traceparent", traceparent)
		p.send("POST", base+"/api/chat.postMessage", "wrong", object{"channel": "general", "text": "hello"}, "traceparent", "not-one")
		p.send("POST", tracker+"/graphql", key, object{"query": `{a: viewer{id} teams{nodes{id}} b: viewer{name}}`})
		w.CRM("GET", "objects/contacts/1", nil, 404)
		p.send("POST", w.Credential("ingest", "base_url")+"/api/v1/capture-session", w.Credential("ingest", "api_key"), object{"session_id": "s1"})
		session := p.Call("POST", "/"+w.ID+"/people/messaging/"+w.Credential("messaging", "admin_user_id")+"/session", object{}, 201)
		p.send("POST", base+"/api/auth.test", session["token"].(string), object{})
		tool := object{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": object{"name": "msg_post_message",
			"arguments": object{"channel_id": "general", "text": "by a tool"}, "_meta": object{"traceparent": traceparent}}}
		called := p.send("POST", base+"/mcp", bot, tool, "Accept", "application/json, text/event-stream")

		all := p.requests(w.ID, "?order=asc&limit=200")
		find := func(operation string) (found []any) {
			t.Helper()
			for _, r := range all {
				for _, name := range at(r, "operations").([]any) {
					if name == operation {
						found = append(found, r)
						break
					}
				}
			}
			if len(found) == 0 {
				t.Fatalf("no request is %s", operation)
			}
			return found
		}
		for i, r := range all[1:] {
			if at(r, "seq").(float64) <= at(all[i], "seq").(float64) {
				t.Errorf("request %v comes after %v", at(r, "seq"), at(all[i], "seq"))
			}
		}
		posts := find("messaging.chat.postMessage")
		if len(posts) != 3 || at(posts[0], "trace_id") != traceID || at(posts[0], "span_id") != "00f067aa0ba902b7" || at(posts[0], "actor", "kind") != "agent" ||
			at(posts[0], "actor", "id") == "" || at(posts[0], "actor", "name") == "" || at(posts[0], "via") != nil || at(posts[0], "parent_seq") != nil || at(posts[0], "bodies") != "kept" {
			t.Errorf("a post: %v", posts[0])
		}
		if at(posts[1], "trace_id") != nil || at(posts[1], "actor", "id") != "" {
			t.Errorf("a refused post with a malformed trace: %v", posts[1])
		}
		outer := find("mcp.msg_post_message")[0]
		if at(posts[2], "via", "tool") != "msg_post_message" || at(posts[2], "via", "kind") != "mcp" || at(posts[2], "parent_seq") != at(outer, "seq") ||
			at(posts[2], "trace_id") != traceID || at(outer, "trace_id") != traceID || at(outer, "actor", "id") != at(posts[2], "actor", "id") {
			t.Errorf("a post by a tool: %v in %v", posts[2], outer)
		}
		if at(called.body, "result", "_meta", "request_seq") != at(outer, "seq") {
			t.Errorf("the tool's result: %v", called.body)
		}
		find("messaging.POST /api/webhooks/outgoing")
		find("crm.GET /crm/v3/objects/{objectType}/{objectId}")
		find("ingest.capture-session")
		if r := find("tracker.teams")[0]; fmt.Sprint(at(r, "operations")) != "[tracker.viewer tracker.teams tracker.viewer]" {
			t.Errorf("a document: %v", at(r, "operations"))
		}
		if people := find("messaging.auth.test"); at(people[len(people)-1], "actor", "kind") == "agent" && at(people[0], "actor", "kind") == "agent" {
			t.Errorf("a session of a person: %v", people)
		}
		for query, want := range map[string]int{"?operation=messaging.chat.postMessage": 3, "?operation=*chat.*&limit=2": 2, "?actor=person": 1, "?actor=admin": 0,
			"?trace_id=" + traceID: 3, "?operation=crm.*&status=404": 1, "?order=asc&limit=1": 1, "?after_seq=" + fmt.Sprint(at(outer, "seq")): 2} {
			if got := p.requests(w.ID, query); len(got) != want {
				t.Errorf("%s: %d requests, want %d", query, len(got), want)
			}
		}
		one := p.Call("GET", fmt.Sprint("/", w.ID, "/requests/", at(outer, "seq")), nil, 200)
		if at(one, "id") != at(outer, "id") || !strings.Contains(at(one, "request_body").(string), "by a tool") {
			t.Errorf("one request: %v", one)
		}
		p.Call("GET", "/"+w.ID+"/requests/100000", nil, 404)
		p.Call("GET", "/"+w.ID+"/requests/x", nil, 404)
		for _, query := range []string{"?actor=robot", "?order=up", "?after_seq=x"} {
			p.Call("GET", "/"+w.ID+"/requests"+query, nil, 400)
		}
		seen := map[string]bool{}
		for cursor, pages := "", 0; pages < 100; pages++ {
			reply := p.Call("GET", "/"+w.ID+"/requests?order=asc&limit=2&cursor="+cursor, nil, 200)
			for _, r := range reply["requests"].([]any) {
				seen[fmt.Sprint(at(r, "seq"))] = true
			}
			if cursor = reply["next_cursor"].(string); cursor == "" {
				break
			}
		}
		if len(seen) != len(all) {
			t.Errorf("%d requests in pages, %d at once", len(seen), len(all))
		}
		var came []string
		for began := clock.Real(); len(came) < 2 && clock.Real().Sub(began) < 5*time.Second; time.Sleep(10 * time.Millisecond) {
			came = append(came, hooks.take()...)
		}
		for _, text := range came {
			if !strings.Contains(text, "Traceparent: "+traceparent) {
				t.Errorf("a delivery does not carry the trace of its cause: %s", text)
			}
		}
		if len(came) != 2 {
			t.Errorf("%d deliveries", len(came))
		}
	})
}
