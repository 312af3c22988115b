package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// sow sends a document as it is written; env may end in a query.
func (p plane) sow(env, contentType, text string, want int) map[string]any {
	p.t.Helper()
	env, query, _ := strings.Cut(env, "?")
	r, err := http.NewRequest("POST", p.s.URL+"/admin/v1/environments/"+env+"/seed?"+query, strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", contentType)
	resp, err := p.s.Client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var reply map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		p.t.Fatal(err)
	}
	if resp.StatusCode != want {
		p.t.Fatalf("a seed document answers %d %v, want %d", resp.StatusCode, reply, want)
	}
	return reply
}

// dig walks into a reply by names and places of lists.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

// web calls a method of the messaging Web API.
func (e env) web(method string, args ...string) map[string]any {
	e.p.t.Helper()
	q := url.Values{}
	for i := 0; i < len(args); i += 2 {
		q.Set(args[i], args[i+1])
	}
	_, reply := e.p.s.Call("GET", e.base+"/api/"+method+"?"+q.Encode(), e.token, nil)
	if reply["ok"] != true {
		e.p.t.Fatalf("%s %v answers %v", method, args, reply)
	}
	return reply
}

const messagingSeed = `
messaging:
  users:
    ada: {email: ada@example.test, name: Ada Byron, title: Engineer, admin: true}
    ben: {email: ben@example.test, id: U0BEN000001}
  channels:
    general: {topic: All of us}
    launch: {creator: ada, members: [ben, understudy_bot], purpose: "Ship it", created: -10d}
    vault: {kind: private, creator: ben}
    talk: {kind: direct, members: [ada, ben]}
  messages:
    - {key: hello, channel: launch, user: ada, ts: "1700000000.000100", text: "Hello <@ben>", reactions: {tada: [ben, ada], "+1": [ben]}}
    - {channel: launch, user: ben, parent: hello, at: -1h, text: "Hi"}
    - {channel: launch, user: ada, parent: hello, at: -30m, text: "There", broadcast: true}
    - {key: later, channel: launch, user: ada, at: -5m, text: "See <#vault>"}
    - {channel: talk, user: ben, text: psst}
    - {channel: general, user: ben, text: "To all"}
`

func TestASeedDocumentFillsMessaging(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		reply := p.call("POST", "", nil, 201)
		e := p.env(reply)
		status, hook := p.s.Call("POST", e.base+"/api/webhooks/outgoing", dig(reply, "messaging", "user_token").(string), map[string]any{"url": p.s.URL + "/nobody"})
		if status != 201 {
			t.Fatalf("a webhook answers %d %v", status, hook)
		}
		deliveries := func() int { return len(p.call("GET", "/"+e.id+"/deliveries", nil, 200)["deliveries"].([]any)) }
		made := dig(p.sow(e.id, "application/yaml", messagingSeed, 200), "made", "messaging")
		if n := deliveries(); n != 0 {
			t.Errorf("%d deliveries of what was seeded", n)
		}
		launch, hello := dig(made, "channels", "launch", "id").(string), dig(made, "messages", "hello")
		if dig(hello, "ts") != "1700000000.000100" || dig(hello, "channel") != launch || dig(made, "users", "ben", "id") != "U0BEN000001" {
			t.Errorf("made %v", made)
		}
		history := e.web("conversations.history", "channel", launch)["messages"].([]any)
		if len(history) != 3 || dig(history[2], "ts") != "1700000000.000100" || dig(history[2], "reply_count") != 2.0 ||
			dig(history[2], "text") != "Hello <@U0BEN000001>" || dig(history[1], "subtype") != "thread_broadcast" {
			t.Errorf("the channel has %v", history)
		}
		replies := e.web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 3 || dig(replies[1], "text") != "Hi" {
			t.Errorf("the thread has %v", replies)
		}
		if got := strings.TrimSpace(fmt.Sprintln(dig(replies[0], "reactions", 0, "name"), dig(replies[0], "reactions", 0, "count"),
			dig(replies[0], "reactions", 1, "name"))); got != "tada 2 +1" {
			t.Errorf("reactions %s", got)
		}
		info := e.web("conversations.info", "channel", launch, "include_num_members", "true")
		if dig(info, "channel", "purpose", "value") != "Ship it" || dig(info, "channel", "num_members") != 3.0 {
			t.Errorf("the channel is %v", info)
		}
		e.shows("To all")
		e.post("afterwards")
		e.shows("afterwards", "To all")
		if n := deliveries(); n != 1 {
			t.Errorf("%d deliveries of what was posted", n)
		}
		// What exists is used: the same people and channel again, with more in it.
		p.sow(e.id, "application/json", `{"messaging": {"users": {"ada": {"email": "ada@example.test"}},
			"messages": [{"channel": "launch", "user": "ada", "parent": "1700000000.000100", "at": "-45m", "text": "between"}]}}`, 200)
		replies = e.web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 4 || dig(replies[2], "text") != "between" || dig(replies[0], "latest_reply") != dig(replies[3], "ts") {
			t.Errorf("the thread has %v", replies)
		}
	})
}

