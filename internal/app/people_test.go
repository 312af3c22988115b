package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// onBoth runs a test with the demo fixture on each database.
func onBoth(t *testing.T, test func(t *testing.T, s *apptest.Server)) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			test(t, apptest.Start(t, func(o *config.Serve) {
				o.Fixture, o.RateLimits = "demo", "real"
				if database == "postgres" {
					o.Database = storetest.MigratedURL(t)
				}
			}))
		})
	}
}

// as sends a request as the web UI does, and returns status, header and reply.
func as(t *testing.T, s *apptest.Server, client, method, url, token string, body any) (int, http.Header, object) {
	t.Helper()
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, s.URL+url, sent)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Understudy-Client", client)
	resp, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out object
	_ = json.NewDecoder(resp.Body).Decode(&out)
	return resp.StatusCode, resp.Header, out
}

func changes(s *apptest.Server, key string) string {
	_, diff := s.Call("GET", "/admin/v1/environments/default/diff", key, nil)
	b, _ := json.Marshal(diff)
	return string(b)
}

func TestTheAdminPlaneActsAsPeople(t *testing.T) {
	onBoth(t, func(t *testing.T, s *apptest.Server) {
		key := s.Credential("admin", "key")
		const people = "/admin/v1/environments/default/people"
		before := changes(s, key)

		seen, cursor := map[string]int{}, ""
		for range 20 {
			status, page := s.Call("GET", people+"?limit=7&cursor="+cursor, key, nil)
			if status != 200 {
				t.Fatal(status, page)
			}
			for _, p := range page["people"].([]any) {
				seen[p.(object)["service"].(string)]++
			}
			if cursor, _ = page["next_cursor"].(string); cursor == "" {
				break
			}
		}
		if seen["messaging"] < 10 || seen["crm"] < 1 || seen["tracker"] < 5 || cursor != "" {
			t.Errorf("%v, cursor %q", seen, cursor)
		}
		_, found := s.Call("GET", people+"?service=messaging&query=lena", key, nil)
		lena := found["people"].([]any)[0].(object)
		if lena["handle"] != "lena.park" || lena["tenant_name"] != "Understudy" || lena["bot"] != false || len(found["people"].([]any)) != 1 {
			t.Errorf("%v", found)
		}
		_, admins := s.Call("GET", people+"?service=messaging&admin=true", key, nil)
		if n := len(admins["people"].([]any)); n != 2 {
			t.Errorf("%d admins: %v", n, admins)
		}

		// By each name, with each kind of token, and the call is that person's.
		for _, row := range []struct{ service, user, kind, method, path string }{
			{"messaging", "lena.park", "user_token", "GET", "/messaging/api/client/boot"},
			{"messaging", "@lena.park", "jwt", "GET", "/messaging/api/client/boot"},
			{"messaging", lena["id"].(string), "jwt", "POST", "/messaging/api/auth.test"},
			{"tracker", "lena.park", "api_key", "POST", "/tracker/graphql"},
			{"tracker", "lena.park", "jwt", "POST", "/tracker/graphql"},
			{"crm", "lena.park", "access_token", "GET", "/crm/api/crm/v3/objects/contacts?limit=1"},
		} {
			status, made := s.Call("POST", people+"/"+row.service+"/"+row.user+"/session", key, object{"kind": row.kind, "expires_seconds": 60})
			if status == 404 && row.service == "crm" { // whoever owns records there
				_, all := s.Call("GET", people+"?service=crm", key, nil)
				row.user = all["people"].([]any)[0].(object)["email"].(string)
				status, made = s.Call("POST", people+"/crm/"+row.user+"/session", key, nil)
			}
			if status != 201 || made["kind"] != row.kind || made["expires_at"] == "" || made["user"].(object)["id"] == "" {
				t.Fatalf("%v: %d %v", row, status, made)
			}
			var body any
			if row.service == "tracker" {
				body = object{"query": "{ viewer { id email } }"}
			}
			status, _, reply := as(t, s, "web", row.method, row.path, made["token"].(string), body)
			if status != 200 || reply["ok"] == false || reply["errors"] != nil {
				t.Errorf("%v: %d %v", row, status, reply)
			}
		}
		for _, row := range []struct {
			path, code string
			body       any
			status     int
		}{
			{"/messaging/nobody/session", "person_not_found", nil, 404},
			{"/messaging/understudy_bot/session", "not_a_person", nil, 422},
			{"/ingest/lena.park/session", "not_a_person", nil, 422},
			{"/weather/lena.park/session", "service_not_found", nil, 404},
			{"/messaging/lena.park/session", "invalid_value", object{"kind": "api_key"}, 400},
			{"/messaging/lena.park/session", "invalid_value", object{"scopes": []string{"admin.everything"}}, 400},
			{"/messaging/lena.park/session", "invalid_value", object{"expires_seconds": 0}, 400},
			{"/messaging/lena.park/session", "unknown_member", object{"scope": "x"}, 400},
		} {
			if status, reply := s.Call("POST", people+row.path, key, row.body); status != row.status || reply["error"].(object)["code"] != row.code {
				t.Errorf("%s: %d %v", row.path, status, reply)
			}
		}
		if status, _ := s.Call("POST", people+"/messaging/lena.park/session", "", nil); status != 401 {
			t.Errorf("without a key: %d", status)
		}

		// Scopes narrow a session; it ends on the environment's clock; a fork knows nothing of it.
		_, narrow := s.Call("POST", people+"/messaging/lena.park/session", key, object{"scopes": []string{"users:read"}})
		token := narrow["token"].(string)
		if _, reply := s.Call("POST", "/messaging/api/chat.postMessage", token, object{"channel": "general", "text": "hi"}); reply["error"] != "missing_scope" {
			t.Errorf("%v", reply)
		}
		_, fork := s.Call("POST", "/admin/v1/environments/default/fork", key, nil)
		if _, reply := s.Call("POST", "/e/"+fork["id"].(string)+"/messaging/api/auth.test", token, nil); reply["ok"] != false {
			t.Errorf("a session is good in a fork: %v", reply)
		}
		if after := changes(s, key); after != before {
			t.Errorf("sessions and reading changed the world:\n%s\n%s", before, after)
		}
		s.Call("POST", "/admin/v1/environments/default/clock", key, object{"advance": "2h"})
		if _, reply := s.Call("POST", "/messaging/api/auth.test", token, nil); reply["ok"] != false {
			t.Errorf("a session outlives its time: %v", reply)
		}
	})
}

