package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

type object = map[string]any

// user uses a server and notes every secret that it sends or receives.
type user struct {
	*testing.T
	s        *server.Server
	receiver *httptest.Server // replies with what it was sent
	mu       sync.Mutex
	secrets  map[string]string
	arrived  map[string]int
	people   int
}

var (
	secretName  = regexp.MustCompile(`(?i)(token|secret|password|api_?key|^code)$`)
	secretPlace = regexp.MustCompile(`/(?:webhooks/incoming|responses|invitations)/([A-Za-z0-9]{16,})`)
)

// note keeps the secrets of a reply or a request by the names of its members.
func (u *user) note(where, name string, v any) {
	switch v := v.(type) {
	case object:
		for name, v := range v {
			u.note(where, name, v)
		}
	case []any:
		for _, v := range v {
			u.note(where, name, v)
		}
	case string:
		u.mu.Lock()
		defer u.mu.Unlock()
		if secretName.MatchString(name) && len(v) >= 12 || strings.HasPrefix(v, "adm_") {
			u.secrets[v] = name + " of " + where
		}
		for _, m := range secretPlace.FindAllStringSubmatch(v, -1) {
			u.secrets[m[1]] = "the secret of an address of " + where
		}
	}
}

// call sends JSON, or a form, and returns the reply. The status must be one of 2xx.
func (u *user) call(method, path, token string, body any, headers ...string) object {
	u.Helper()
	status, out := u.try(method, path, token, body, headers...)
	if status/100 != 2 {
		u.Errorf("%s %s: %d %v", method, path, status, out)
	}
	return out
}

func (u *user) try(method, path, token string, body any, headers ...string) (int, object) {
	u.Helper()
	var send []byte
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case url.Values:
		send, kind = []byte(b.Encode()), "application/x-www-form-urlencoded"
		for name := range b {
			u.note(path, name, b.Get(name))
		}
	case []byte:
		send = b
	default:
		send, _ = json.Marshal(b)
		var plain any
		_ = json.Unmarshal(send, &plain)
		u.note(path, "", plain)
	}
	if strings.HasPrefix(path, "/") {
		path = u.s.URL + path
	}
	r, err := http.NewRequest(method, path, bytes.NewReader(send))
	if err != nil {
		u.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		u.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	var out object
	if json.Unmarshal(text, &out) == nil {
		u.note(r.URL.Path, "", out)
	}
	return reply.StatusCode, out
}

// ServeHTTP answers as receivers of events do and echoes all that it was sent.
func (u *user) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	var sent object
	if json.Unmarshal(b, &sent) == nil {
		u.note("a delivery", "", sent)
	}
	if form, err := url.ParseQuery(string(b)); err == nil {
		for name := range form {
			u.note("a request to "+r.URL.Path, name, form.Get(name))
		}
		if to := form.Get("response_url"); to != "" {
			go u.call("POST", to, "", object{"text": "later"})
		}
	}
	u.mu.Lock()
	u.arrived[r.URL.Path]++
	u.mu.Unlock()
	if sent["challenge"] != nil {
		fmt.Fprint(w, sent["challenge"])
		return
	}
	if r.URL.Path == "/failing" {
		w.WriteHeader(500)
	}
	fmt.Fprintf(w, "%s\n%s\n%q\n%v", b, url.QueryEscape(string(b)), b, r.Header)
}

// address returns an e-mail address that nobody has.
func (u *user) address() string {
	u.people++
	return fmt.Sprintf("person%d@b.example", u.people)
}

// waitFor waits until so many requests have arrived at a path of the receiver.
func (u *user) waitFor(path string, n int) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		u.mu.Lock()
		got := u.arrived[path]
		u.mu.Unlock()
		if got >= n {
			return
		}
		if time.Now().After(end) {
			u.Errorf("%d of %d requests arrived at %s", got, n, path)
			return
		}
	}
}

// credentials are those of an environment, as in credentials.json.
type credentials struct{ messaging, crm, tracker, ingest object }

func credentialsOf(all object) credentials {
	of := func(name string) object { o, _ := all[name].(object); return o }
	return credentials{of("messaging"), of("crm"), of("tracker"), of("ingest")}
}

