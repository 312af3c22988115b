package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// receiver is an address that webhooks go to. It keeps what came, by path.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	came map[string][]string
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{came: map[string][]string{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// realTime is what receivers check against their own clock, and the signatures that it goes into.
var realTime = regexp.MustCompile(`"webhookTimestamp":\d+|(?m)^(X-Slack-Request-Timestamp|X-Slack-Signature|Tracker-Signature|Linear-Signature|Linear-Timestamp|Date):.*$`)

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var challenge struct{ Type, Challenge string }
	if json.Unmarshal(body, &challenge) == nil && challenge.Type == "url_verification" {
		_, _ = io.WriteString(w, challenge.Challenge)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.came[req.URL.Path] = append(r.came[req.URL.Path], headerText(req.Header)+string(body))
}

// take returns what arrived since the last call.
func (r *receiver) take() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, list := range r.came {
		for _, text := range list {
			out = append(out, path+"\n"+text)
		}
	}
	r.came = map[string][]string{}
	return out
}

func headerText(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(h[name], ", "))
	}
	return b.String()
}

// script makes calls in one environment and stores every reply.
type script struct {
	world
	hooks string
	log   []string
	own   *strings.Replacer // hides what alone may differ: the environment's own address
}

func (s *script) send(service, method, path, token string, body any, headers ...string) map[string]any {
	s.T.Helper()
	var sent io.Reader
	if body != nil {
		text, isText := body.(string)
		if !isText {
			b, err := json.Marshal(body)
			if err != nil {
				s.T.Fatal(err)
			}
			text = string(b)
		}
		sent = strings.NewReader(text)
	}
	r, err := http.NewRequest(method, s.Credential(service, "base_url")+path, sent)
	if err != nil {
		s.T.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	line := fmt.Sprintf("%s %s%s\n%d\n%s\n%s", method, service, path, resp.StatusCode, headerText(resp.Header), reply)
	s.log = append(s.log, realTime.ReplaceAllString(s.own.Replace(line), ""))
	var out map[string]any
	if bytes.HasPrefix(reply, []byte("{")) {
		_ = json.Unmarshal(reply, &out)
	}
	return out
}

type object = map[string]any

func (s *script) messaging() {
	bot, user := s.Credential("messaging", "bot_token"), s.Credential("messaging", "user_token")
	call := func(token, method string, args object) object {
		return s.send("messaging", "POST", "/api/"+method, token, args)
	}
	signup := s.send("messaging", "POST", "/api/auth/signup", "", object{"email": "bea@example.com", "password": "correct horse", "name": "Bea"})
	login := s.send("messaging", "POST", "/api/auth/login", "", object{"email": "bea@example.com", "password": "correct horse"})
	s.send("messaging", "POST", "/api/auth/login", "", object{"email": "bea@example.com", "password": "wrong"})
	s.send("messaging", "POST", "/api/auth/refresh", "", object{"refresh_token": login["refresh_token"]})
	joined := s.send("messaging", "POST", "/api/workspaces/"+s.Credential("messaging", "workspace_id")+"/join", signup["access_token"].(string), nil)
	s.send("messaging", "GET", "/api/auth/me", joined["access_token"].(string), nil)
	bea := at(joined, "user", "id").(string)
	s.send("messaging", "POST", "/api/apps", user, object{"manifest": object{"display_information": object{"name": "Helper"},
		"oauth_config": object{"scopes": object{"bot": []string{"chat:write", "nonsense"}, "user": []string{"chat:write", "also nonsense"}}},
		"settings":     object{"event_subscriptions": object{"request_url": "nowhere"}, "interactivity": object{"request_url": "nowhere"}}}})
	app := s.send("messaging", "POST", "/api/apps", user, object{"manifest": object{"display_information": object{"name": "Helper"},
		"features": object{"bot_user": object{"display_name": "helper"}}, "oauth_config": object{"scopes": object{"bot": []string{"chat:write", "channels:read", "channels:history"}}},
		"settings": object{"event_subscriptions": object{"request_url": s.hooks + "/manifest", "bot_events": []string{"message.channels"}, "user_events": []string{"reaction_added"}}}}})
	s.send("messaging", "POST", "/api/events/subscribe", bot, object{"url": s.hooks + "/events", "event_types": []string{"message", "reaction_added", "channel_created", "user_change"}})
	s.send("messaging", "POST", "/api/webhooks/outgoing", user, object{"url": s.hooks + "/outgoing", "trigger_words": []string{"deploy"}})
	hook := s.send("messaging", "POST", "/api/webhooks/incoming", user, object{"channel": "general", "name": "Robot"})
	s.send("messaging", "POST", "/api/webhooks/incoming/"+hook["id"].(string), "", object{"text": "from outside"})
	s.send("messaging", "POST", "/api/commands", user, object{"command": "/deploy", "url": s.hooks + "/command"})
	s.send("messaging", "POST", "/api/commands/execute", user, object{"command": "/deploy", "text": "now", "channel": "general"})
	for i := range 4 {
		made := call(bot, "conversations.create", object{"name": fmt.Sprint("room-", i), "is_private": i == 3})
		channel := at(made, "channel", "id").(string)
		call(bot, "conversations.invite", object{"channel": channel, "users": bea})
		call(bot, "conversations.setTopic", object{"channel": channel, "topic": "about " + fmt.Sprint(i)})
		var last string
		for j := range 8 {
			posted := call(bot, "chat.postMessage", object{"channel": channel, "text": fmt.Sprintf("message %d of *%d* <@%s>", j, i, bea), "unfurl_links": false,
				"metadata": object{"event_type": "step", "event_payload": object{"n": j}}})
			last, _ = posted["ts"].(string)
			call(bot, "chat.postMessage", object{"channel": channel, "thread_ts": last, "reply_broadcast": j == 2, "text": "deploy a reply",
				"blocks": []object{{"type": "section", "text": object{"type": "mrkdwn", "text": "a *block*"}}}})
		}
		call(user, "reactions.add", object{"channel": channel, "timestamp": last, "name": "eyes"})
		call(bot, "chat.update", object{"channel": channel, "ts": last, "text": "changed"})
		call(bot, "conversations.history", object{"channel": channel, "limit": 5})
		call(bot, "conversations.replies", object{"channel": channel, "ts": last})
		call(bot, "chat.delete", object{"channel": channel, "ts": last})
		call(bot, "conversations.members", object{"channel": channel})
		s.Advance("30s")
	}
	call(user, "users.profile.set", object{"profile": object{"status_text": "away", "title": 1, "phone": 2}})
	call(user, "users.profile.set", object{"profile": object{"status_text": "away", "status_emoji": ":palm_tree:"}})
	call(bot, "users.list", nil)
	call(user, "search.messages", object{"query": "message"})
	call(bot, "conversations.open", object{"users": bea})
	call(bot, "conversations.list", object{"types": "public_channel,private_channel,im,mpim"})
	call(bot, "chat.postMessage", object{"channel": "C0NOSUCH00", "text": "x"})
	call("xoxb-wrong", "auth.test", nil)
	s.send("messaging", "GET", "/api/apps", user, nil)
	if token, ok := app["bot_token"].(string); ok {
		call(token, "auth.test", nil)
	}
	s.tools("messaging", bot, "msg_list_channels", object{})
	s.tools("messaging", bot, "msg_post_message", object{"channel_id": "general", "text": "by a tool"})
}

// tools calls a tool of a service's tool server.
func (s *script) tools(service, token, tool string, args object) {
	accept := []string{"Accept", "application/json, text/event-stream"}
	s.send(service, "POST", "/mcp", token, object{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": object{"protocolVersion": "2025-06-18",
		"capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"}}}, accept...)
	s.send(service, "POST", "/mcp", token, object{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, accept...)
	s.send(service, "POST", "/mcp", token, object{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": object{"name": tool, "arguments": args}}, accept...)
}

func (s *script) crmCalls() {
	token := s.Credential("crm", "access_token")
	call := func(method, path string, body any) object {
		return s.send("crm", method, "/api/crm/"+path, token, body)
	}
	var contacts []string
	for i := range 10 {
		made := call("POST", "v3/objects/contacts", object{"properties": object{"email": fmt.Sprintf("c%d@example.com", i), "firstname": "C", "lastname": fmt.Sprint(i)}})
		contacts = append(contacts, made["id"].(string))
	}
	company := call("POST", "v3/objects/companies", object{"properties": object{"name": "Acme", "domain": "acme.example"}})["id"].(string)
	var inputs, updates []object
	for i := range 20 {
		inputs = append(inputs, object{"properties": object{"dealname": fmt.Sprint("deal ", i), "amount": fmt.Sprint(i * 100)}})
	}
	deals := call("POST", "v3/objects/deals/batch/create", object{"inputs": inputs})
	for _, d := range deals["results"].([]any) {
		updates = append(updates, object{"id": at(d, "id"), "properties": object{"amount": "5", "dealstage": "qualifiedtobuy"}})
	}
	call("POST", "v3/objects/deals/batch/update", object{"inputs": updates})
	call("POST", "v3/objects/contacts/batch/upsert", object{"inputs": []object{{"id": "c1@example.com", "idProperty": "email", "properties": object{"phone": "1"}},
		{"id": "new@example.com", "idProperty": "email", "properties": object{"email": "new@example.com"}}}})
	call("POST", "v3/objects/contacts", object{"properties": object{"nosuch": "1", "alsonosuch": "2", "email": "bad"}})
	call("POST", "v3/objects/contacts", object{"properties": object{"email": "c1@example.com"}})
	for _, id := range contacts[:4] {
		call("PUT", "v4/objects/contact/"+id+"/associations/default/company/"+company, nil)
	}
	call("GET", "v3/objects/contacts?limit=5&associations=companies", nil)
	call("GET", "v3/objects/contacts/"+contacts[0]+"?propertiesWithHistory=firstname", nil)
	call("POST", "v3/objects/contacts/search", object{"query": "c", "limit": 3, "sorts": []string{"lastname"}})
	call("POST", "v3/objects/contacts/merge", object{"primaryObjectId": contacts[0], "objectIdToMerge": contacts[1]})
	call("DELETE", "v3/objects/contacts/"+contacts[2], nil)
	call("POST", "v3/properties/contacts", object{"name": "rank", "label": "Rank", "type": "number", "fieldType": "number", "groupName": "contactinformation"})
	call("POST", "v3/pipelines/deals", object{"label": "Second", "displayOrder": 1, "stages": []object{{"label": "One", "displayOrder": 0, "metadata": object{"probability": "0.5"}}}})
	call("GET", "v3/pipelines/deals", nil)
	call("GET", "v3/owners", nil)
	call("GET", "v3/objects/nosuch", nil)
	call("GET", "v4/associations/nosuch/alsonosuch/labels", nil)
	s.send("crm", "GET", "/api/crm/v3/objects/contacts", "pat-na1-wrong", nil)
	login := s.send("crm", "POST", "/api/auth/login", "", object{"email": s.Credential("crm", "user_email"), "password": s.Credential("crm", "user_password")})
	s.send("crm", "POST", "/api/account-info/v3/api-keys", login["accessToken"].(string), object{"name": "second"})
	q := url.Values{"client_id": {s.Credential("crm", "client_id")}, "redirect_uri": {"http://localhost/cb"}, "scope": {"crm.objects.contacts.read"}, "state": {"x"}}
	code := s.send("crm", "GET", "/oauth/authorize?"+q.Encode(), login["accessToken"].(string), nil, "Accept", "application/json")
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": q["client_id"], "client_secret": {s.Credential("crm", "client_secret")},
		"redirect_uri": q["redirect_uri"], "code": {fmt.Sprint(code["code"])}}
	granted := s.send("crm", "POST", "/api/oauth/v1/token", "", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	s.send("crm", "GET", "/api/oauth/v1/access-tokens/"+fmt.Sprint(granted["access_token"]), "", nil)
}

func (s *script) trackerCalls() {
	key := s.Credential("tracker", "api_key")
	run := func(query string, variables object) object {
		reply := s.send("tracker", "POST", "/graphql", key, object{"query": query, "variables": variables})
		data, _ := reply["data"].(object)
		return data
	}
	create := func(kind, more string, input object) string {
		data := run(fmt.Sprintf(`mutation($i:%[2]sCreateInput!){%[1]sCreate(input:$i){success %[3]s}}`, kind, strings.ToUpper(kind[:1])+kind[1:], more), object{"i": input})
		for _, v := range data[kind+"Create"].(object) {
			if o, ok := v.(object); ok {
				return fmt.Sprint(o["id"])
			}
		}
		return ""
	}
	s.send("tracker", "POST", "/api/auth/signup", "", object{"email": "cy@example.com", "password": "correct horse", "name": "Cy"})
	s.send("tracker", "POST", "/api/auth/login", "", object{"email": s.Credential("tracker", "user_email"), "password": s.Credential("tracker", "user_password")})
	s.send("tracker", "POST", "/api/api-keys", key, object{"label": "second", "name": "second"})
	s.send("tracker", "POST", "/api/webhooks", key, object{"url": s.hooks + "/tracker", "label": "all"})
	team := create("team", "team{id key states{nodes{id name}}}", object{"name": "Core", "key": "COR"})
	label := create("issueLabel", "issueLabel{id createdAt}", object{"name": "bug", "teamId": team})
	project := create("project", "project{id slugId url}", object{"name": "Launch", "teamIds": []string{team}})
	cycle := create("cycle", "cycle{id number}", object{"teamId": team, "startsAt": "2026-02-02T00:00:00Z", "endsAt": "2026-02-09T00:00:00Z"})
	var issues []string
	for i := range 15 {
		issues = append(issues, create("issue", "lastSyncId issue{id identifier url createdAt branchName sortOrder}", object{"teamId": team, "title": fmt.Sprint("issue ", i),
			"description": "*text*", "labelIds": []string{label}, "projectId": project, "cycleId": cycle, "priority": i % 5}))
	}
	for i, id := range issues {
		run(`mutation($id:String!,$i:IssueUpdateInput!){issueUpdate(id:$id,input:$i){issue{updatedAt priority title}}}`, object{"id": id, "i": object{"priority": 1, "title": fmt.Sprint("changed ", i)}})
		create("comment", "comment{id createdAt}", object{"issueId": id, "body": "a comment"})
	}
	run(`mutation($id:String!){issueUpdate(id:$id,input:{addedLabelIds:["bad"],removedLabelIds:["worse"]}){success}}`, object{"id": issues[0]})
	run(`mutation($id:String!){issueDelete(id:$id){success}}`, object{"id": issues[1]})
	run(`{issues(first:5,orderBy:updatedAt){nodes{id title state{name} labels{nodes{name}}} pageInfo{endCursor hasNextPage}}}`, nil)
	run(`{searchIssues(term:"changed"){nodes{id}} teams{nodes{id key}} users{nodes{id email}} viewer{id}}`, nil)
	run(`{nosuch}`, nil)
	run(`{issue(id:"nosuch"){id}}`, nil)
	s.tools("tracker", key, "list_issues", object{"limit": 3})
	s.send("tracker", "POST", "/graphql", "trk_api_wrong", object{"query": "{viewer{id}}"})
}

func (s *script) ingestCalls() {
	key, org := s.Credential("ingest", "api_key"), s.Credential("ingest", "organization_id")
	uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	for i := range 5 {
		s.send("ingest", "POST", "/api/v1/capture-session", "", object{"org_id": org, "session_id": uuid(i), "client_config": "test", "connection_type": "http", "ip": "",
			"user_data": object{"user_id": fmt.Sprint("u", i), "plan": "pro", "seats": i}}, "X-Api-Key", key)
		for j := range 4 {
			s.send("ingest", "POST", "/api/v1/capture-event", "", object{"org_id": org, "event_id": uuid(100 + 10*i + j), "session_id": uuid(i), "primitive_type": "tool",
				"primitive_name": fmt.Sprint("tool", j), "latency": 10 * j, "success": j != 3, "args": `{"a":1}`, "result": "done"}, "X-Api-Key", key)
		}
	}
	s.send("ingest", "POST", "/api/v1/capture-event", "", object{"session_id": "bad", "event_id": 1}, "X-Api-Key", key)
	s.send("ingest", "POST", "/api/v1/capture-session", "", object{"session_id": uuid(9), "user_data": object{"a\n": 1, "b\n": 2}}, "X-Api-Key", key)
	for _, path := range []string{"sessions", "sessions/" + uuid(1), "events?limit=7", "tools", "users", "traits", "timeseries?interval=hour", "nosuch"} {
		s.send("ingest", "GET", "/api/v1/"+path, "", nil, "X-Api-Key", key)
	}
	s.send("ingest", "GET", "/api/v1/events", "sk_wrong", nil)
}

func begin(w world, r *receiver) *script {
	host := strings.TrimPrefix(w.Server.URL, "http://")
	return &script{world: w, hooks: r.URL, own: strings.NewReplacer(host, "<host>", url.QueryEscape(host), "<host>", w.ID, "<id>")}
}

// play runs the whole script in a new environment and returns what was answered, and what webhooks received.
func play(p plane, r *receiver) (replies, received []string) {
	p.T.Helper()
	w := p.world(p.Call("POST", "", object{"seed": 42, "clock": "2026-02-01T09:00:00Z"}, 201))
	s := begin(w, r)
	r.take()
	s.messaging()
	s.crmCalls()
	s.trackerCalls()
	s.ingestCalls()
	for began := clock.Real(); clock.Real().Sub(began) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		if len(p.Call("GET", "/"+w.ID+"/deliveries?status=pending", nil, 200)["deliveries"].([]any)) == 0 {
			break
		}
	}
	for _, text := range r.take() {
		received = append(received, realTime.ReplaceAllString(s.own.Replace(text), ""))
	}
	slices.Sort(received) // deliveries of different channels pass one another
	delete(w.Credentials, "admin")
	credentials, err := json.Marshal(w.Credentials)
	if err != nil {
		p.T.Fatal(err)
	}
	return append(s.log, s.own.Replace(string(credentials))), received
}

// TestTheSameCallsGetTheSameBytes makes some hundred calls of all services in
// environments of one seed: twice in one run of the program, again after a
// restart, and on both databases.
func TestTheSameCallsGetTheSameBytes(t *testing.T) {
	hooks := newReceiver(t)
	var first, firstReceived []string
	for _, database := range []string{"sqlite", "postgres"} {
		for run := range 2 {
			t.Run(fmt.Sprint(database, "/", run), func(t *testing.T) {
				s := apptest.Start(t, func(o *config.Serve) {
					if database == "postgres" {
						o.Database = storetest.MigratedURL(t)
					}
				})
				for range 2 - run {
					replies, received := play(planeOf(t, s), hooks)
					if first == nil {
						first, firstReceived = replies, received
						if len(replies) < 200 || len(received) < 60 {
							t.Errorf("only %d replies and %d deliveries", len(replies), len(received))
						}
						continue
					}
					same(t, "reply", first, replies)
					same(t, "delivery", firstReceived, received)
				}
			})
		}
	}
}

// TestARestartChangesNothing ends the program in the middle of a script.
func TestARestartChangesNothing(t *testing.T) {
	hooks := newReceiver(t)
	var whole, parts []string
	var made world
	data := t.TempDir()
	run := func(name, data string, f func(p plane)) {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, func(o *config.Serve) { o.Data = data })
			f(planeOf(t, s))
		})
	}
	create := object{"seed": 42, "clock": "2026-02-01T09:00:00Z"}
	run("in one go", t.TempDir(), func(p plane) {
		s := begin(p.world(p.Call("POST", "", create, 201)), hooks)
		s.crmCalls()
		s.trackerCalls()
		whole = s.log
	})
	run("before", data, func(p plane) {
		made = p.world(p.Call("POST", "", create, 201))
		s := begin(made, hooks)
		s.crmCalls()
		parts = s.log
	})
	run("after", data, func(p plane) {
		for _, service := range []string{"crm", "tracker"} {
			made.Credentials[service].(object)["base_url"] = p.Server.URL + "/e/" + made.ID + "/" + service
		}
		made.Plane = p.Plane
		s := begin(made, hooks)
		s.trackerCalls()
		parts = append(parts, s.log...)
	})
	same(t, "reply", whole, parts)
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d of %s, not %d", len(got), what, len(want))
	}
	told := 0
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] && told < 3 {
			told++
			t.Errorf("%s %d differs:\n%s\nfrom:\n%s", what, i, got[i], want[i])
		}
	}
}
