package control_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func TestAppsAreManaged(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		to := receive(t)
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		text := manifest("Polls", []string{"chat:write", "commands"}, nil)
		text["features"] = object{"bot_user": object{"display_name": "pollbot"}, "slash_commands": []object{{"command": "/poll", "url": to.URL, "description": "Ask"}},
			"shortcuts": []object{{"name": "Make a poll", "type": "message", "callback_id": "make"}}}
		text["settings"] = object{"event_subscriptions": object{"request_url": to.URL, "bot_events": []string{"app_mention"}}}
		made := s.call("POST", "/api/apps", ann.token, object{"manifest": text}).is(201)
		app := "/api/apps/" + made.at("app_id")

		shown := s.call("GET", app, ann.token, nil).is(200)
		if shown.at("app.name") != "Polls" || shown.body["app"].(object)["managed"] != true || shown.at("app.manifest.features.bot_user.display_name") != "pollbot" ||
			strings.Contains(shown.raw, made.at("bot_token")) {
			t.Errorf("%s", shown.raw)
		}
		if r := s.call("GET", app, bob.token, nil).is(200); strings.Contains(r.raw, "manifest") || r.body["app"].(object)["managed"] != false {
			t.Errorf("a member sees the manifest of another's app: %s", r.raw)
		}
		if boot := s.call("GET", "/api/client/boot", bob.token, nil).is(200); !strings.Contains(boot.raw, `"callback_id":"make"`) {
			t.Errorf("%s", boot.raw)
		}
		for _, call := range []struct{ method, path string }{{"PUT", app}, {"DELETE", app}, {"POST", app + "/tokens"}} {
			s.call(call.method, call.path, bob.token, object{"manifest": text}).is(403, "not_authorized")
		}
		s.call("GET", "/api/apps/A0NOTHING00", ann.token, nil).is(404, "app_not_found")
		s.call("PUT", app, ann.token, object{"manifest": object{}}).is(400, "invalid_manifest")

		// A new manifest: name, scopes, commands and subscriptions follow; what was added otherwise stays.
		own := s.call("POST", "/api/commands", ann.token, object{"command": "/own", "url": to.URL, "app_id": made.at("app_id")}).is(201)
		text["display_information"] = object{"name": "Surveys"}
		text["features"] = object{"bot_user": object{"display_name": "surveybot"}, "slash_commands": []object{{"command": "/survey", "url": to.URL}}}
		text["oauth_config"] = object{"scopes": object{"bot": []string{"users:read"}}}
		text["settings"] = object{}
		if r := s.call("PUT", app, ann.token, object{"manifest": text}).is(200); r.at("app.name") != "Surveys" {
			t.Errorf("%s", r.raw)
		}
		commands := s.call("GET", "/api/commands", ann.token, nil).is(200)
		if strings.Contains(commands.raw, "/poll") || !strings.Contains(commands.raw, "/survey") || !strings.Contains(commands.raw, own.at("id")) {
			t.Errorf("%s", commands.raw)
		}
		if r := s.call("GET", "/api/events/subscriptions", ann.token, nil).is(200); len(r.list("subscriptions")) != 0 {
			t.Errorf("%s", r.raw)
		}
		bot := s.web("users.info", made.at("bot_token"), object{"user": made.at("bot_user_id")})
		if bot.at("user.real_name") != "surveybot" {
			t.Errorf("%s", bot.raw)
		}
		if r := s.call("POST", "/api/chat.postMessage", made.at("bot_token"), object{"channel": "general", "text": "x"}); r.body["error"] != "missing_scope" {
			t.Errorf("the old scopes are in force: %s", r.raw)
		}

		// New tokens: the old ones are refused.
		renewed := s.call("POST", app+"/tokens", ann.token, nil).is(200)
		if renewed.at("bot_token") == made.at("bot_token") || renewed.at("signing_secret") == made.at("signing_secret") {
			t.Errorf("%s", renewed.raw)
		}
		if _, _, ok := s.works(made.at("bot_token")); ok {
			t.Error("the old token works")
		}
		if _, _, ok := s.works(renewed.at("bot_token")); !ok {
			t.Error("the new token does not work")
		}

		s.call("DELETE", app, ann.token, nil).is(204)
		s.call("GET", app, ann.token, nil).is(404)
		if _, _, ok := s.works(renewed.at("bot_token")); ok {
			t.Error("the token of a removed app works")
		}
		if r := s.call("GET", "/api/commands", ann.token, nil).is(200); len(r.list("commands")) != 0 {
			t.Errorf("%s", r.raw)
		}
		s.call("DELETE", "/api/apps/"+s.def.App.ID, s.admin(), nil).is(409, "provisioned_app")
		// Its name and command are free again.
		s.call("POST", "/api/apps", ann.token, object{"manifest": text}).is(201)
	})
}

