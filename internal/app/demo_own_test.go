package app_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// ownDemos creates two demos that follow from no seed: one of the documents, and one
// that begins as a copy of it. Their clocks stand still, so the second is a copy
// however late it is made.
func ownDemos(t *testing.T, p plane) (first, second object) {
	t.Helper()
	body := object{"fixture": "demo", "clock": "2026-03-02T09:00:00Z"}
	first, second = p.Call("POST", "", body, 201), p.Call("POST", "", body, 201)
	if at(first, "tracker", "organization_id") != at(second, "tracker", "organization_id") {
		t.Fatal("the second demo is no copy of the first")
	}
	return first, second
}

// A demo that begins as a copy holds, row by row, what the documents made, but for
// what follows from its own secrets. So does the state that its reset goes back to.
func TestACopiedDemoHoldsWhatTheDocumentsMake(t *testing.T) {
	p := planeOf(t, apptest.Start(t))
	first, second := ownDemos(t, p)
	tables := func(reply object, name string) map[string][]string {
		return rowsOf(t, filepath.Join(p.Server.Data(), "worlds", "base_"+reply["id"].(string)+name+".db"))
	}
	for name, own := range map[string][]string{
		// The sha256 of five tokens and of a client's secret; that the secrets are its own.
		"": {"auth_token", "crm_client", "env_meta"}, "__events": nil,
	} {
		made, copied := tables(first, name), tables(second, name)
		var differ []string
		for table := range made {
			if !slices.Equal(made[table], copied[table]) {
				differ = append(differ, table)
			}
		}
		if slices.Sort(differ); !slices.Equal(differ, own) || len(made) != len(copied) {
			t.Errorf("database %q: of %d and %d tables differ %v, want %v", name, len(made), len(copied), differ, own)
		}
		if name == "" && len(made["auth_token"]) != len(copied["auth_token"]) {
			t.Errorf("%d tokens, and %d in the copy", len(made["auth_token"]), len(copied["auth_token"]))
		}
	}
}

// rowsOf returns the rows of all tables of a closed database, sorted.
func rowsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	query := func(text string) (out [][]any) {
		rows, err := db.Query(text)
		if err != nil {
			t.Fatal(path, err)
		}
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			out = append(out, values)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
		return out
	}
	tables := map[string][]string{}
	for _, table := range query(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`) {
		name := table[0].(string)
		tables[name] = []string{}
		what := "*"
		if name == "env_state" { // its values are packed maps, in any order
			what = "name"
		}
		for _, row := range query(`SELECT ` + what + ` FROM "` + name + `"`) {
			tables[name] = append(tables[name], fmt.Sprintf("%q", row))
		}
		slices.Sort(tables[name])
	}
	return tables
}

// No reply shows that a demo began as a copy: what is read of it, its past and its
// beginning are those of one that the documents made.
func TestACopiedDemoShowsWhatTheDocumentsMake(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		first, second := ownDemos(t, p)
		var replies [2][]string
		for i, reply := range []object{first, second} {
			replies[i] = shown(p, reply)
		}
		same(t, "what is shown", replies[0], replies[1])
		env := "/" + second["id"].(string)
		if diff := p.Call("GET", env+"/diff?summary=true", nil, 200)["summary"].([]any); len(diff) != 0 {
			t.Errorf("it differs from its beginning: %v", diff)
		}
		// Both go on, are reset, and are at their beginnings again.
		w := p.world(second)
		w.Post("It goes on.")
		if diff := p.Call("GET", env+"/diff", nil, 200)["inserts"].([]any); len(diff) != 1 {
			t.Errorf("one message is %d changes: %v", len(diff), diff)
		}
		reset := p.Call("POST", env+"/reset", nil, 200)
		for name, secret := range secretsOf(second) {
			if secretsOf(reset)[name] != secret {
				t.Errorf("%s is another after a reset", name)
			}
		}
		if got := works(p.Server, second["id"].(string), reset); got != allWork {
			t.Errorf("after a reset only %s work", got)
		}
		if diff := p.Call("GET", env+"/diff?summary=true", nil, 200)["summary"].([]any); len(diff) != 0 {
			t.Errorf("after a reset it differs from its beginning: %v", diff)
		}
	})
}

var requestIDs = regexp.MustCompile(`(?mi)^(X-Request-Id|X-Hubspot-Correlation-Id|Date|X-Slack-Req-Id|X-Slack-Unique-Id):.*$|"(correlationId|request_id)":"[^"]*"`)

