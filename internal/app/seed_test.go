package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

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
		reply := p.Call("POST", "", nil, 201)
		e := p.world(reply)
		status, hook := p.Server.Call("POST", e.Base("messaging")+"/api/webhooks/outgoing", at(reply, "messaging", "user_token").(string), map[string]any{"url": p.Server.URL + "/nobody"})
		if status != 201 {
			t.Fatalf("a webhook answers %d %v", status, hook)
		}
		deliveries := func() int { return len(p.Call("GET", "/"+e.ID+"/deliveries", nil, 200)["deliveries"].([]any)) }
		made := at(p.Seed(e.ID, "application/yaml", messagingSeed, 200), "made", "messaging")
		if n := deliveries(); n != 0 {
			t.Errorf("%d deliveries of what was seeded", n)
		}
		launch, hello := at(made, "channels", "launch", "id").(string), at(made, "messages", "hello")
		if at(hello, "ts") != "1700000000.000100" || at(hello, "channel") != launch || at(made, "users", "ben", "id") != "U0BEN000001" {
			t.Errorf("made %v", made)
		}
		history := e.Web("conversations.history", "channel", launch)["messages"].([]any)
		if len(history) != 3 || at(history[2], "ts") != "1700000000.000100" || at(history[2], "reply_count") != 2.0 ||
			at(history[2], "text") != "Hello <@U0BEN000001>" || at(history[1], "subtype") != "thread_broadcast" {
			t.Errorf("the channel has %v", history)
		}
		replies := e.Web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 3 || at(replies[1], "text") != "Hi" {
			t.Errorf("the thread has %v", replies)
		}
		if got := strings.TrimSpace(fmt.Sprintln(at(replies[0], "reactions", 0, "name"), at(replies[0], "reactions", 0, "count"),
			at(replies[0], "reactions", 1, "name"))); got != "tada 2 +1" {
			t.Errorf("reactions %s", got)
		}
		info := e.Web("conversations.info", "channel", launch, "include_num_members", "true")
		if at(info, "channel", "purpose", "value") != "Ship it" || at(info, "channel", "num_members") != 3.0 {
			t.Errorf("the channel is %v", info)
		}
		e.WantTexts("To all")
		e.Post("afterwards")
		e.WantTexts("afterwards", "To all")
		if n := deliveries(); n != 1 {
			t.Errorf("%d deliveries of what was posted", n)
		}
		// What exists is used: the same people and channel again, with more in it.
		p.Seed(e.ID, "application/json", `{"messaging": {"users": {"ada": {"email": "ada@example.test"}},
			"messages": [{"channel": "launch", "user": "ada", "parent": "1700000000.000100", "at": "-45m", "text": "between"}]}}`, 200)
		replies = e.Web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 4 || at(replies[2], "text") != "between" || at(replies[0], "latest_reply") != at(replies[3], "ts") {
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
		reply := p.Call("POST", "", map[string]any{"clock": "2026-03-01T12:00:00Z"}, 201)
		e := p.world(reply)
		made := p.Seed(e.ID, "application/yaml", string(text), 200)["made"]

		launch := at(made, "messaging", "channels", "launch", "id").(string)
		if h := e.Web("conversations.history", "channel", launch)["messages"].([]any); len(h) != 3 || at(h[2], "reply_count") != 2.0 ||
			at(h[0], "is_bot") != true || at(h[2], "reactions", 0, "count") != 2.0 {
			t.Errorf("launch has %v", h)
		}

		crm, token := at(reply, "crm", "base_url").(string), at(reply, "crm", "access_token").(string)
		deal := at(made, "crm", "deals", "licence", "id").(string)
		_, got := p.Server.Call("GET", crm+"/api/crm/v3/objects/deals/"+deal+"?properties=closedate,dealstage,amount&associations=contacts,companies", token, nil)
		if got := strings.TrimSpace(fmt.Sprintln(at(got, "properties", "closedate"), at(got, "properties", "dealstage"), at(got, "properties", "amount"))); got != "2026-03-31T12:00:00.000Z met 12500" {
			t.Errorf("the deal has %s", got)
		}
		if at(got, "associations", "contacts", "results", 0, "id") != at(made, "crm", "contacts", "anna", "id") ||
			at(got, "associations", "companies", "results", 0, "id") != at(made, "crm", "companies", "rivermill", "id") {
			t.Errorf("the deal is linked with %v", at(got, "associations"))
		}
		company := at(made, "crm", "companies", "rivermill", "id").(string)
		_, got = p.Server.Call("GET", crm+"/api/crm/v3/objects/companies/"+company+"?properties=plan,hubspot_owner_id,createdate", token, nil)
		if at(got, "properties", "plan") != "paid" || at(got, "properties", "hubspot_owner_id") != at(made, "crm", "owners", "cleo", "id") ||
			at(got, "properties", "createdate") != "2025-12-01T12:00:00.000Z" {
			t.Errorf("the company has %v", got)
		}

		q := `{issue(id: "ACM-1") {id createdAt startedAt dueDate state{name} assignee{email} creator{email} project{name} cycle{name} labels{nodes{name}}
			children{nodes{identifier state{name}}} comments{nodes{body user{email} parent{id}}}} done: issue(id: "ACM-3") {id completedAt updatedAt}}`
		_, got = p.Server.Call("POST", at(reply, "tracker", "base_url").(string)+"/graphql", at(reply, "tracker", "api_key").(string), map[string]any{"query": q})
		issue := at(got, "data", "issue")
		if s := strings.TrimSpace(fmt.Sprintln(at(issue, "createdAt"), at(issue, "startedAt"), at(issue, "dueDate"), at(issue, "state", "name"),
			at(issue, "assignee", "email"), at(issue, "creator", "email"), at(issue, "project", "name"), at(issue, "cycle", "name"),
			at(issue, "labels", "nodes", 0, "name"), at(issue, "children", "nodes", 0, "identifier"), at(issue, "children", "nodes", 0, "state", "name"))); s !=
			"2026-02-24T12:00:00.000Z 2026-02-25T12:00:00.000Z 2026-03-03 In Progress ben@acme.example ada@acme.example Version 2 Sprint 12 Bug ACM-2 In QA" {
			t.Errorf("the issue is %s of %v", s, got)
		}
		if l, _ := at(issue, "comments", "nodes").([]any); len(l) != 2 {
			t.Errorf("comments %v", l)
		}
		if at(got, "data", "done", "id") != "8f14e45f-ceea-467f-a1b2-c3d4e5f60718" || at(got, "data", "done", "completedAt") != "2026-02-28T12:00:00.000Z" {
			t.Errorf("the finished issue is %v", at(got, "data", "done"))
		}

		_, got = p.Server.Call("GET", at(reply, "ingest", "base_url").(string)+"/api/v1/sessions/3b241101-e2bb-4255-8caf-4136c566a962", at(reply, "ingest", "api_key").(string), nil)
		top := at(got, "tree", 0)
		if at(top, "event_id") != at(made, "ingest", "events", "question", "event_id") || at(top, "children", 0, "args") != `{"query":"installer"}` ||
			at(top, "children", 1, "success") != false || at(top, "children", 1, "checkpoints", 0, "name") != "opened" {
			t.Errorf("the session is %v", got)
		}

		// The same in the body of the creation, there and after a reset.
		var doc any = json.RawMessage(`{"messaging": {"users": {"zoe": {"email": "zoe@acme.example"}}, "messages": [{"channel": "general", "user": "zoe", "text": "hi", "key": "m"}]}}`)
		reply = p.Call("POST", "", map[string]any{"document": doc}, 201)
		if at(reply, "made", "messaging", "messages", "m", "ts") == nil {
			t.Errorf("creation answers %v", reply["made"])
		}
		e = p.world(reply)
		e.WantTexts("hi")
		e.Post("more")
		p.Call("POST", "/"+e.ID+"/reset", nil, 200)
		e.WantTexts("hi")
		// A name in other letters is another name.
		reply = p.Call("POST", "", map[string]any{"Document": doc}, 400)
		if got := at(reply, "error", "did_you_mean"); got != "document" {
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
		e := p.world(p.Call("POST", "", map[string]any{"clock": "2026-03-01T12:00:00Z"}, 201))
		counts := func() (shown, listed map[string]any) {
			shown = p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any)
			for _, one := range p.Call("GET", "", nil, 200)["environments"].([]any) {
				if at(one, "id") == e.ID {
					listed = one.(map[string]any)
				}
			}
			return shown, listed
		}
		before, _ := counts()
		launch := at(p.Seed(e.ID, "application/yaml", string(text), 200), "made", "messaging", "channels", "launch", "id").(string)
		after, listed := counts()
		for path, want := range map[string]float64{"messaging users": 3, "messaging channels": 3, "messaging messages": 6, "crm companies": 1, "crm contacts": 1,
			"crm deals": 1, "crm tickets": 1, "crm owners": 1, "tracker users": 2, "tracker teams": 1, "tracker issues": 4, "tracker comments": 2,
			"tracker projects": 1, "ingest sessions": 1, "ingest events": 3, "ingest users": 1} {
			service, noun, _ := strings.Cut(path, " ")
			a, _ := at(before, "counts", service, noun).(float64)
			if b, _ := at(after, "counts", service, noun).(float64); b-a != want {
				t.Errorf("%s went from %v to %v, want %v more", path, a, b, want)
			}
		}
		if fmt.Sprint(listed["counts"]) != fmt.Sprint(after["counts"]) || at(listed, "clock", "now") != "2026-03-01T12:00:00Z" || at(listed, "size_bytes").(float64) <= 0 {
			t.Errorf("the list shows %v, the environment is %v", listed, after)
		}
		posted := e.Web("chat.postMessage", "channel", launch, "text", "gone soon")
		more, _ := counts()
		e.Web("chat.delete", "channel", launch, "ts", at(posted, "ts").(string))
		deleted, _ := counts()
		if a, b := at(more, "counts", "messaging", "messages").(float64), at(deleted, "counts", "messaging", "messages").(float64); a-b != 1 {
			t.Errorf("deleting a message took the count from %v to %v", a, b)
		}
	})
}

