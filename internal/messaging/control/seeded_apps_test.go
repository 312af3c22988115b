package control_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/app/apptest"
	"understudy/internal/messaging/webapi/callback"
)

// appServer is an app as an HTTP server: it keeps what it is sent, by path, and
// answers with what answer returns.
type appServer struct {
	*httptest.Server
	mu     sync.Mutex
	got    []appRequest
	answer func(r appRequest) (status int, body string)
}

type appRequest struct {
	path   string
	header http.Header
	body   string
	form   url.Values
}

// payload returns the JSON of an interaction or of an event.
func (r appRequest) payload(t *testing.T) (o object) {
	t.Helper()
	text := r.body
	if r.form.Get("payload") != "" {
		text = r.form.Get("payload")
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %s", text, err)
	}
	return o
}

func newAppServer(t *testing.T) *appServer {
	a := &appServer{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		got := appRequest{r.URL.Path, r.Header, string(body), form}
		a.mu.Lock()
		a.got = append(a.got, got)
		answer := a.answer
		a.mu.Unlock()
		status, text := 200, ""
		if answer != nil {
			status, text = answer(got)
		}
		if strings.HasPrefix(text, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(a.Close)
	return a
}

// answers sets what the app answers with.
func (a *appServer) answers(f func(r appRequest) (int, string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = f
}

// sent returns the requests at a path so far, after it has waited for n of them.
func (a *appServer) sent(t *testing.T, path string, n int) (out []appRequest) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		out = nil
		a.mu.Lock()
		for _, r := range a.got {
			if r.path == path {
				out = append(out, r)
			}
		}
		a.mu.Unlock()
		if len(out) >= n {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests at %s, want %d", len(out), path, n)
		}
	}
}

const approvals = `{"messaging": {
	"apps": {"approvals": {"interactivity": "URL/interactions",
		"manifest": {"display_information": {"name": "approvals"}, "features": {"shortcuts": [{"name": "Approve", "type": "message", "callback_id": "approve_it"}]}},
		"commands": [{"command": "/approve", "url": "URL/commands"}],
		"subscriptions": [{"url": "URL/events", "event_types": ["message", "app_mention"]}]}},
	"channels": {"launch": {"members": ["approvals"]}},
	"messages": [{"key": "ask", "channel": "launch", "user": "approvals", "text": "Approve?", "blocks": [{"type": "actions", "block_id": "b",
		"elements": [{"type": "button", "action_id": "yes", "value": "42", "style": "primary", "text": {"type": "plain_text", "text": "Yes"}}]}]}]}}`

func TestSeededApps(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		document := strings.ReplaceAll(approvals, "URL", server.URL)
		e := p.Create(map[string]any{"seed": 7})
		made := p.Seed(e.ID, "application/json", document, 200)["made"]
		app := apptest.Get(made, "messaging", "apps", "approvals")
		secret, _ := apptest.Get(app, "signing_secret").(string)
		if len(server.got) != 0 {
			t.Errorf("seeding sends %v", server.got)
		}

		// A command and an event reach it, signed with its secret.
		user := apptest.Get(e.Credentials, "messaging", "user_token").(string)
		if status, reply := p.Server.Call("POST", e.Base("messaging")+"/api/commands/execute", user, map[string]any{"command": "/approve", "text": "42", "channel": "general"}); status != 200 {
			t.Fatal(reply)
		}
		command := server.sent(t, "/commands", 1)[0]
		if command.form.Get("text") != "42" || command.form.Get("api_app_id") != apptest.Get(app, "app_id") || command.form.Get("token") != apptest.Get(app, "verification_token") ||
			command.header.Get("X-Slack-Signature") != callback.Sign(secret, command.header.Get("X-Slack-Request-Timestamp"), []byte(command.body)) {
			t.Errorf("%v", command)
		}
		e.Post("news")
		if got := server.sent(t, "/events", 1)[0].payload(t); apptest.Get(got, "event", "text") != "news" || apptest.Get(got, "authorizations", 0, "user_id") != apptest.Get(app, "bot_user_id") {
			t.Errorf("%v", got)
		}
		// Its bot has all scopes, is where the document has put it, and wrote the message.
		bot := apptest.Get(app, "bot_token").(string)
		launch, ts := apptest.Get(made, "messaging", "messages", "ask", "channel").(string), apptest.Get(made, "messaging", "messages", "ask", "ts")
		// A click goes to the app of the message.
		if status, reply := p.Server.Call("POST", e.Base("messaging")+"/api/interactions", user, map[string]any{"payload": map[string]any{"type": "block_actions",
			"channel": map[string]any{"id": launch}, "message": map[string]any{"ts": ts}, "actions": []any{map[string]any{"action_id": "yes"}}}}); status != 200 {
			t.Fatal(reply)
		}
		if action := apptest.Get(server.sent(t, "/interactions", 1)[0].payload(t), "actions", 0); apptest.Get(action, "value") != "42" || apptest.Get(action, "style") != "primary" {
			t.Errorf("%v", action)
		}
		if _, reply := p.Server.Call("POST", e.Base("messaging")+"/api/chat.update", bot, map[string]any{"channel": launch, "ts": ts, "text": "asked"}); reply["ok"] != true {
			t.Errorf("%v", reply)
		}

		// Its secrets stand in the credentials of the environment and of a fork.
		fork := p.Call("POST", "/"+e.ID+"/fork", nil, 201)
		shown := apptest.Get(fork, "messaging", "apps", 0)
		if apptest.Get(shown, "name") != "approvals" || apptest.Get(shown, "bot_token") != bot || apptest.Get(shown, "signing_secret") != secret {
			t.Errorf("the fork shows %v", apptest.Get(fork, "messaging", "apps"))
		}
		if _, reply := p.Server.Call("POST", p.World(fork).Base("messaging")+"/api/auth.test", bot, nil); reply["ok"] != true {
			t.Errorf("%v", reply)
		}

		// Applied again, the app is the same.
		if again := p.Seed(e.ID, "application/json", strings.ReplaceAll(document, `"ask"`, `"again"`), 200); apptest.Get(again, "made", "messaging", "apps", "approvals", "app_id") != apptest.Get(app, "app_id") {
			t.Errorf("%v", again)
		}
		// With the same seed the same ids and secrets are made.
		other := p.Create(map[string]any{"seed": 7})
		if o := apptest.Get(p.Seed(other.ID, "application/json", document, 200), "made", "messaging", "apps", "approvals"); apptest.Get(o, "bot_token") != bot || apptest.Get(o, "app_id") != apptest.Get(app, "app_id") {
			t.Errorf("%v, before it %v", o, app)
		}

		// In another workspace it belongs to that workspace's owner.
		_, second := p.Server.Call("POST", e.Base("messaging")+"/api/admin/provision", p.Key, map[string]any{"workspace_name": "Second"})
		o := apptest.Get(p.Seed(e.ID, "application/json", `{"messaging": {"apps": {"elsewhere": {"workspace": "Second", "manifest": {"oauth_config": {"scopes": {"bot": [], "user": ["chat:write"]}}}}}}}`, 200),
			"made", "messaging", "apps", "elsewhere")
		_, who := p.Server.Call("POST", e.Base("messaging")+"/api/auth.test", apptest.Get(o, "user_token").(string), nil)
		if who["team_id"] != second["workspace_id"] || who["user_id"] != second["admin_user_id"] {
			t.Errorf("%v in %v", who, second)
		}
		if _, reply := p.Server.Call("POST", e.Base("messaging")+"/api/users.list", apptest.Get(o, "bot_token").(string), nil); reply["error"] != "missing_scope" {
			t.Errorf("a bot without scopes: %v", reply)
		}

		for _, row := range []struct{ document, field string }{
			{`{"apps": {"x": {"interactivity": "ftp://x"}}}`, "messaging.apps.x.interactivity"},
			{`{"apps": {"x": {"manifest": {"display_information": 7}}}}`, "messaging.apps.x.manifest.display_information"},
			{`{"apps": {"x": {"manifest": {"oauth_config": []}}}}`, "messaging.apps.x.manifest.oauth_config"},
			{`{"apps": {"x": {"commands": [{"command": "approve", "url": "http://x"}]}}}`, "messaging.apps.x.commands[0].command"},
			{`{"apps": {"x": {"commands": [{"command": "/approve", "url": "http://x"}]}}}`, "messaging.apps.x.commands[0].command"},
			{`{"apps": {"x": {"subscriptions": [{"url": "x", "event_types": ["message"]}]}}}`, "messaging.apps.x.subscriptions[0].url"},
			{`{"apps": {"x": {"subscriptions": [{"url": "http://x", "event_types": ["mesage"]}]}}}`, "messaging.apps.x.subscriptions[0].event_types"},
			{`{"apps": {"x": {"workspace": "Third"}}}`, "messaging.apps.x.workspace"},
			{`{"apps": {"x": {"redirect": "y"}}}`, "messaging.apps.x.redirect"},
			{`{"users": {"x": {"email": "x@y.example"}}, "apps": {"x": {}}}`, "messaging.apps.x"},
		} {
			reply := p.Seed(e.ID, "application/json", `{"messaging": `+row.document+`}`, 422)
			if got := apptest.Get(reply, "error", "field"); got != row.field {
				t.Errorf("%s: %v, want %s", row.document, reply, row.field)
			}
		}
	})
}