func TestTheExampleDocumentFillsAllServices(t *testing.T) {
	text, err := os.ReadFile("../../docs/seed-example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	onPlanes(t, func(t *testing.T, p plane) {
		reply := p.call("POST", "", map[string]any{"clock": "2026-03-01T12:00:00Z"}, 201)
		e := p.env(reply)
		made := p.sow(e.id, "application/yaml", string(text), 200)["made"]

		launch := dig(made, "messaging", "channels", "launch", "id").(string)
		if h := e.web("conversations.history", "channel", launch)["messages"].([]any); len(h) != 3 || dig(h[2], "reply_count") != 2.0 ||
			dig(h[0], "is_bot") != true || dig(h[2], "reactions", 0, "count") != 2.0 {
			t.Errorf("launch has %v", h)
		}

		crm, token := dig(reply, "crm", "base_url").(string), dig(reply, "crm", "access_token").(string)
		deal := dig(made, "crm", "deals", "licence", "id").(string)
		_, got := p.s.Call("GET", crm+"/api/crm/v3/objects/deals/"+deal+"?properties=closedate,dealstage,amount&associations=contacts,companies", token, nil)
		if got := strings.TrimSpace(fmt.Sprintln(dig(got, "properties", "closedate"), dig(got, "properties", "dealstage"), dig(got, "properties", "amount"))); got != "2026-03-31T12:00:00.000Z met 12500" {
			t.Errorf("the deal has %s", got)
		}
		if dig(got, "associations", "contacts", "results", 0, "id") != dig(made, "crm", "contacts", "anna", "id") ||
			dig(got, "associations", "companies", "results", 0, "id") != dig(made, "crm", "companies", "rivermill", "id") {
			t.Errorf("the deal is linked with %v", dig(got, "associations"))
		}
		company := dig(made, "crm", "companies", "rivermill", "id").(string)
		_, got = p.s.Call("GET", crm+"/api/crm/v3/objects/companies/"+company+"?properties=plan,hubspot_owner_id,createdate", token, nil)
		if dig(got, "properties", "plan") != "paid" || dig(got, "properties", "hubspot_owner_id") != dig(made, "crm", "owners", "cleo", "id") ||
			dig(got, "properties", "createdate") != "2025-12-01T12:00:00.000Z" {
			t.Errorf("the company has %v", got)
		}

		q := `{issue(id: "ACM-1") {id createdAt startedAt dueDate state{name} assignee{email} creator{email} project{name} cycle{name} labels{nodes{name}}
			children{nodes{identifier state{name}}} comments{nodes{body user{email} parent{id}}}} done: issue(id: "ACM-3") {id completedAt updatedAt}}`
		_, got = p.s.Call("POST", dig(reply, "tracker", "base_url").(string)+"/graphql", dig(reply, "tracker", "api_key").(string), map[string]any{"query": q})
		issue := dig(got, "data", "issue")
		if s := strings.TrimSpace(fmt.Sprintln(dig(issue, "createdAt"), dig(issue, "startedAt"), dig(issue, "dueDate"), dig(issue, "state", "name"),
			dig(issue, "assignee", "email"), dig(issue, "creator", "email"), dig(issue, "project", "name"), dig(issue, "cycle", "name"),
			dig(issue, "labels", "nodes", 0, "name"), dig(issue, "children", "nodes", 0, "identifier"), dig(issue, "children", "nodes", 0, "state", "name"))); s !=
			"2026-02-24T12:00:00.000Z 2026-02-25T12:00:00.000Z 2026-03-03 In Progress ben@acme.example ada@acme.example Version 2 Sprint 12 Bug ACM-2 In QA" {
			t.Errorf("the issue is %s of %v", s, got)
		}
		if l, _ := dig(issue, "comments", "nodes").([]any); len(l) != 2 {
			t.Errorf("comments %v", l)
		}
		if dig(got, "data", "done", "id") != "8f14e45f-ceea-467f-a1b2-c3d4e5f60718" || dig(got, "data", "done", "completedAt") != "2026-02-28T12:00:00.000Z" {
			t.Errorf("the finished issue is %v", dig(got, "data", "done"))
		}

		_, got = p.s.Call("GET", dig(reply, "ingest", "base_url").(string)+"/api/v1/sessions/3b241101-e2bb-4255-8caf-4136c566a962", dig(reply, "ingest", "api_key").(string), nil)
		top := dig(got, "tree", 0)
		if dig(top, "event_id") != dig(made, "ingest", "events", "question", "event_id") || dig(top, "children", 0, "args") != `{"query":"installer"}` ||
			dig(top, "children", 1, "success") != false || dig(top, "children", 1, "checkpoints", 0, "name") != "opened" {
			t.Errorf("the session is %v", got)
		}

		// The same in the body of the creation, there and after a reset.
		var doc any = json.RawMessage(`{"messaging": {"users": {"zoe": {"email": "zoe@acme.example"}}, "messages": [{"channel": "general", "user": "zoe", "text": "hi", "key": "m"}]}}`)
		reply = p.call("POST", "", map[string]any{"document": doc}, 201)
		if dig(reply, "made", "messaging", "messages", "m", "ts") == nil {
			t.Errorf("creation answers %v", reply["made"])
		}
		e = p.env(reply)
		e.shows("hi")
		e.post("more")
		p.call("POST", "/"+e.id+"/reset", nil, 200)
		e.shows("hi")
		// A name in other letters is another name.
		reply = p.call("POST", "", map[string]any{"Document": doc}, 400)
		if got := dig(reply, "error", "did_you_mean"); got != "document" {
			t.Errorf("instead of Document it suggests %v", got)
		}
	})
}