// A list shows environments that are closed as they were when they were closed.
func TestAListKnowsClosedEnvironments(t *testing.T) {
	dir := t.TempDir()
	list := func(t *testing.T, prepare func(p plane)) (out string) {
		s := apptest.Start(t, func(o *config.Serve) { o.Data = dir })
		p := planeOf(t, s)
		prepare(p)
		for _, one := range p.Call("GET", "", nil, 200)["environments"].([]any) {
			if at(one, "name") == "closed" {
				out = fmt.Sprint(at(one, "counts"), at(one, "clock"), at(one, "size_bytes").(float64) > 0)
			}
		}
		return out
	}
	var before, after string
	t.Run("open", func(t *testing.T) {
		before = list(t, func(p plane) {
			doc := map[string]any{"crm": map[string]any{"companies": map[string]any{"a": map[string]any{}, "b": map[string]any{}}}}
			p.Call("POST", "", map[string]any{"name": "closed", "clock": "2026-03-01T12:00:00Z", "document": doc}, 201)
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
			reply := p.Call("POST", "", map[string]any{"fixture": "demo", "seed": 42, "clock": "2026-03-01T12:00:00Z", "document": string(text)}, 201)
			e := p.world(reply)
			launch := at(reply, "made", "messaging", "channels", "launch", "id").(string)
			_, issues := p.Server.Call("POST", at(reply, "tracker", "base_url").(string)+"/graphql", at(reply, "tracker", "api_key").(string),
				map[string]any{"query": `{issues(first: 100) {nodes {id identifier title createdAt updatedAt}}}`})
			_, deals := p.Server.Call("GET", at(reply, "crm", "base_url").(string)+"/api/crm/v3/objects/deals?limit=100", at(reply, "crm", "access_token").(string), nil)
			seen[i] = fmt.Sprint(reply["made"], e.Web("conversations.history", "channel", launch), e.Web("users.list"), at(issues, "data"), deals["results"])
			p.Call("DELETE", "/"+e.ID, nil, 204)
		}
		if seen[0] != seen[1] {
			t.Errorf("two worlds of one document differ:\n%s\n%s", seen[0], seen[1])
		}
	})
}