// shown returns what the planes show of an environment, without what is its own:
// addresses, id, times in real time, secrets.
func shown(p plane, reply object) []string {
	w := p.world(reply)
	s := begin(w, newReceiver(w.T))
	own := []string{w.ID, "ENV", reply["fixture_password"].(string), "PASSWORD"}
	for name, secret := range secretsOf(reply) {
		own = append(own, secret, name)
	}
	hide := strings.NewReplacer(own...)
	bot, user, crm, key := s.Credential("messaging", "bot_token"), s.Credential("messaging", "user_token"), s.Credential("crm", "access_token"), s.Credential("ingest", "api_key")
	channels := s.send("messaging", "POST", "/api/conversations.list", user, object{"limit": 100})
	for _, c := range channels["channels"].([]any) {
		s.send("messaging", "POST", "/api/conversations.history", user, object{"channel": at(c, "id"), "limit": 100})
		s.send("messaging", "POST", "/api/conversations.members", user, object{"channel": at(c, "id")})
	}
	for _, method := range []string{"auth.test", "users.list", "team.info", "bots.info"} {
		s.send("messaging", "POST", "/api/"+method, bot, nil)
	}
	s.send("messaging", "GET", "/api/search.messages?query=release", user, nil)
	for _, path := range []string{"/api/apps", "/api/workspaces", "/api/auth/me", "/api/events/subscriptions"} {
		s.send("messaging", "GET", path, user, nil)
	}
	for _, kind := range []string{"companies", "contacts", "deals", "tickets"} {
		s.send("crm", "GET", "/api/crm/v3/objects/"+kind+"?limit=100&associations=companies,contacts&propertiesWithHistory=hs_object_id", crm, nil)
		s.send("crm", "POST", "/api/crm/v3/objects/"+kind+"/search", crm, object{"query": "studio", "limit": 100})
	}
	for _, path := range []string{"/api/crm/v3/owners?limit=100", "/api/crm/v3/pipelines/deals", "/api/account-info/v3/api-keys", "/api/account-info/v3/details"} {
		s.send("crm", "GET", path, crm, nil)
	}
	for _, query := range []string{`{ organization { id name createdAt urlKey } viewer { id email createdAt } users { nodes { id email createdAt updatedAt } } teams { nodes { id key name createdAt } } }`,
		`{ issues(first: 100) { nodes { id identifier title createdAt updatedAt branchName sortOrder comments { nodes { id body createdAt } } history { nodes { id createdAt } } } } }`,
		`{ cycles { nodes { id number startsAt endsAt progress } } projects { nodes { id name progress } } webhooks { nodes { id } } }`,
		`{ searchIssues(term: "export") { nodes { identifier } } }`} {
		s.send("tracker", "POST", "/graphql", s.Credential("tracker", "api_key"), object{"query": query})
	}
	s.send("tracker", "GET", "/api/api-keys", s.Credential("tracker", "api_key"), nil)
	for _, path := range []string{"events?limit=100", "sessions?limit=100", "users", "tools", "traits", "api-keys"} {
		s.send("ingest", "GET", "/api/v1/"+path, "", nil, "X-Api-Key", key)
	}
	for _, path := range []string{"", "/events", "/deliveries", "/people", "/snapshots", "/credentials"} {
		got := p.Call("GET", "/"+w.ID+path, nil, 200)
		for _, in := range []object{got, objectIn(got, "environment")} {
			delete(in, "name")
			delete(in, "size_bytes") // of files, which have been written in other steps
		}
		s.log = append(s.log, path+" "+fmt.Sprint(got))
	}
	for i := range s.log {
		s.log[i] = requestIDs.ReplaceAllString(hide.Replace(s.log[i]), "")
	}
	return s.log
}