func TestEnvironmentsTellHowMuchIsInThem(t *testing.T) {
	text, err := os.ReadFile("../../docs/seed-example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", map[string]any{"clock": "2026-03-01T12:00:00Z"}, 201))
		counts := func() (shown, listed map[string]any) {
			shown = p.call("GET", "/"+e.id, nil, 200)["environment"].(map[string]any)
			for _, one := range p.call("GET", "", nil, 200)["environments"].([]any) {
				if dig(one, "id") == e.id {
					listed = one.(map[string]any)
				}
			}
			return shown, listed
		}
		before, _ := counts()
		launch := dig(p.sow(e.id, "application/yaml", string(text), 200), "made", "messaging", "channels", "launch", "id").(string)
		after, listed := counts()
		for path, want := range map[string]float64{"messaging users": 3, "messaging channels": 3, "messaging messages": 6, "crm companies": 1, "crm contacts": 1,
			"crm deals": 1, "crm tickets": 1, "crm owners": 1, "tracker users": 2, "tracker teams": 1, "tracker issues": 4, "tracker comments": 2,
			"tracker projects": 1, "ingest sessions": 1, "ingest events": 3, "ingest users": 1} {
			service, noun, _ := strings.Cut(path, " ")
			a, _ := dig(before, "counts", service, noun).(float64)
			if b, _ := dig(after, "counts", service, noun).(float64); b-a != want {
				t.Errorf("%s went from %v to %v, want %v more", path, a, b, want)
			}
		}
		if fmt.Sprint(listed["counts"]) != fmt.Sprint(after["counts"]) || dig(listed, "clock", "now") != "2026-03-01T12:00:00Z" || dig(listed, "size_bytes").(float64) <= 0 {
			t.Errorf("the list shows %v, the environment is %v", listed, after)
		}
		posted := e.web("chat.postMessage", "channel", launch, "text", "gone soon")
		more, _ := counts()
		e.web("chat.delete", "channel", launch, "ts", dig(posted, "ts").(string))
		deleted, _ := counts()
		if a, b := dig(more, "counts", "messaging", "messages").(float64), dig(deleted, "counts", "messaging", "messages").(float64); a-b != 1 {
			t.Errorf("deleting a message took the count from %v to %v", a, b)
		}
	})
}