func text(o object, name string) string { s, _ := o[name].(string); return s }

// No secret that a server has given out or accepted stands in plain text where
// it stores things: not in its files, not in a column, not in a compressed block.
func TestNoSecretIsStored(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			args, at := []string{"--rate-limits", "off"}, ""
			if database == "postgres" {
				at = server.Postgres(t)
				args = append(args, "--database", at)
			}
			s, _ := server.New(t, args...)
			u := &user{T: t, s: s, secrets: map[string]string{}, arrived: map[string]int{}}
			u.receiver = httptest.NewServer(u)
			t.Cleanup(u.receiver.Close)
			u.useAll()
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			if len(u.secrets) < 60 {
				t.Errorf("only %d secrets were used", len(u.secrets))
			}
			look := &scan{T: t, secrets: u.secrets, found: map[string]bool{}}
			look.folder(s.Dir)
			if at != "" {
				look.database(at, "", "PostgreSQL")
			}
			if look.values < 300 {
				t.Errorf("only %d values were read", look.values)
			}
			t.Logf("%d secrets, %d values", len(u.secrets), look.values)
		})
	}
}

func (u *user) useAll() {
	var all object
	b, err := os.ReadFile(filepath.Join(u.s.Dir, "credentials.json"))
	if err != nil || json.Unmarshal(b, &all) != nil {
		u.Fatal(err)
	}
	u.note("credentials.json", "", all)
	admin := text(all["admin"].(object), "key")

	u.use("", credentialsOf(all), admin)
	seeded := u.call("POST", "/admin/v1/environments", admin, object{"name": "seeded", "document": object{
		"messaging": object{"users": object{"sue": object{"email": "sue@a.example"}}},
		"tracker":   object{"webhooks": object{"h": object{"url": "http://127.0.0.1:9/", "secret": "a-secret-of-a-document"}}}}})
	u.use("/e/"+text(seeded, "id"), credentialsOf(seeded), admin)
	snapshot := u.call("POST", "/admin/v1/environments/default/snapshots", admin, object{"name": "s"})
	u.call("POST", "/admin/v1/environments/default/credentials/rotate", admin, nil)
	fork := u.call("POST", "/admin/v1/environments/default/fork", admin, object{"name": "fork"})
	u.use("/e/"+text(fork, "id"), credentialsOf(fork), admin)
	u.call("GET", "/admin/v1/environments/default/diff?from="+text(snapshot, "id"), admin, nil)
	u.call("POST", "/admin/v1/environments/default/restore", admin, object{"snapshot": snapshot["id"]})
	for _, list := range []string{"requests?limit=1000", "deliveries"} {
		u.call("GET", "/admin/v1/environments/default/"+list, admin, nil)
	}
	u.call("POST", "/admin/v1/environments/"+text(fork, "id")+"/reset", admin, object{})
	renewed := u.call("POST", "/admin/v1/key/rotate", admin, nil)
	u.call("GET", "/admin/v1/audit", text(renewed, "key"), nil)
}

// use uses all services of an environment.
func (u *user) use(base string, c credentials, admin string) {
	u.useMessaging(base+"/messaging", c.messaging)
	u.useCRM(base+"/crm", c.crm)
	u.useTracker(base+"/tracker", c.tracker)
	u.useIngest(base+"/ingest", c.ingest, admin)
}