// Reads by the web UI are not recorded, use no id and are not counted against
// limits; its writes are recorded with its name.
func TestLookingLeavesNoTrace(t *testing.T) {
	ids := func(t *testing.T, look bool) (string, *apptest.Server, string, string) {
		s := apptest.Start(t, func(o *config.Serve) { o.RateLimits = "real" })
		key := s.Credential("admin", "key")
		_, made := s.Call("POST", "/admin/v1/environments", key, object{"seed": 7, "fixture": "demo", "clock": "2026-03-02T09:00:00Z"})
		id := made["id"].(string)
		base := "/e/" + id
		_, session := s.Call("POST", "/admin/v1/environments/"+id+"/people/messaging/lena.park/session", key, object{"kind": "jwt"})
		token := session["token"].(string)
		if look {
			for range 60 { // more than any tier allows in a minute
				for _, row := range [][2]string{{"GET", "/messaging/api/client/boot"}, {"POST", "/messaging/api/conversations.list"},
					{"POST", "/messaging/api/conversations.members?channel=general"}, {"POST", "/messaging/api/auth.test"}, {"GET", "/messaging/api/commands"}} {
					if status, _, reply := as(t, s, "web", row[0], base+row[1], token, nil); status != 200 || reply["error"] == "ratelimited" {
						t.Fatalf("%v: %d %v", row, status, reply)
					}
				}
			}
		}
		_, header, said := as(t, s, "web", "POST", base+"/messaging/api/chat.postMessage", token, object{"channel": "general", "text": "hi"})
		if said["ok"] != true {
			t.Fatal(said)
		}
		return header.Get("X-Request-Id") + " " + said["ts"].(string), s, id, key
	}
	without, _, _, _ := ids(t, false)
	with, s, id, key := ids(t, true)
	if with != without {
		t.Errorf("looking moved the ids: %s, without it %s", with, without)
	}
	_, recorded := s.Call("GET", "/admin/v1/environments/"+id+"/requests?client=web", key, nil)
	list := recorded["requests"].([]any)
	if len(list) != 1 || list[0].(object)["client"] != "web" || list[0].(object)["path"] != "/api/chat.postMessage" {
		t.Errorf("%d recorded: %v", len(list), recorded)
	}
	if _, all := s.Call("GET", "/admin/v1/environments/"+id+"/requests", key, nil); len(all["requests"].([]any)) != 1 {
		t.Errorf("%v", all)
	}
	// Another client's reading is recorded as always.
	as(t, s, "curl", "GET", "/e/"+id+"/messaging/api/health", "", nil)
	if _, all := s.Call("GET", "/admin/v1/environments/"+id+"/requests?client=curl", key, nil); len(all["requests"].([]any)) != 1 {
		t.Errorf("%v", all)
	}
}