// A list shows environments that are closed as they were when they were closed.
func TestAListKnowsClosedEnvironments(t *testing.T) {
	dir := t.TempDir()
	list := func(t *testing.T, prepare func(p plane)) (out string) {
		s := apptest.Start(t, func(o *config.Serve) { o.Data = dir })
		p := newPlane(t, s)
		prepare(p)
		for _, one := range p.call("GET", "", nil, 200)["environments"].([]any) {
			if dig(one, "name") == "closed" {
				out = fmt.Sprint(dig(one, "counts"), dig(one, "clock"), dig(one, "size_bytes").(float64) > 0)
			}
		}
		return out
	}
	var before, after string
	t.Run("open", func(t *testing.T) {
		before = list(t, func(p plane) {
			doc := map[string]any{"crm": map[string]any{"companies": map[string]any{"a": map[string]any{}, "b": map[string]any{}}}}
			p.call("POST", "", map[string]any{"name": "closed", "clock": "2026-03-01T12:00:00Z", "document": doc}, 201)
		})
	})
	t.Run("closed", func(t *testing.T) { after = list(t, func(plane) {}) })
	if before != after || !strings.Contains(before, "companies:2") {
		t.Errorf("open: %s\nclosed: %s", before, after)
	}
}

func TestADocumentMakesTheSameWorldTwice(t *testing.T) {
	text, err := os.ReadFile("../../docs/seed-example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	onPlanes(t, func(t *testing.T, p plane) {
		var seen [2]string
		for i := range seen {
			reply := p.call("POST", "", map[string]any{"fixture": "demo", "seed": 42, "clock": "2026-03-01T12:00:00Z", "document": string(text)}, 201)
			e := p.env(reply)
			launch := dig(reply, "made", "messaging", "channels", "launch", "id").(string)
			_, issues := p.s.Call("POST", dig(reply, "tracker", "base_url").(string)+"/graphql", dig(reply, "tracker", "api_key").(string),
				map[string]any{"query": `{issues(first: 100) {nodes {id identifier title createdAt updatedAt}}}`})
			_, deals := p.s.Call("GET", dig(reply, "crm", "base_url").(string)+"/api/crm/v3/objects/deals?limit=100", dig(reply, "crm", "access_token").(string), nil)
			seen[i] = fmt.Sprint(reply["made"], e.web("conversations.history", "channel", launch), e.web("users.list"), dig(issues, "data"), deals["results"])
			p.call("DELETE", "/"+e.id, nil, 204)
		}
		if seen[0] != seen[1] {
			t.Errorf("two worlds of one document differ:\n%s\n%s", seen[0], seen[1])
		}
	})
}
