package console_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

func TestRulesOfFaultsAreChecked(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.Create(nil)
		faults := "/" + w.ID + "/faults"
		ok := object{"error": object{"status": 500}}
		for field, rule := range map[string]object{
			"on":                        {"on": "reply", "do": ok},
			"id":                        {"id": "No Good", "on": "request", "do": ok},
			"do":                        {"on": "request", "do": object{}},
			"do ":                       {"on": "request", "do": object{"drop": "after", "cut": 3}},
			"do  ":                      {"on": "request", "do": object{"delay": nil}},
			"do   ":                     {"on": "delivery", "do": object{"delay": nil, "duplicate": 0}},
			"do.drop":                   {"on": "request", "do": object{"drop": "later"}},
			"do.lose":                   {"on": "request", "do": object{"lose": true}},
			"do.cut":                    {"on": "delivery", "do": object{"cut": 3}},
			"do.delay":                  {"on": "request", "do": object{"delay": object{"ms": 60001}}},
			"do.delay ":                 {"on": "delivery", "do": object{"delay": object{"ms": 5}}},
			"do.delay  ":                {"on": "request", "do": object{"delay": object{"min_ms": 5}}},
			"do.error.status":           {"on": "request", "do": object{"error": object{"status": 99}}},
			"do.error.status ":          {"on": "delivery", "do": object{"error": object{"status": 500, "code": "x"}}},
			"match.service":             {"on": "request", "match": object{"service": "mail"}, "do": ok},
			"match.event":               {"on": "request", "match": object{"event": "message"}, "do": ok},
			"match.operation":           {"on": "delivery", "match": object{"operation": "x"}, "do": object{"lose": true}},
			"match.method":              {"on": "request", "match": object{"method": "FETCH"}, "do": ok},
			"match.path":                {"on": "request", "match": object{"path": "api/chat.postMessage"}, "do": ok},
			"match.by":                  {"on": "request", "match": object{"by": "robot"}, "do": ok},
			"match.body.text":           {"on": "request", "match": object{"body": object{"text": "x"}}, "do": ok},
			"match.body./text.matches":  {"on": "request", "match": object{"body": object{"/text": object{"matches": "("}}}, "do": ok},
			"match.body./text.contians": {"on": "request", "match": object{"body": object{"/text": object{"contians": "x"}}}, "do": ok},
			"when.nth":                  {"on": "request", "when": object{"nth": []int{0}}, "do": ok},
			"when.probability":          {"on": "request", "when": object{"probability": 1.5}, "do": ok},
			"when.between":              {"on": "request", "when": object{"between": []string{"2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"}}, "do": ok},
			"when.times":                {"on": "request", "when": object{"times": -1}, "do": ok},
			"when.times ":               {"on": "request", "when": object{"times": 0}, "do": ok},
			"when.every":                {"on": "request", "when": object{"every": 0}, "do": ok},
			"when.after":                {"on": "request", "when": object{"after": -1}, "do": ok},
			"when.nth ":                 {"on": "request", "when": object{"nth": []int{}}, "do": ok},
			"match.operatoin":           {"on": "request", "match": object{"operatoin": "x"}, "do": ok},
			"do.delay.mss":              {"on": "request", "do": object{"delay": object{"mss": 5}}},
		} {
			got := p.Call("POST", faults, rule, 400)
			if message := fmt.Sprint(apptest.Get(got, "error", "message")); !strings.HasPrefix(message, strings.TrimSpace(field)+":") {
				t.Errorf("%v: %v", rule, got)
			}
			if _, given := strings.CutSuffix(field, "contians"); given && (apptest.Get(got, "error", "code") != "unknown_member" || apptest.Get(got, "error", "did_you_mean") != "contains") {
				t.Errorf("an unknown member of a matcher: %v", got)
			}
		}
		got := p.Call("POST", faults, object{"on": "request", "match": object{"service": "crm"}, "do": object{"error": object{"status": 409, "code": "ratelimited"}}}, 422)
		if apptest.Get(got, "error", "code") != "unknown_code" || !strings.Contains(fmt.Sprint(got), "RATE_LIMITS") {
			t.Errorf("a code of another service: %v", got)
		}
		for operation, near := range map[string]any{"messaging.chat.postMesage": "messaging.chat.postMessage", "issueCreate": "tracker.issueCreate",
			"crm.POST /crm/v3/object/{objectType}": "crm.POST /crm/v3/objects/{objectType}", "messaging.chats.*": nil, "mail.send": nil} {
			got := p.Call("POST", faults, object{"on": "request", "match": object{"operation": operation}, "do": ok}, 422)
			if apptest.Get(got, "error", "code") != "unknown_operation" || apptest.Get(got, "error", "field") != "match.operation" || apptest.Get(got, "error", "did_you_mean") != near {
				t.Errorf("%s: %v", operation, got)
			}
		}
		for tool, near := range map[string]any{"msg_post_mesage": "msg_post_message", "chat_*": nil} {
			got := p.Call("POST", faults, object{"on": "request", "match": object{"tool": tool}, "do": ok}, 422)
			if apptest.Get(got, "error", "code") != "unknown_operation" || apptest.Get(got, "error", "field") != "match.tool" || apptest.Get(got, "error", "did_you_mean") != near {
				t.Errorf("%s: %v", tool, got)
			}
		}
		got = p.Call("POST", faults, object{"on": "request", "match": object{"service": "crm", "operation": "messaging.*"}, "do": ok}, 422)
		if apptest.Get(got, "error", "code") != "unknown_operation" || apptest.Get(got, "error", "field") != "match.operation" {
			t.Errorf("an operation of another service: %v", got)
		}
		p.Call("POST", faults, object{"on": "request", "match": object{"service": "tracker", "operation": "mcp.list_*"}, "do": ok}, 201)
		p.Call("DELETE", faults, nil, 204)
		for event, near := range map[string]any{"mesage": "message", "issue.create": "issue.created", "issues.*": nil, "message.channels": nil} {
			got := p.Call("POST", faults, object{"on": "delivery", "match": object{"event": event}, "do": object{"lose": true}}, 422)
			if apptest.Get(got, "error", "code") != "unknown_event" || apptest.Get(got, "error", "field") != "match.event" || apptest.Get(got, "error", "did_you_mean") != near {
				t.Errorf("%s: %v", event, got)
			}
		}
		p.Call("POST", faults, object{"on": "delivery", "match": object{"service": "tracker", "event": "message"}, "do": object{"lose": true}}, 422)
		p.Call("POST", faults, object{"on": "delivery", "match": object{"event": "issue.*"}, "do": object{"lose": true}}, 201)
		p.Call("DELETE", faults, nil, 204)
		several := []object{{"id": "a", "on": "request", "do": ok}, {"on": "request", "do": object{"drop": "x"}}}
		if got := p.Call("POST", faults, object{"faults": several}, 400); !strings.HasPrefix(fmt.Sprint(apptest.Get(got, "error", "message")), "faults[1].do.drop:") {
			t.Errorf("%v", got)
		}
		if list := p.Call("GET", faults, nil, 200)["faults"].([]any); len(list) != 0 {
			t.Errorf("some of several are there: %v", list)
		}
		if made := p.Call("POST", faults, object{"id": "a", "on": "request", "match": object{"path": "/none"}, "do": ok}, 201); made["enabled"] != true {
			t.Errorf("a rule does not say that it is in force: %v", made)
		}
		for _, on := range []bool{false, true} {
			if changed := p.Call("PATCH", faults+"/a", object{"enabled": on}, 200); changed["enabled"] != on || p.Call("GET", faults+"/a", nil, 200)["enabled"] != on {
				t.Errorf("switched to %v: %v", on, changed)
			}
		}
		p.Call("POST", faults, object{"id": "a", "on": "request", "do": ok}, 409)
		p.Call("GET", faults+"/b", nil, 404)
		p.Call("DELETE", faults+"/b", nil, 404)
		p.Call("PATCH", faults+"/a", object{}, 400)
		many := make([]object, 199)
		for i := range many {
			many[i] = object{"on": "request", "match": object{"path": "/none"}, "do": ok}
		}
		p.Call("POST", faults, object{"faults": many}, 201)
		p.Call("POST", faults, object{"on": "request", "do": ok}, 422)
		if list := p.Call("GET", faults+"?limit=200", nil, 200)["faults"].([]any); len(list) != 200 {
			t.Errorf("%d rules", len(list))
		}
	})
}
