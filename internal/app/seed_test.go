package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

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