func (u *user) useMessaging(base string, c object) {
	bot, people := text(c, "bot_token"), text(c, "user_token")
	in := u.call("POST", base+"/api/auth/login", "", object{"email": c["admin_email"], "password": c["admin_password"]})
	in = u.call("POST", base+"/api/auth/refresh", "", object{"refresh_token": in["refresh_token"]})
	jwt := text(in, "access_token")
	u.call("GET", base+"/api/auth/me", jwt, nil)
	u.try("POST", base+"/api/auth/login", "", object{"email": c["admin_email"], "password": "a wrong password, yet a secret"})
	u.try("POST", base+"/api/auth/login", "", []byte(`{"email":"x","password":"`+text(c, "admin_password")+``)) // cut short
	u.try("POST", base+"/api/auth/login", "", []byte(`{"padding":"`+strings.Repeat("x", 64<<10-50)+`","password":"`+text(c, "admin_password")+`"}`))
	u.call("POST", base+"/api/auth/signup", "", object{"email": u.address(), "password": "the-password-of-eve", "name": "Eve", "workspace_name": "Eve's"})
	app := u.call("POST", base+"/api/apps", jwt, object{"manifest": object{"display_information": object{"name": "A"},
		"settings": object{"interactivity": object{"is_enabled": true, "request_url": u.receiver.URL + "/interactive"}}}})
	u.mu.Lock()
	before := u.arrived["/events"]
	u.mu.Unlock()
	u.call("POST", base+"/api/events/subscribe", jwt, object{"url": u.receiver.URL + "/events", "event_types": []any{"message"}})
	hook := u.call("POST", base+"/api/webhooks/incoming", jwt, object{"channel": "general"})
	where := text(hook, "url")
	if inner, ok := hook["webhook"].(object); ok {
		where = text(inner, "url")
	}
	u.call("POST", where, "", object{"text": "through the hook"})
	u.call("POST", base+"/api/webhooks/outgoing", jwt, object{"url": u.receiver.URL + "/outgoing", "event_types": []any{"message"}})
	command := "/do" + strings.ReplaceAll(base, "/", "-")
	u.call("POST", base+"/api/commands", jwt, object{"command": command, "url": u.receiver.URL + "/command"})
	u.call("POST", base+"/api/commands/execute", jwt, object{"command": command, "text": "it", "channel": "general"})
	u.call("POST", base+"/api/interactions", jwt, object{"app_id": app["app_id"], "payload": object{"type": "shortcut", "callback_id": "x"}})
	u.call("POST", base+"/api/chat.postMessage", "", object{"token": bot, "channel": "general", "text": "hi"})
	u.call("POST", base+"/api/chat.postMessage", "", url.Values{"token": {bot}, "channel": {"general"}, "text": {"hi"}})
	u.call("GET", base+"/api/conversations.history?token="+url.QueryEscape(people)+"&channel=general", "", nil)
	u.waitFor("/events", before+3)
	workspace := text(c, "workspace_id")
	u.call("POST", base+"/api/workspaces/"+workspace+"/invitations", jwt, object{"email": "new@b.example"})
	provisioned := u.call("POST", base+"/api/admin/provision", jwt, object{"workspace_name": "Another"})
	u.call("POST", base+"/api/auth/password", jwt, object{"current_password": c["admin_password"], "new_password": "the-next-password-of-admin"})
	u.call("POST", base+"/api/auth/login", "", object{"email": provisioned["admin_email"], "password": provisioned["admin_password"]})
	u.call("POST", base+"/mcp", bot, object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "Accept: application/json, text/event-stream")
}

func (u *user) useCRM(base string, c object) {
	in := u.call("POST", base+"/api/auth/login", "", object{"email": c["user_email"], "password": c["user_password"]})
	jwt := text(in, "accessToken")
	key := u.call("POST", base+"/api/account-info/v3/api-keys", jwt, object{"name": "k"})
	u.call("POST", base+"/api/crm/v3/objects/contacts", text(key, "token"), object{"properties": object{"email": u.address()}})
	status, grant := u.try("GET", base+"/oauth/authorize?client_id="+text(c, "client_id")+"&redirect_uri="+url.QueryEscape("http://localhost:1/x")+"&scope=oauth%20crm.objects.contacts.read&state=s", jwt, nil, "Accept: application/json")
	if status != 200 {
		u.Errorf("authorize: %d %v", status, grant)
	}
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {text(c, "client_id")}, "client_secret": {text(c, "client_secret")},
		"redirect_uri": {"http://localhost:1/x"}, "code": {text(grant, "code")}}
	tokens := u.call("POST", base+"/api/oauth/v1/token", "", form)
	again := u.call("POST", base+"/api/oauth/v1/token", "", url.Values{"grant_type": {"refresh_token"}, "client_id": form["client_id"],
		"client_secret": form["client_secret"], "refresh_token": {text(tokens, "refresh_token")}})
	u.call("GET", base+"/api/oauth/v1/access-tokens/"+text(again, "access_token"), "", nil)
	u.try("GET", base+"/api/oauth/v1/refresh-tokens/"+text(again, "refresh_token"), "", nil)
	u.call("GET", base+"/api/crm/v3/objects/contacts", text(again, "access_token"), nil)
	u.call("POST", base+"/api/auth/password", jwt, object{"current_password": c["user_password"], "new_password": "the-next-password-of-crm"})
}