func TestASubscriptionIsSwitchedOnAgain(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		answers := true
		to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct{ Challenge string }
			_ = json.NewDecoder(r.Body).Decode(&in)
			if answers {
				_, _ = io.WriteString(w, in.Challenge)
			}
		}))
		defer to.Close()
		bob := s.member("bob@example.com")
		made := s.call("POST", "/api/events/subscribe", s.admin(), object{"url": to.URL, "event_types": []string{"message"}}).is(201)
		one := "/api/events/subscriptions/" + made.at("id")
		if r := s.call("PUT", one, s.admin(), object{"status": "disabled"}).is(200); r.at("status") != "disabled" {
			t.Errorf("%s", r.raw)
		}
		answers = false
		s.call("PUT", one, s.admin(), object{"status": "active"}).is(422, "url_verification_failed")
		answers = true
		if r := s.call("PUT", one, s.admin(), object{"status": "active"}).is(200); r.at("status") != "active" {
			t.Errorf("%s", r.raw)
		}
		s.call("PUT", one, s.admin(), object{"status": "asleep"}).is(400, "invalid_arguments")
		s.call("PUT", one, bob.token, object{"status": "disabled"}).is(403, "not_authorized")
		s.call("PUT", one+"X", s.admin(), object{"status": "disabled"}).is(404)
	})
}

// An ephemeral answer of an app reaches the clients of its person, and so do
// its replacement and its deletion.
func TestEphemeralAnswersReachTheCaller(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		var mu sync.Mutex
		var came []object
		s.service.ToUser = func(workspace, user, name string, payload json.RawMessage) {
			mu.Lock()
			defer mu.Unlock()
			var o object
			_ = json.Unmarshal(payload, &o)
			o["to"], o["name"] = user, name
			if name == "ephemeral_message" {
				came = append(came, o)
			}
		}
		taken := func() (out []object) {
			mu.Lock()
			defer mu.Unlock()
			out, came = came, nil
			return out
		}
		answer := `{"text":"only you"}`
		var form map[string][]string
		to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			form = r.PostForm
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}))
		defer to.Close()
		ann := s.member("ann@example.com")
		text := manifest("Whisper", []string{"chat:write", "commands"}, nil)
		text["settings"] = object{"interactivity": object{"is_enabled": true, "request_url": to.URL}}
		app := s.call("POST", "/api/apps", s.admin(), object{"manifest": text}).is(201)
		s.call("POST", "/api/commands", s.admin(), object{"command": "/w", "url": to.URL, "app_id": app.at("app_id")}).is(201)
		run := func() {
			s.call("POST", "/api/commands/execute", ann.token, object{"command": "/w", "channel": "general"}).is(200)
		}

		run()
		got := taken()
		if len(got) != 1 || got[0]["to"] != ann.user || got[0]["user"] != ann.user {
			t.Fatalf("%v", got)
		}
		m := got[0]["message"].(object)
		if m["text"] != "only you" || m["is_ephemeral"] != true || m["app_id"] != app.at("app_id") || m["ts"] == "" {
			t.Errorf("%v", m)
		}
		if r := s.web("conversations.history", s.admin(), object{"channel": channelOf(s.call("GET", "/api/client/boot", ann.token, nil), "general")["id"]}); strings.Contains(r.raw, "only you") {
			t.Error("an ephemeral message stands in the history")
		}

		// Later answers replace it, and take it away.
		url := strings.TrimPrefix(form["response_url"][0], "http://site/messaging")
		s.send("POST", url, "", `{"text":"other","replace_original":true}`)
		if got = taken(); len(got) != 1 || got[0]["replaces"] != m["ts"] || got[0]["message"].(object)["text"] != "other" {
			t.Errorf("%v", got)
		}
		last := got[0]["message"].(object)["ts"]
		s.send("POST", url, "", `{"delete_original":true}`)
		if got = taken(); len(got) != 1 || got[0]["deleted"] != last {
			t.Errorf("%v", got)
		}

		// A button of it is pressed: the app hears of it, and its answer replaces it.
		answer = `{"text":"press","blocks":[{"type":"actions","block_id":"b","elements":[{"type":"button","action_id":"go","value":"1","text":{"type":"plain_text","text":"Go"}}]}]}`
		run()
		shown := taken()[0]["message"].(object)
		answer = `{"text":"pressed","replace_original":true}`
		channel := channelOf(s.call("GET", "/api/client/boot", ann.token, nil), "general")["id"]
		s.call("POST", "/api/interactions", ann.token, object{"app_id": app.at("app_id"), "payload": object{"type": "block_actions",
			"channel": object{"id": channel}, "container": object{"type": "message", "message_ts": shown["ts"], "is_ephemeral": true},
			"actions": []object{{"type": "button", "action_id": "go", "block_id": "b"}}}}).is(200)
		if !strings.Contains(form["payload"][0], `"value":"1"`) || !strings.Contains(form["payload"][0], `"is_ephemeral":true`) || !strings.Contains(form["payload"][0], shown["ts"].(string)) {
			t.Errorf("%v", form["payload"])
		}
		if got = taken(); len(got) != 1 || got[0]["replaces"] != shown["ts"] {
			t.Errorf("%v", got)
		}

		// What it does not have is not sent; nor is it for anybody else.
		press := func(who person, ts any, action string) reply {
			form = nil
			r := s.call("POST", "/api/interactions", who.token, object{"app_id": app.at("app_id"), "payload": object{"type": "block_actions",
				"channel": object{"id": channel}, "container": object{"type": "message", "message_ts": ts, "is_ephemeral": true},
				"actions": []object{{"action_id": action}}}})
			if form != nil {
				t.Errorf("%s was sent: %v", action, form)
			}
			return r
		}
		run()
		shown = taken()[0]["message"].(object)
		press(ann, shown["ts"], "gone").is(422, "no_such_element")
		press(s.member("bob@example.com"), shown["ts"], "go").is(404, "message_not_found")
		press(ann, "1.000001", "go").is(404, "message_not_found")
	})
}