// Queries of the tracker are reads although they are sent by POST: they are not
// recorded, use no id and are not counted.
func TestQueriesOfTheTrackerLeaveNoTrace(t *testing.T) {
	s := apptest.Start(t, func(o *config.Serve) { o.RateLimits = "real" })
	key := s.Credential("admin", "key")
	token := s.Credential("tracker", "api_key")
	const read = "query Teams { teams { nodes { id name } } }"
	const write = "mutation Make { teamCreate(input: {name: \"Looked\", key: \"LOO\"}) { success } }"
	remaining := ""
	for range 40 {
		status, header, reply := as(t, s, "web", "POST", "/tracker/graphql", token, object{"query": read})
		if status != 200 || reply["errors"] != nil {
			t.Fatal(status, reply)
		}
		now := header.Get("X-Ratelimit-Requests-Remaining") + " " + header.Get("X-Ratelimit-Complexity-Remaining")
		if remaining != "" && now != remaining {
			t.Fatalf("a query cost something: %s, before %s", now, remaining)
		}
		remaining = now
	}
	recorded := func() []any {
		_, page := s.Call("GET", "/admin/v1/environments/default/requests?service=tracker", key, nil)
		return page["requests"].([]any)
	}
	if list := recorded(); len(list) != 0 {
		t.Errorf("queries are recorded: %v", list)
	}
	// What writes, another program's query and what cannot be read are recorded.
	as(t, s, "web", "POST", "/tracker/graphql", token, object{"query": write})
	as(t, s, "web", "POST", "/tracker/graphql", token, object{"query": read + write, "operationName": "Make"})
	as(t, s, "web", "POST", "/tracker/graphql", token, object{"query": "{ nonsense"})
	as(t, s, "curl", "POST", "/tracker/graphql", token, object{"query": read})
	if list := recorded(); len(list) != 4 {
		t.Errorf("%d recorded: %v", len(list), list)
	}
	// Of a document with both, the chosen operation counts.
	as(t, s, "web", "POST", "/tracker/graphql", token, object{"query": read + write, "operationName": "Teams"})
	if list := recorded(); len(list) != 4 {
		t.Errorf("%d recorded: %v", len(list), list)
	}
}

// A wait and a settle end when their world is removed or reset.
func TestWaitsEndWithTheirWorld(t *testing.T) {
	p := planeOf(t, apptest.Start(t))
	for what, act := range map[string]func(id string){
		"a deletion": func(id string) { p.Call("DELETE", "/"+id, nil, 204) },
		"a reset":    func(id string) { p.Call("POST", "/"+id+"/reset", nil, 200) },
	} {
		id := p.Call("POST", "", object{"fixture": "demo", "ephemeral": true}, 201)["id"].(string)
		replies := make(chan map[string]any, 2)
		for path, body := range map[string]object{
			"/people/messaging/jon.abel/wait": {"for": object{"text": "never"}, "timeout_ms": 60_000},
			"/settle":                         {"quiet_ms": 10_000, "timeout_ms": 60_000},
		} {
			go func() {
				_, reply := p.Server.Call("POST", "/admin/v1/environments/"+id+path, p.Key, body)
				replies <- reply
			}()
		}
		time.Sleep(100 * time.Millisecond) // they may also come too late, which is 404
		act(id)
		for range 2 {
			r := <-replies
			if code := at(r, "error", "code"); code != "environment_interrupted" && code != "environment_not_found" {
				t.Errorf("%s: %v", what, r)
			}
		}
	}
}