func (u *user) useTracker(base string, c object) {
	key := text(c, "api_key")
	in := u.call("POST", base+"/api/auth/login", "", object{"email": c["user_email"], "password": c["user_password"]})
	in = u.call("POST", base+"/api/auth/refresh", "", object{"refreshToken": in["refreshToken"]})
	jwt := text(in, "accessToken")
	u.call("POST", base+"/api/api-keys", jwt, object{"label": "k"})
	u.call("POST", base+"/api/auth/signup", "", object{"email": u.address(), "password": "the-password-of-tom", "name": "Tom"})
	u.call("POST", base+"/api/organization/invites", jwt, object{"email": "ian@b.example"})
	u.call("POST", base+"/api/webhooks", jwt, object{"url": u.receiver.URL + "/tracker", "secret": "a-secret-of-my-own-choice"})
	u.call("POST", base+"/api/webhooks", jwt, object{"url": u.receiver.URL + "/failing"})
	graphql := func(query string, variables object) object {
		out := u.call("POST", base+"/graphql", key, object{"query": query, "variables": variables})
		if out["errors"] != nil {
			u.Errorf("%s: %v", query, out["errors"])
		}
		return out
	}
	graphql(`mutation($u: String!, $s: String!) { webhookCreate(input: {url: $u, secret: $s, resourceTypes: ["Issue"], allPublicTeams: true}) { webhook { id mine: secret } } }`,
		object{"u": u.receiver.URL + "/tracker", "s": "another-secret-of-my-own"})
	u.note("webhookCreate", "secret", "another-secret-of-my-own")
	graphql(`mutation { webhookCreate(input: {url: "`+u.receiver.URL+`/tracker", secret: "a-secret-in-a-document", resourceTypes: ["Issue"], allPublicTeams: true}) { webhook { id } } }`, nil)
	u.note("webhookCreate", "secret", "a-secret-in-a-document")
	hooks := graphql(`{ webhooks { nodes { id secret } } }`, nil)["data"].(object)["webhooks"].(object)["nodes"].([]any)
	graphql(`mutation($id: String!) { webhookRotateSecret(id: $id) { secret } }`, object{"id": hooks[0].(object)["id"]})
	team := graphql(`mutation { teamCreate(input: {name: "T"}) { team { id } } }`, nil)["data"].(object)["teamCreate"].(object)["team"].(object)["id"]
	u.mu.Lock()
	before := u.arrived["/tracker"]
	u.mu.Unlock()
	graphql(`mutation($t: String!) { issueCreate(input: {teamId: $t, title: "An issue"}) { success } }`, object{"t": team})
	u.waitFor("/tracker", before+3)
	u.waitFor("/failing", 1)
	u.call("POST", base+"/api/auth/password", jwt, object{"current_password": c["user_password"], "new_password": "the-next-password-of-tracker"})
}

func (u *user) useIngest(base string, c object, admin string) {
	made := u.call("POST", base+"/api/v1/api-keys", admin, object{"name": "k"})
	key := text(made, "token")
	session := "00000000-0000-4000-8000-0000000000cc"
	u.call("POST", base+"/api/v1/capture-session", text(c, "api_key"), object{"session_id": session, "user_data": object{"user_id": "u"}})
	u.call("POST", base+"/api/v1/capture-event", "", object{"event_id": "00000000-0000-4000-8000-0000000000c1", "session_id": session, "primitive_name": "t", "args": "x"}, "x-api-key: "+key)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `{"events":[{"event_id":"00000000-0000-4000-8000-0000000000c2","session_id":%q,"primitive_name":"t","args":"y"}]}`, session)
	_ = z.Close()
	u.call("POST", base+"/api/v1/capture-events", "", packed.Bytes(), "x-api-key: "+key, "Content-Encoding: gzip")
	u.call("GET", base+"/api/v1/sessions/"+session, "", nil, "X-Org-Id: "+key)
}
