package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// Everything that a person does in one world happens there alone, though parent,
// fork and sibling have the same ids, names and addresses.
func TestActsStayInTheirWorld(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		server.answers(func(r appRequest) (int, string) {
			return 200, `{"response_type": "ephemeral", "text": "for your eyes"}`
		})
		parent := p.Create(map[string]any{"id": "parent", "fixture": "demo", "seed": 7})
		p.Seed(parent.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)
		all := []actors{{parent}}
		for _, id := range []string{"one", "two"} {
			all = append(all, actors{p.World(p.Call("POST", "/parent/fork", object{"id": "fork-" + id}, 201))})
		}
		state := func(w actors) string {
			inbox := func(user string) any {
				return p.Call("GET", "/"+w.ID+"/people/messaging/"+user+"/inbox", nil, 200)["items"]
			}
			requests := p.Call("GET", "/"+w.ID+"/requests", nil, 200)["requests"].([]any)
			return fmt.Sprint(p.Call("GET", "/"+w.ID+"/diff", nil, 200), len(requests), inbox("jon.abel"), inbox("lena.park"))
		}
		for i, w := range all {
			var others []actors
			var before []string
			for n, other := range all {
				if n != i {
					others, before = append(others, other), append(before, state(other))
				}
			}
			said := w.act(200, "jon.abel", "say", object{"channel": "#general", "text": "hello @lena.park"})
			message := object{"channel": said["channel"], "ts": said["ts"]}
			for _, row := range []struct {
				user, act string
				body      object
			}{
				{"lena.park", "react", object{"message": message, "emoji": "eyes"}},
				{"lena.park", "say", object{"thread": message, "text": "me"}},
				{"jon.abel", "edit", object{"message": message, "text": "hello again"}},
				{"jon.abel", "say", object{"channel": "@lena.park", "text": "psst"}},
				{"lena.park", "join", object{"channel": "#launch"}},
				{"lena.park", "click", object{"message": object{"channel": "#launch", "text": "Approve?"}, "action_id": "yes"}},
				{"lena.park", "run", object{"command": "/approve 42", "channel": "#general"}},
				{"lena.park", "wait", object{"for": object{"kind": "response"}, "timeout_ms": 5000}},
				{"lena.park", "read", object{"channel": "#general"}},
				{"lena.park", "leave", object{"channel": "#launch"}},
				{"jon.abel", "delete", object{"message": message}},
			} {
				w.act(200, row.user, row.act, row.body)
			}
			p.Call("POST", "/"+w.ID+"/settle", object{}, 200)
			// An answer that an app sends later, too.
			run := server.sent(t, "/commands", i+1)[i]
			answered, err := p.Server.Client.Post(run.form.Get("response_url"), "application/json", strings.NewReader(`{"text": "later"}`))
			if err != nil {
				t.Fatal(err)
			}
			if answered.Body.Close(); answered.StatusCode != http.StatusOK {
				t.Errorf("%s: the answer of the app meets %d", w.ID, answered.StatusCode)
			}
			if got := apptest.Get(p.Call("GET", "/"+w.ID+"/people/messaging/lena.park/inbox", nil, 200), "items", 0, "text"); got != "later" {
				t.Errorf("%s: the newest item says %v", w.ID, got)
			}
			for n, other := range others {
				if now := state(other); now != before[n] {
					t.Errorf("what happened in %s changed %s:\n%s\nbefore:\n%s", w.ID, other.ID, now, before[n])
				}
			}
		}
	})
}

// Where the clock stands still, an answer for one person's eyes has a ts of its own:
// each of two messages with buttons is found by it, whichever came first.
func TestAnswersForOnePersonHaveTheirOwnTS(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		buttons := func(action string) []any {
			return []any{object{"type": "actions", "elements": []any{object{"type": "button", "action_id": action, "text": object{"type": "plain_text", "text": action}}}}}
		}
		server.answers(func(r appRequest) (int, string) {
			text, _ := json.Marshal(object{"response_type": "ephemeral", "text": "for your eyes", "blocks": buttons("alone")})
			return 200, string(text)
		})
		e := p.Create(map[string]any{"fixture": "demo", "clock": "2026-03-02T09:00:00Z"})
		made := p.Seed(e.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)["made"]
		w := actors{e}
		w.act(200, "lena.park", "join", object{"channel": "#launch"})
		if got := w.act(404, "lena.park", "dance", object{}); code(got) != "not_found" || !strings.Contains(fmt.Sprint(got), "click, choose") {
			t.Errorf("an act that does not exist: %v", got)
		}
		w.act(200, "lena.park", "run", object{"command": "/approve 42", "channel": "#launch"})
		alone := apptest.Get(w.act(200, "lena.park", "wait", object{"for": object{"kind": "response"}}), "item", "ts")
		token := apptest.Get(made, "messaging", "apps", "approvals", "bot_token").(string)
		posted := w.Do("messaging", "POST", "/api/chat.postMessage", token, object{"channel": "launch", "text": "for all", "blocks": buttons("all")}, 200)["ts"]
		for action, ts := range map[string]any{"alone": alone, "all": posted} {
			got := w.act(200, "lena.park", "click", object{"message": object{"channel": "#launch", "ts": ts}, "action_id": action})
			if apptest.Get(got, "action", "action_id") != action {
				t.Errorf("%s: %v", action, got)
			}
		}
	})
}