func objectIn(o object, name string) object {
	in, _ := o[name].(object)
	return in
}

// What a copied demo is entered with is its own: nothing of the first works in it, nor
// the other way round, nor between two copies, and what works nowhere is refused alike.
func TestACopiedDemoHasCredentialsOfItsOwn(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		s := p.Server
		first, second := ownDemos(t, p)
		third := p.Call("POST", "", object{"fixture": "demo", "clock": "2026-03-02T09:00:00Z", "ephemeral": true}, 201)
		_, login := s.Call("POST", "/e/"+first["id"].(string)+"/messaging/api/auth/login", "", object{"email": at(first, "messaging", "admin_email"),
			"password": at(first, "messaging", "admin_password")})
		all := map[string]object{"first": first, "second": second, "third": third}
		for a, mine := range all {
			env := mine["id"].(string)
			if mine["admin"] == nil || at(mine, "messaging", "apps") != nil {
				t.Errorf("the reply to the creation of the %s is not that of a new environment: %v", a, slices.Sorted(maps.Keys(mine)))
			}
			if status, _ := s.Call("GET", "/e/"+env+"/crm/api/crm/v3/objects/contacts", at(mine, "crm", "fixture_token").(string), nil); status != 200 {
				t.Errorf("the token of the fixture does not work in the %s: %d", a, status)
			}
			for b, others := range all {
				want, accepted := "", 401
				if a == b {
					want, accepted = allWork, 200
				}
				if got := works(s, env, others); got != want {
					t.Errorf("in the %s the credentials of the %s: %q, want %q", a, b, got, want)
				}
				for service, email := range map[string]string{"messaging": "lena.park@understudy.example", "tracker": "lena.park@understudy.example",
					"crm": at(mine, "crm", "user_email").(string)} {
					if status, _ := s.Call("POST", "/e/"+env+"/"+service+"/api/auth/login", "", object{"email": email, "password": others["fixture_password"]}); status != accepted {
						t.Errorf("in the %s the password of the %s for %s: %d, want %d", a, b, service, status, accepted)
					}
				}
				if a == b {
					continue
				}
				for name, secret := range secretsOf(mine) {
					if secretsOf(others)[name] == secret {
						t.Errorf("%s is the same in the %s and the %s", name, a, b)
					}
				}
				if _, r := s.Call("POST", "/e/"+env+"/messaging/api/auth.test", at(others, "messaging", "bot_token").(string), nil); r["error"] != "invalid_auth" {
					t.Errorf("in the %s the token of the %s is not unknown: %v", a, b, r)
				}
			}
		}
		token, _ := login["access_token"].(string)
		if _, r := s.Call("POST", "/e/"+first["id"].(string)+"/messaging/api/auth.test", token, nil); r["ok"] != true {
			t.Fatal(login, r)
		}
		if _, r := s.Call("POST", "/e/"+second["id"].(string)+"/messaging/api/auth.test", token, nil); r["ok"] == true {
			t.Error("a session of the first is accepted by the second")
		}

		// Renewing ends what was there, and forks are as those of any world.
		renewed := p.Call("POST", "/"+second["id"].(string)+"/credentials/rotate", nil, 200)
		if old, now := works(s, second["id"].(string), second), works(s, second["id"].(string), renewed); old != "" || now != allWork {
			t.Errorf("after renewing: of the old %q work, of the new %q", old, now)
		}
		fork := p.Call("POST", "/"+third["id"].(string)+"/fork", object{"credentials": "fresh"}, 201)
		heir := p.Call("POST", "/"+third["id"].(string)+"/fork", object{}, 201)
		for _, c := range []struct {
			env, of object
			want    string
		}{{fork, fork, allWork}, {fork, third, ""}, {third, fork, ""}, {heir, third, allWork}} {
			if got := works(s, c.env["id"].(string), c.of); got != c.want {
				t.Errorf("forks: %q works, want %q", got, c.want)
			}
		}
	})
}
