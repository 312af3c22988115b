package control_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// actors are the people of an environment, as a test acts as them.
type actors struct{ apptest.World }

// act does an act as someone of messaging; a wait and an inbox are acts too.
func (w actors) act(want int, user, act string, body any) map[string]any {
	w.T.Helper()
	return w.Call("POST", "/"+w.ID+"/people/messaging/"+user+"/"+act, body, want)
}

// code returns the code of a refusal.
func code(reply map[string]any) any { return apptest.Get(reply, "error", "code") }

// Example D of the evaluation guide: a command, buttons, a wait, a click, an
// edit.
func TestActsReachAnApp(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		e := p.Create(map[string]any{"fixture": "demo", "seed": 7, "clock": "2026-03-02T09:00:00Z", "rate_limits": "real"})
		made := p.Seed(e.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)["made"]
		bot := apptest.Get(made, "messaging", "apps", "approvals", "bot_token").(string)
		botUser := apptest.Get(made, "messaging", "apps", "approvals", "bot_user_id")
		call := func(method string, args map[string]any) map[string]any {
			_, reply := p.Server.Call("POST", e.Base("messaging")+"/api/"+method, bot, args)
			if reply["ok"] != true {
				t.Errorf("%s: %v", method, reply)
			}
			return reply
		}
		server.answers(func(r appRequest) (int, string) {
			switch r.path {
			case "/commands":
				call("chat.postMessage", map[string]any{"channel": r.form.Get("channel_id"), "text": "Approve " + r.form.Get("text") + "?",
					"blocks": []any{map[string]any{"type": "actions", "block_id": "b", "elements": []any{
						map[string]any{"type": "button", "action_id": "approve", "value": r.form.Get("text"), "style": "primary", "text": map[string]any{"type": "plain_text", "text": "Yes"}},
						map[string]any{"type": "static_select", "action_id": "who", "options": []any{map[string]any{"text": map[string]any{"type": "plain_text", "text": "Me"}, "value": "me"}}}}}}})
			case "/interactions":
				got := r.payload(t)
				call("chat.update", map[string]any{"channel": apptest.Get(got, "channel", "id"), "ts": apptest.Get(got, "message", "ts"),
					"text": fmt.Sprintf("approved by <@%v>", apptest.Get(got, "user", "id"))})
			}
			return 200, ""
		})
		w := actors{e}
		ran := w.act(200, "jon.abel", "run", object{"command": "/approve 42", "channel": "#general"})
		if ran["response"] != nil || len(ran["request_seq"].([]any)) != 1 {
			t.Errorf("%v", ran)
		}
		// The bot was faster than this wait.
		item := w.act(200, "jon.abel", "wait", object{"for": object{"channel": "#general", "text": object{"contains": "Approve 42?"}}})["item"]
		if apptest.Get(item, "from") != botUser || apptest.Get(item, "kind") != "message" || apptest.Get(item, "blocks", 0, "type") != "actions" || apptest.Get(item, "seq") == nil {
			t.Errorf("%v", item)
		}
		message := object{"channel": "#general", "ts": apptest.Get(item, "ts")}
		clicked := w.act(200, "lena.park", "click", object{"message": message, "action_id": "approve"})
		for member, want := range map[string]any{"action_id": "approve", "block_id": "b", "type": "button", "value": "42", "style": "primary"} {
			if got := apptest.Get(clicked, "action", member); got != want {
				t.Errorf("the action's %s is %v", member, got)
			}
		}
		sent := server.sent(t, "/interactions", 1)[0].payload(t)
		if apptest.Get(sent, "actions", 0, "value") != "42" || apptest.Get(sent, "actions", 0, "text", "text") != "Yes" || apptest.Get(sent, "user", "username") != "lena.park" ||
			apptest.Get(sent, "state", "values", "b", "who", "type") != "static_select" || apptest.Get(clicked, "app_id") != apptest.Get(sent, "api_app_id") || apptest.Get(clicked, "response") != nil {
			t.Errorf("%v", sent)
		}
		p.Call("POST", "/"+e.ID+"/settle", object{}, 200)
		if m := e.Web("conversations.replies", "channel", apptest.Get(item, "channel").(string), "ts", apptest.Get(item, "ts").(string)); !strings.HasPrefix(apptest.Get(m, "messages", 0, "text").(string), "approved by <@U") {
			t.Errorf("%v", m)
		}
		// A reader of the inbox sees the message as it reads now.
		inbox := p.Call("GET", "/"+e.ID+"/people/messaging/jon.abel/inbox", nil, 200)
		if got := apptest.Get(inbox, "items", 0, "text"); !strings.HasPrefix(got.(string), "approved by") {
			t.Errorf("%v", inbox)
		}
		if got := p.Call("GET", "/"+e.ID+"/people/messaging/jon.abel/inbox?after="+apptest.Get(inbox, "items", 0, "id").(string), nil, 200); len(got["items"].([]any)) != 0 {
			t.Errorf("%v", got)
		}
	})
}

