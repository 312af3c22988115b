package app_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// The second demo with a seed and a clock begins as a copy of the first, and so
// does one in memory and one with a seed document. The difference cannot be
// observed: each answers with the same bytes as one that is made anew, also
// after a reset.
func TestACopiedDemoIsADemo(t *testing.T) {
	document := object{"messaging": object{"channels": object{"from-a-document": object{}}}}
	var anew []string
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			start := func() plane {
				return planeOf(t, apptest.Start(t, func(o *config.Serve) {
					if database == "postgres" {
						o.Database = storetest.MigratedURL(t)
					}
				}))
			}
			p := start()
			demo := func(p plane, with object) (id string, replies []string) {
				body := object{"fixture": "demo", "seed": 7, "clock": "2026-03-02T09:00:00Z"}
				for k, v := range with {
					body[k] = v
				}
				w := p.world(p.Call("POST", "", body, 201))
				return w.ID, demoReplies(w)
			}
			first, replies := demo(p, nil)
			if anew == nil {
				anew = replies
			}
			same(t, "reply of the first", anew, replies)
			p.Call("DELETE", "/"+first, nil, 204)
			second, replies := demo(p, nil)
			same(t, "reply of the second", anew, replies)
			reset := demoReplies(p.world(p.Call("POST", "/"+second+"/reset", nil, 200)))
			same(t, "reply after a reset", anew, reset)
			if database == "postgres" {
				return
			}
			_, replies = demo(p, object{"ephemeral": true})
			same(t, "reply of one in memory", anew, replies)
			_, with := demo(p, object{"document": document})
			_, alone := demo(start(), object{"document": document})
			same(t, "reply of one with a document", alone, with)
			_, other := demo(p, object{"seed": 8})
			if fmt.Sprint(other) == fmt.Sprint(anew) {
				t.Error("another seed makes the same demo")
			}
		})
	}
}

// demoReplies makes calls that show what a demo holds, and some that write.
func demoReplies(w world) []string {
	s := begin(w, newReceiver(w.T))
	s.crmCalls()
	graphql := func(query string) object {
		return s.send("tracker", "POST", "/graphql", s.Credential("tracker", "api_key"), object{"query": query})
	}
	teams := graphql(`{ teams { nodes { id name key } } users { nodes { id email } } issues(first: 100) { nodes { id identifier title createdAt branchName comments { nodes { id body } } } } }`)
	graphql(`mutation { issueCreate(input: {title: "One more", teamId: "` + at(teams, "data", "teams", "nodes", 0, "id").(string) + `"}) { issue { id identifier } lastSyncId } }`)
	graphql(`{ searchIssues(term: "more") { nodes { identifier } } }`)
	bot := s.Credential("messaging", "bot_token")
	list := s.send("messaging", "POST", "/api/conversations.list", bot, nil)
	for _, c := range list["channels"].([]any) {
		s.send("messaging", "POST", "/api/conversations.join", bot, object{"channel": at(c, "id")})
		s.send("messaging", "POST", "/api/conversations.history", bot, object{"channel": at(c, "id")})
		s.send("messaging", "POST", "/api/chat.postMessage", bot, object{"channel": at(c, "id"), "text": "hello"})
	}
	s.send("messaging", "POST", "/api/users.list", bot, nil)
	for _, path := range []string{"events?limit=50", "sessions?limit=50", "users"} {
		s.send("ingest", "GET", "/api/v1/"+path, "", nil, "X-Api-Key", s.Credential("ingest", "api_key"))
	}
	delete(w.Credentials, "admin")
	credentials, err := json.Marshal(w.Credentials)
	if err != nil {
		w.T.Fatal(err)
	}
	return append(s.log, s.own.Replace(string(credentials)))
}
