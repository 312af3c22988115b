package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// Rules on mcp.* break calls of tools: the answer is a result that the model
// reads, in the words of the service.
func TestFaultsBreakCallsOfTools(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"fixture": "demo", "seed": 7, "rate_limits": "off"}, 201))
		faults := "/" + w.ID + "/faults"
		only := func(rule object) {
			t.Helper()
			p.Call("DELETE", faults, nil, 204)
			p.Call("POST", faults, rule, 201)
		}
		tool := func(service, token, name string, arguments object) (string, error) {
			t.Helper()
			body, _ := json.Marshal(object{"jsonrpc": "2.0", "id": "call-1", "method": "tools/call", "params": object{"name": name, "arguments": arguments}})
			status, _, text, err := p.raw("POST", w.Credential(service, "base_url")+"/mcp", w.Credential(service, token), "application/json", string(body))
			if err == nil && (status != 200 || !strings.Contains(text, `"id":"call-1"`)) {
				t.Errorf("%s: %d %s", name, status, text)
			}
			return text, err
		}
		post := func(text string) (string, error) {
			return tool("messaging", "bot_token", "msg_post_message", object{"channel_id": "general", "text": text})
		}
		posted := func(want string) {
			t.Helper()
			got := ""
			for _, r := range p.requests(w.ID, "?order=asc&operation=messaging.chat.postMessage") {
				if at(r, "status") == 200.0 {
					got += "x"
				}
			}
			if got != want {
				t.Errorf("posts that came to the service: %q, want %q", got, want)
			}
		}

		only(object{"id": "no-post", "on": "request", "match": object{"operation": "mcp.msg_post_message", "tool": "msg_*", "body": object{"/params/arguments/text": "one"}},
			"do": object{"error": object{"status": 429, "retry_after": 3}}})
		if text, _ := post("one"); !strings.Contains(text, `\"error\":\"ratelimited\"`) || !strings.Contains(text, `\"retry_after\":3`) || !strings.Contains(text, `"isError":true`) {
			t.Errorf("a tool under a spent limit: %s", text)
		}
		posted("")
		if r := p.requests(w.ID, "?limit=1&operation=mcp.*")[0]; at(r, "fault", "id") != "no-post" || at(r, "status") != 200.0 || at(r, "actor", "kind") != "agent" {
			t.Errorf("recorded: %v", r)
		}
		only(object{"on": "request", "match": object{"operation": "mcp.*", "by": "agent"}, "do": object{"error_after": object{"status": 503}}})
		if text, _ := post("two"); !strings.Contains(text, `service_unavailable`) {
			t.Errorf("a tool that ran and failed: %s", text)
		}
		posted("x")
		only(object{"on": "request", "match": object{"operation": "mcp.msg_*"}, "do": object{"drop": "after"}})
		if text, err := post("three"); err == nil {
			t.Errorf("a tool whose answer is lost: %s", text)
		}
		posted("xx")
		only(object{"on": "request", "match": object{"operation": "mcp.msg_*"}, "do": object{"drop": "before"}})
		if text, err := post("four"); err == nil {
			t.Errorf("a tool that was cut off: %s", text)
		}
		posted("xx")
		// A rule that names no tool is about what tools ask for, and counts it once.
		only(object{"on": "request", "match": object{"service": "messaging"}, "when": object{"nth": []int{2}}, "do": object{"error": object{"status": 200, "code": "is_archived"}}})
		if text, _ := post("five"); strings.Contains(text, "isError") {
			t.Errorf("the first request: %s", text)
		}
		if text, _ := post("six"); !strings.Contains(text, "is_archived") {
			t.Errorf("the second request: %s", text)
		}
		// The tracker's words; and codes are those of the services that have the tool.
		only(object{"on": "request", "match": object{"operation": "mcp.list_teams"}, "do": object{"error": object{"status": 429, "code": "RATELIMITED"}}})
		if text, _ := tool("tracker", "api_key", "list_teams", object{}); !strings.Contains(text, `\"error\":\"ratelimited\"`) {
			t.Errorf("a spent limit of the tracker: %s", text)
		}
		for _, operation := range []string{"mcp.msg_post_message", "mcp.*"} {
			refused := p.Call("POST", faults, object{"on": "request", "match": object{"operation": operation}, "do": object{"error": object{"status": 400, "code": "RATELIMITED"}}}, 422)
			if at(refused, "error", "code") != "unknown_code" {
				t.Errorf("%s: %v", operation, refused)
			}
		}
		// Several calls in one request are refused together.
		only(object{"on": "request", "match": object{"operation": "mcp.msg_open_dm"}, "do": object{"error": object{"status": 500}}})
		batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"msg_open_dm"}}]`
		_, _, text, _ := p.raw("POST", w.Credential("messaging", "base_url")+"/mcp", w.Credential("messaging", "bot_token"), "application/json", batch)
		if want := "internal_error"; strings.Count(text, `"jsonrpc"`) != 2 || !strings.Contains(text, want) {
			t.Errorf("a list of calls: %s", text)
		}
		if v := p.Call("POST", "/"+w.ID+"/verdict", object{"trajectory": []object{{"called": object{"operation": "mcp.msg_post_message"}, "count": 6}}}, 200); v["verdict"] != "passed" {
			t.Errorf("calls of tools: %v", fmt.Sprint(v))
		}
	})
}

// What an app answers at a response_url meets rules as the app's request, and is
// not used up where it did not run.
func TestFaultsBreakAnswersOfApps(t *testing.T) {
	p := planeOf(t, apptest.Start(t))
	var answerAt string
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { answerAt = r.PostFormValue("response_url") }))
	defer app.Close()
	w := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
	user := w.Credential("messaging", "user_token")
	w.Do("messaging", "POST", "/api/commands", user, object{"command": "/later", "url": app.URL}, 201)
	w.Do("messaging", "POST", "/api/commands/execute", user, object{"command": "/later", "text": "", "channel": "general"}, 200)
	p.Call("POST", "/"+w.ID+"/faults", object{"on": "request", "match": object{"operation": "messaging.POST /api/responses/{id}", "by": "agent", "body": object{"/text": "done"}},
		"when": object{"times": 6}, "do": object{"error": object{"status": 500}}}, 201)
	say := func() (int, string) {
		status, _, text, _ := p.raw("POST", answerAt, "", "application/json", `{"text": "done"}`)
		return status, text
	}
	for range 6 { // more than it may be used
		if status, text := say(); status != 500 || text != "rollup_error" {
			t.Errorf("%d %s", status, text)
		}
	}
	if status, text := say(); status != 200 || text != "ok" {
		t.Errorf("without a fault: %d %s", status, text)
	}
	if status, _, text, _ := p.raw("POST", answerAt+"x", "", "application/json", `{"text": "done"}`); status != 404 || text != "expired_url" {
		t.Errorf("another address: %d %s", status, text)
	}
	if r := p.requests(w.ID, "?order=asc&operation=messaging.POST%20/api/responses/*")[0]; at(r, "fault", "do") != "error 500" || at(r, "principal") != w.Credential("messaging", "app_id") {
		t.Errorf("recorded: %v", r)
	}
}