func TestThreadsOfAPerson(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		channel := channelOf(s.call("GET", "/api/client/boot", ann.token, nil).is(200), "general")["id"]
		say := func(who person, text, thread string) string {
			return s.web("chat.postMessage", who.token, object{"channel": channel, "text": text, "thread_ts": thread}).at("ts")
		}
		var parents []string
		for range 5 {
			ts := say(ann, "question", "")
			say(bob, "answer", ts)
			parents = append(parents, ts)
		}
		alone := say(bob, "his own", "")
		say(bob, "and his answer", alone)

		var got []string
		cursor := ""
		for range 5 {
			page := s.call("GET", "/api/client/threads?limit=2&cursor="+cursor, ann.token, nil).is(200)
			for _, x := range page.list("threads") {
				x := x.(object)
				got = append(got, x["message"].(object)["ts"].(string))
				if x["channel"] != channel || len(x["replies"].([]any)) != 1 || x["unread_count"] != float64(1) && x["unread_count"] != float64(0) {
					t.Errorf("%v", x)
				}
			}
			if cursor = page.at("next_cursor"); cursor == "" {
				break
			}
		}
		if len(got) != 5 || got[0] != parents[4] || got[4] != parents[0] {
			t.Errorf("%v, want %v the other way round", got, parents)
		}
		if r := s.call("GET", "/api/client/threads", bob.token, nil).is(200); len(r.list("threads")) != 6 {
			t.Errorf("%s", r.raw)
		}
		// Only the newest reply came after ann's mark: she spoke before it.
		if r := s.call("GET", "/api/client/threads?unread=true", ann.token, nil).is(200); len(r.list("threads")) != 1 {
			t.Errorf("%s", r.raw)
		}
		s.call("GET", "/api/client/threads?unred=true", ann.token, nil).is(400)
		s.call("GET", "/api/client/threads?cursor=x", ann.token, nil).is(400)
	})
}

func TestJoinableWorkspaces(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann := s.signUp("ann@example.com")
		closed := s.call("POST", "/api/workspaces", s.admin(), object{"name": "Closed", "open": false}).is(201)
		list := s.call("GET", "/api/workspaces?joinable=true", ann.token, nil).is(200)
		if len(list.list("workspaces")) != 1 || !strings.Contains(list.raw, s.def.Workspace.ID) {
			t.Errorf("%s", list.raw)
		}
		s.call("POST", "/api/workspaces/"+closed.at("workspace.id")+"/invitations", closed.at("access_token"), object{"email": "ann@example.com"}).is(201)
		if list = s.call("GET", "/api/workspaces?joinable=true", ann.token, nil).is(200); len(list.list("workspaces")) != 2 {
			t.Errorf("%s", list.raw)
		}
		s.call("POST", "/api/workspaces/"+s.def.Workspace.ID+"/join", ann.token, nil).is(200)
		if list = s.call("GET", "/api/workspaces?joinable=true", ann.token, nil).is(200); len(list.list("workspaces")) != 1 || strings.Contains(list.raw, s.def.Workspace.ID) {
			t.Errorf("%s", list.raw)
		}
	})
}