// Whatever a request to act holds, it is refused in the plane's own form.
func TestHostileActs(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		e := p.Create(map[string]any{"fixture": "demo"})
		p.Seed(e.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)
		w := actors{e}
		w.act(200, "jon.abel", "join", object{"channel": "#launch"})
		said := w.act(200, "jon.abel", "say", object{"channel": "#launch", "text": "Which?", "blocks": []any{
			object{"type": "actions", "block_id": "b", "elements": []any{
				object{"type": "multi_static_select", "action_id": "many", "max_selected_items": 2, "placeholder": object{"type": "plain_text", "text": "p"}, "options": []any{
					object{"text": object{"type": "plain_text", "text": "A"}, "value": "a"}, object{"text": object{"type": "plain_text", "text": "B"}, "value": "b"},
					object{"text": object{"type": "plain_text", "text": "C"}, "value": "c"}}},
				object{"type": "datepicker", "action_id": "day"}, object{"type": "users_select", "action_id": "who", "placeholder": object{"type": "plain_text", "text": "p"}}}}}})
		message := object{"channel": said["channel"], "ts": said["ts"]}
		ask := object{"channel": "#launch", "text": "Approve?"}
		long := strings.Repeat("x", 200_000)
		deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
		bodies := []any{nil, []any{}, "text", 7, object{}, object{"message": nil}, object{"message": object{}}, object{"message": []any{message}},
			object{"message": object{"channel": long, "ts": "1.000001"}}, object{"message": object{"channel": "#launch", "ts": long}},
			object{"message": object{"channel": "C00000000/../../x?y#z", "ts": "1.000001"}}, object{"message": object{"channel": "#launch%2f..", "ts": "%00"}},
			object{"message": object{"channel": "#launch", "ts": "-1.000000"}}, object{"message": object{"channel": "#launch", "ts": "99999999999999999999.000001"}},
			object{"message": object{"channel": "#launch", "text": object{"matches": "(a*)*$"}}}, object{"message": object{"channel": "#launch", "text": object{"matches": "("}}},
			object{"message": object{"channel": "#launch", "text": object{"contains": long}}}, object{"message": object{"channel": "#launch", "text": []any{}}},
			object{"message": object{"channel": "#launch", "from": long}}, object{"message": ask, "action_id": long}, object{"message": ask, "action_id": "yes", "block_id": long},
			object{"message": ask, "action_id": "\x00"}, object{"message": ask, "action_id": "yes", "values": "x"},
			object{"channel": long, "text": "x"}, object{"channel": "#launch", "text": long}, object{"channel": "#launch", "text": "\x00\x1b[2J"},
			object{"channel": "#launch", "blocks": deep}, object{"channel": "#launch", "blocks": object{}}, object{"channel": "#launch", "blocks": []any{nil, 7, object{"type": long}}},
			object{"thread": message, "text": ""}, object{"command": long, "channel": "#launch"}, object{"command": "/", "channel": "#launch"}, object{"command": " ", "channel": "#launch"},
			object{"callback_id": long}, object{"callback_id": "x", "app": long}, object{"callback_id": "x", "message": ask, "app": "approvals"}, object{"message": message, "emoji": long},
			object{"message": message, "emoji": ":../:"}, object{"for": object{"thread": long}, "timeout_ms": 0}, object{"after": "9223372036854775808"}, object{"after": "-1.-1"},
			object{"timeout_ms": -1}, object{"timeout_ms": 1e300}, object{"channel": "#launch", "up_to": long}, object{"channel": "#launch", "up_to": "99999999999.999999"}}
		for _, values := range []any{nil, []any{}, object{}, []any{nil}, []any{[]any{"a"}}, []any{object{"value": "a"}}, []any{"a", "a"}, []any{"a", "b", "c"}, deep, long, 1e300, true} {
			for _, action := range []string{"many", "day", "who"} {
				bodies = append(bodies, object{"message": message, "action_id": action, "values": values})
			}
		}
		for _, act := range []string{"say", "edit", "delete", "react", "click", "choose", "shortcut", "run", "join", "leave", "read", "wait"} {
			for _, body := range bodies {
				if act == "wait" { // without a limit of its own it would wait for ten seconds
					if o, ok := body.(object); !ok || o["for"] == nil && o["after"] == nil && o["timeout_ms"] == nil {
						continue
					}
				}
				if act == "delete" {
					if o, ok := body.(object); ok && fmt.Sprint(o["message"]) == fmt.Sprint(message) {
						continue
					}
				}
				status, reply := p.Server.Call("POST", "/admin/v1/environments/"+e.ID+"/people/messaging/jon.abel/"+act, p.Key, body)
				if status >= 500 && code(reply) != "app_failed" || status >= 400 && code(reply) == nil {
					t.Errorf("%s %.200v: %d %.300v", act, body, status, reply)
				}
			}
		}
		// What nobody could choose in a client cannot be chosen here.
		for action, values := range map[string]any{"many": []any{"a", "b", "c"}, "day": "2026-02-30", "who": "U00000000XX"} {
			if got := w.act(422, "jon.abel", "choose", object{"message": message, "action_id": action, "values": values}); code(got) != "no_such_option" {
				t.Errorf("%s: %v", action, got)
			}
		}
		if got := w.act(422, "jon.abel", "choose", object{"message": message, "action_id": "many", "values": []any{"a", "a"}}); code(got) != "no_such_option" {
			t.Errorf("%v", got)
		}
	})
}