func TestActs(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		e := p.Create(map[string]any{"fixture": "demo"})
		made := p.Seed(e.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)["made"]
		w := actors{e}
		launch := apptest.Get(made, "messaging", "channels", "launch", "id").(string)

		said := w.act(200, "jon.abel", "say", object{"channel": "#support", "text": "Who is on *call*?"})
		if said["ts"] == nil || said["thread_ts"] != nil || len(said["request_seq"].([]any)) != 1 {
			t.Errorf("%v", said)
		}
		support := said["channel"].(string)
		question := object{"channel": "#support", "from": "@jon.abel", "text": object{"contains": "on call?"}}
		reply := w.act(200, "lena.park", "say", object{"thread": question, "text": "Me"})
		if reply["channel"] != support || reply["thread_ts"] != said["ts"] {
			t.Errorf("%v", reply)
		}
		// The newest that matches may stand in a thread; a reply to a reply goes to the same thread.
		again := w.act(200, "jon.abel", "say", object{"thread": object{"channel": "#support", "text": "Me"}, "text": "Thanks"})
		if again["thread_ts"] != said["ts"] {
			t.Errorf("%v", again)
		}
		// A thread is waited for by any of its messages, or by its ts.
		for _, thread := range []any{said["ts"], question, object{"channel": "#support", "ts": again["ts"]}, object{"channel": "#support", "text": "Me"}} {
			if got := w.act(200, "lena.park", "wait", object{"for": object{"thread": thread}, "timeout_ms": 1000}); apptest.Get(got, "item", "text") != "Thanks" {
				t.Errorf("%v: %v", thread, got)
			}
		}
		if got := w.act(200, "lena.park", "react", object{"message": question, "emoji": ":eyes:"}); got["ts"] != said["ts"] {
			t.Errorf("%v", got)
		}
		w.act(200, "lena.park", "react", object{"message": question, "emoji": "eyes", "remove": true})
		if got := w.act(422, "lena.park", "react", object{"message": question, "emoji": "eyes", "remove": true}); code(got) != "no_reaction" {
			t.Errorf("%v", got)
		}
		if got := w.act(422, "lena.park", "edit", object{"message": question, "text": "x"}); code(got) != "cant_update_message" {
			t.Errorf("%v", got)
		}
		w.act(200, "jon.abel", "edit", object{"message": question, "text": "Who is *there*?"})
		if got := w.act(404, "jon.abel", "edit", object{"message": question, "text": "x"}); code(got) != "message_not_found" {
			t.Errorf("%v", got)
		}
		w.act(200, "jon.abel", "delete", object{"message": object{"channel": support, "ts": again["ts"]}})
		direct := w.act(200, "jon.abel", "say", object{"channel": "@lena.park", "text": "psst"})
		item := w.act(200, "lena.park", "wait", object{"for": object{"kind": "direct", "from": "@jon.abel"}})["item"]
		if apptest.Get(item, "ts") != direct["ts"] || apptest.Get(item, "channel") != direct["channel"] {
			t.Errorf("%v, said %v", item, direct)
		}
		if got := w.act(200, "lena.park", "read", object{"channel": "@jon.abel"}); got["last_read"] != direct["ts"] {
			t.Errorf("%v", got)
		}
		if got := w.act(200, "jon.abel", "join", object{"channel": "launch"}); got["channel"] != launch {
			t.Errorf("%v", got)
		}
		w.act(200, "jon.abel", "leave", object{"channel": "#launch"})

		// A choice at a message, a shortcut, an answer for one person's eyes.
		server.answers(func(r appRequest) (int, string) {
			if r.path == "/interactions" {
				return 200, `{"response_type": "ephemeral", "text": "noted", "blocks": [{"type": "actions", "block_id": "e", "elements": [
					{"type": "button", "action_id": "undo", "value": "1", "text": {"type": "plain_text", "text": "Undo"}},
					{"type": "static_select", "action_id": "why", "options": [{"text": {"type": "plain_text", "text": "B"}, "value": "because"}]},
					{"type": "users_select", "action_id": "who"}, {"type": "datepicker", "action_id": "day"}]}]}`
			}
			return 200, "ran it"
		})
		w.act(200, "lena.park", "join", object{"channel": "#launch"})
		ask := object{"channel": "#launch", "text": "Approve?"}
		if got := w.act(200, "lena.park", "click", object{"message": ask, "action_id": "yes"}); apptest.Get(got, "response", "text") != "noted" {
			t.Errorf("%v", got)
		}
		noted := object{"channel": "#launch", "text": "noted"}
		for _, row := range []struct {
			action string
			values any
			member string
			want   any
		}{
			{"why", "because", "selected_option", map[string]any{"text": map[string]any{"type": "plain_text", "text": "B", "emoji": true}, "value": "because"}},
			{"why", []any{"because"}, "selected_option", map[string]any{"text": map[string]any{"type": "plain_text", "text": "B", "emoji": true}, "value": "because"}},
			{"day", "2026-03-04", "selected_date", "2026-03-04"},
		} {
			got := w.act(200, "lena.park", "choose", object{"message": noted, "action_id": row.action, "values": row.values})
			if fmt.Sprint(apptest.Get(got, "action", row.member)) != fmt.Sprint(row.want) {
				t.Errorf("%v", got)
			}
		}
		if got := w.act(200, "lena.park", "choose", object{"message": noted, "action_id": "who", "values": "@jon.abel"}); !strings.HasPrefix(apptest.Get(got, "action", "selected_user").(string), "U") {
			t.Errorf("%v", got)
		}
		sent := server.sent(t, "/interactions", 5)[4].payload(t)
		if apptest.Get(sent, "container", "is_ephemeral") != true || apptest.Get(sent, "actions", 0, "selected_user") == nil {
			t.Errorf("%v", sent)
		}
		if got := w.act(404, "jon.abel", "click", object{"message": noted, "action_id": "undo"}); code(got) != "message_not_found" {
			t.Errorf("another one's message: %v", got)
		}
		for _, row := range []struct {
			act, code string
			body      object
		}{
			{"click", "no_such_element", object{"message": ask, "action_id": "yess"}},
			{"click", "no_such_element", object{"message": ask, "action_id": "yes", "block_id": "c"}},
			{"click", "no_such_option", object{"message": noted, "action_id": "why"}},
			{"choose", "no_such_option", object{"message": noted, "action_id": "why", "values": "not"}},
			{"choose", "no_such_option", object{"message": noted, "action_id": "why", "values": []string{"because", "because"}}},
			{"choose", "no_such_option", object{"message": ask, "action_id": "yes", "values": "x"}},
			{"choose", "no_such_option", object{"message": noted, "action_id": "day", "values": "tomorrow"}},
			{"shortcut", "no_such_shortcut", object{"callback_id": "x"}},
			{"shortcut", "no_such_shortcut", object{"callback_id": "approve_it"}},
			{"run", "command_not_found", object{"command": "/nothing", "channel": "general"}},
			{"say", "channel_not_found", object{"channel": "#nowhere", "text": "x"}},
			{"say", "user_not_found", object{"channel": "@nobody", "text": "x"}},
			{"say", "no_text", object{"channel": "#general"}},
			{"join", "channel_not_found", object{"channel": "#nowhere"}},
		} {
			got := w.act(422, "lena.park", row.act, row.body)
			if code(got) != row.code {
				t.Errorf("%s %v: %v", row.act, row.body, got)
			}
			if message := fmt.Sprint(apptest.Get(got, "error", "message")); row.code == "no_such_shortcut" && !strings.Contains(message, "global shortcut; there are: approve_it (message).") {
				t.Errorf("a shortcut's kind is not named: %s", message)
			}
			if row.code == "no_such_element" && fmt.Sprint(apptest.Get(got, "error", "action_ids")) != "[yes]" {
				t.Errorf("%v", got)
			}
		}
		ran := w.act(200, "lena.park", "run", object{"command": "/approve   it all ", "channel": "@jon.abel"})
		if apptest.Get(ran, "response", "text") != "ran it" || server.sent(t, "/commands", 1)[0].form.Get("text") != "it all" {
			t.Errorf("%v", ran)
		}
		if item := w.act(200, "lena.park", "wait", object{"for": object{"kind": "response"}, "timeout_ms": 1000})["item"]; apptest.Get(item, "text") != "ran it" {
			t.Errorf("%v", item)
		}
		seen := w.act(409, "lena.park", "wait", object{"for": object{"kind": "mention"}, "timeout_ms": 50})
		if code(seen) != "timed_out" || apptest.Get(seen, "error", "seen", 0, "text") != "ran it" {
			t.Errorf("%v", seen)
		}
		// What came behind an item counts, and nothing before it.
		if got := w.act(409, "lena.park", "wait", object{"for": object{"kind": "response"}, "after": apptest.Get(seen, "error", "seen", 0, "id"), "timeout_ms": 0}); len(apptest.Get(got, "error", "seen").([]any)) != 0 {
			t.Errorf("%v", got)
		}

		server.answers(func(appRequest) (int, string) { return 500, "boom" })
		failed := w.act(502, "lena.park", "click", object{"message": ask, "action_id": "yes"})
		if code(failed) != "app_failed" || apptest.Get(failed, "error", "status") != 500.0 || apptest.Get(failed, "error", "body") != "boom" {
			t.Errorf("%v", failed)
		}
		server.Close()
		failed = w.act(502, "lena.park", "run", object{"command": "/approve 1", "channel": "#general"})
		if code(failed) != "app_failed" || apptest.Get(failed, "error", "status") != nil {
			t.Errorf("%v", failed)
		}

		// Strangers and unknown names.
		for _, row := range []struct {
			user, act, code string
			body            any
			status          int
		}{
			{"nobody", "say", "person_not_found", object{"channel": "#general", "text": "x"}, 404},
			{"understudy_bot", "say", "not_a_person", object{"channel": "#general", "text": "x"}, 422},
			{"jon.abel", "say", "unknown_member", object{"chanel": "#general", "text": "x"}, 400},
			{"jon.abel", "say", "unknown_member", object{"thread": object{"channel": "#general", "tss": "1"}}, 400},
			{"jon.abel", "wait", "unknown_member", object{"for": object{"txt": "1"}}, 400},
			{"jon.abel", "wait", "unknown_member", object{"for": object{"thread": object{"channel": "#general", "tss": "1"}}}, 400},
			{"jon.abel", "wait", "invalid_value", object{"for": object{"thread": 5}}, 400},
			{"jon.abel", "wait", "invalid_value", object{"for": object{"thread": "the newest"}, "timeout_ms": 10}, 400},
			{"jon.abel", "wait", "message_not_found", object{"for": object{"thread": object{"channel": "#general", "ts": "1.1"}}}, 404},
			{"jon.abel", "wait", "unknown_member", object{"for": object{"text": object{"contians": "1"}}}, 400},
			{"jon.abel", "edit", "unknown_member", object{"message": object{"channel": "#general", "text": object{"contians": "1"}}, "text": "x"}, 400},
			{"jon.abel", "wait", "invalid_value", object{"timeout_ms": 60001}, 400},
			{"jon.abel", "wait", "invalid_value", object{"after": "x"}, 400},
			{"jon.abel", "wait", "invalid_value", object{"for": object{"kind": "x"}}, 400},
			{"jon.abel", "edit", "invalid_value", object{"text": "x"}, 400},
			{"jon.abel", "edit", "invalid_value", object{"message": object{"channel": "#general", "ts": "1.000001", "text": "x"}}, 400},
			{"jon.abel", "edit", "message_not_found", object{"message": object{"channel": "#general", "ts": "1.000001"}}, 404},
			{"jon.abel", "edit", "message_not_found", object{"message": object{"channel": "#general", "ts": "x"}}, 404},
			{"jon.abel", "edit", "message_not_found", object{"message": object{"channel": "#nowhere", "ts": "1.000001"}}, 404},
			{"jon.abel", "sing", "not_found", object{}, 404},
		} {
			if got := w.act(row.status, row.user, row.act, row.body); code(got) != row.code {
				t.Errorf("%s %s %v: %v", row.user, row.act, row.body, got)
			}
		}
	})
}

// A wait ends when what it waits for comes, not earlier and not much later.
func TestWaitingEndsWithWhatComes(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(map[string]any{"fixture": "demo"})
		w := actors{e}
		began := time.Now()
		came := make(chan map[string]any)
		go func() {
			came <- w.act(200, "lena.park", "wait", object{"for": object{"channel": "#general", "text": object{"contains": "second"}}, "timeout_ms": 8000})
		}()
		time.Sleep(300 * time.Millisecond) // on a busy machine the wait begins late
		w.act(200, "jon.abel", "say", object{"channel": "#general", "text": "first"})
		said := w.act(200, "jon.abel", "say", object{"channel": "#general", "text": "placeholder"})
		time.Sleep(50 * time.Millisecond)
		w.act(200, "jon.abel", "edit", object{"message": object{"channel": "#general", "ts": said["ts"]}, "text": "the second"})
		got := <-came
		if apptest.Get(got, "item", "ts") != said["ts"] || apptest.Get(got, "item", "text") != "the second" || time.Since(began) > 4*time.Second || apptest.Get(got, "waited_ms").(float64) < 100 {
			t.Errorf("after %v: %v", time.Since(began), got)
		}
	})
}
