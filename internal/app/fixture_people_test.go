package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

func withFixture(data string) func(o *config.Serve) {
	return func(o *config.Serve) { o.Data, o.Fixture = data, "demo" }
}

func fileOf(t *testing.T, data string) (all object) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, "credentials.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// people lists the e-mail addresses of everyone whom the services show.
func people(t *testing.T, s *apptest.Server) map[string][]string {
	t.Helper()
	out := map[string][]string{"crm": {s.Credential("crm", "user_email")}}
	_, users := s.Call("GET", "/messaging/api/users.list?limit=1000", s.Credential("messaging", "user_token"), nil)
	for _, m := range users["members"].([]any) {
		u := m.(object)
		if email, ok := u["profile"].(object)["email"].(string); ok && u["is_bot"] != true && u["deleted"] != true {
			out["messaging"] = append(out["messaging"], email)
		}
	}
	_, found := s.Call("POST", "/tracker/graphql", s.Credential("tracker", "api_key"), object{"query": "{ users(first: 100) { nodes { email active } } }"})
	for _, n := range found["data"].(object)["users"].(object)["nodes"].([]any) {
		if u := n.(object); u["active"] == true {
			out["tracker"] = append(out["tracker"], u["email"].(string))
		}
	}
	return out
}

func TestPeopleOfAFixtureSignIn(t *testing.T) {
	data := t.TempDir()
	s := apptest.Start(t, withFixture(data))
	admin := s.Credential("admin", "key")
	all := people(t, s)
	if len(all["messaging"]) < 3 || len(all["tracker"]) < 3 {
		t.Fatalf("%v", all)
	}
	signIn := func(base, password string, want int) {
		t.Helper()
		for service, emails := range all {
			for i, email := range emails {
				if want != 200 && i >= 3 {
					break // failures count
				}
				if status, out := s.Call("POST", base+"/"+service+"/api/auth/login", "", object{"email": email, "password": password}); status != want {
					t.Errorf("%s: %s: %d %v", service, email, status, out)
				}
			}
		}
	}
	first, ok := fileOf(t, data)["fixture_password"].(string)
	if !ok || len(first) < 16 {
		t.Fatalf("fixture_password: %q", first)
	}
	signIn("", first, 200)
	for _, c := range credentials {
		if !c.good(s, s.URL, s.Credential(c.service, c.member)) {
			t.Errorf("%s.%s is not good", c.service, c.member)
		}
	}
	if status, _ := s.Call("GET", "/crm/api/crm/v3/objects/contacts", s.Credential("crm", "fixture_token"), nil); status != 200 {
		t.Errorf("crm.fixture_token: %d", status)
	}
	if text := s.Credential("crm", "fixture_token"); text != "pat-na1-d3300000-0000-4000-8000-000000000001" {
		t.Errorf("crm.fixture_token %s", text)
	}
	// The seeded person is who signs in, and nobody becomes that person twice.
	_, in := s.Call("POST", "/messaging/api/auth/login", "", object{"email": all["messaging"][1], "password": first})
	_, who := s.Call("POST", "/messaging/api/auth.test", in["access_token"].(string), nil)
	if who["ok"] != true || who["user_id"] != in["user"].(object)["id"] {
		t.Errorf("%v %v", who, in)
	}
	if status, _ := s.Call("POST", "/messaging/api/auth/signup", "", object{"email": all["messaging"][1], "password": "correct horse", "name": "x"}); status != 409 {
		t.Errorf("signed up with a person's address: %d", status)
	}

	// Forks, environments of their own, and rotation.
	_, fork := s.Call("POST", "/admin/v1/environments/default/fork", admin, object{})
	if fork["fixture_password"] != first {
		t.Error("a fork has another password")
	}
	signIn("/e/"+fork["id"].(string), first, 200)
	_, own := s.Call("POST", "/admin/v1/environments", admin, object{"fixture": "demo"})
	if own["fixture_password"] == first || own["fixture_password"] == nil {
		t.Errorf("another environment: %v", own["fixture_password"])
	}
	_, plain := s.Call("POST", "/admin/v1/environments", admin, object{})
	if plain["fixture_password"] != nil || plain["crm"].(object)["fixture_token"] != nil {
		t.Errorf("an environment without a fixture: %v", plain)
	}
	if status, _ := s.Call("POST", "/admin/v1/environments/default/credentials/rotate", admin, nil); status != 200 {
		t.Fatal(status)
	}
	second := fileOf(t, data)["fixture_password"].(string)
	if second == first {
		t.Error("fixture_password was not renewed")
	}
	signIn("", first, 401)
	admins := map[string]bool{s.Credential("messaging", "admin_email"): true, s.Credential("crm", "user_email"): false}
	for service, emails := range all {
		for _, email := range emails {
			if admins[email] {
				continue // has admin_password of its own now
			}
			if status, _ := s.Call("POST", "/"+service+"/api/auth/login", "", object{"email": email, "password": second}); status != 200 {
				t.Errorf("%s: %s after rotation: %d", service, email, status)
			}
		}
	}
}

// Signing up with the address of a seeded person who has no password claims
// that person.
func TestSigningUpClaimsASeededPerson(t *testing.T) {
	s := apptest.Start(t)
	admin := s.Credential("admin", "key")
	doc := object{
		"messaging": object{"users": object{"ann": object{"email": "ann@example.com", "name": "Ann Seeded"}}},
		"tracker":   object{"users": object{"ann": object{"email": "ann@example.com", "name": "Ann Seeded"}}},
	}
	status, seeded := s.Call("POST", "/admin/v1/environments/default/seed", admin, doc)
	if status != 200 {
		t.Fatal(status, seeded)
	}
	made := seeded["made"].(object)
	body := object{"email": "Ann@Example.com", "password": "correct horse", "name": "Ann"}
	_, up := s.Call("POST", "/messaging/api/auth/signup", "", body)
	want := made["messaging"].(object)["users"].(object)["ann"].(object)["id"]
	if u, _ := up["user"].(object); u["id"] != want {
		t.Errorf("messaging: signed up as %v, not %v", up["user"], want)
	}
	_, joined := s.Call("POST", "/messaging/api/workspaces/"+s.Credential("messaging", "workspace_id")+"/join", up["access_token"].(string), nil)
	if joined["user"].(object)["id"] != want {
		t.Errorf("messaging: joined as %v", joined["user"])
	}
	for _, m := range people(t, s)["messaging"] {
		if strings.EqualFold(m, "ann@example.com") {
			want = nil
		}
	}
	if n := strings.Count(strings.Join(people(t, s)["messaging"], " "), "ann@example.com"); n != 1 {
		t.Errorf("%d users of one address", n)
	}
	status, up = s.Call("POST", "/tracker/api/auth/signup", "", body)
	if status != 201 {
		t.Fatal(status, up)
	}
	if u := up["user"].(object); u["name"] != "Ann Seeded" || up["organization"] == nil {
		t.Errorf("tracker: %v", up)
	}
}

// Beyond loopback no published credential is accepted.
func TestBeyondLoopbackSecretsCannotBeForeseen(t *testing.T) {
	data := t.TempDir()
	make := func(t *testing.T, o func(*config.Serve)) (s *apptest.Server, reply object) {
		s = apptest.Start(t, o)
		status, reply := s.Call("POST", "/admin/v1/environments", s.Credential("admin", "key"), object{"seed": 42, "clock": "2026-03-01T12:00:00Z"})
		if status != 201 {
			t.Fatal(status, reply)
		}
		return s, reply
	}
	beyond := func(folder string) func(*config.Serve) {
		return func(o *config.Serve) { o.Data, o.Fixture, o.CRMListen = folder, "demo", "0.0.0.0:0" }
	}
	mint := func(s *apptest.Server, env object) (id, token string) {
		_, key := s.Call("POST", "/e/"+env["id"].(string)+"/crm/api/account-info/v3/api-keys", env["crm"].(object)["access_token"].(string), object{"name": "x"})
		_, app := s.Call("POST", "/e/"+env["id"].(string)+"/messaging/api/apps", env["messaging"].(object)["user_token"].(string), object{"manifest": object{"display_information": object{"name": "x"}}})
		return app["app_id"].(string), key["token"].(string)
	}
	var loopback, other, again object
	var ids, tokens []string
	note := func(s *apptest.Server, env object) {
		id, token := mint(s, env)
		ids, tokens = append(ids, id), append(tokens, token)
	}
	var left string
	t.Run("loopback", func(t *testing.T) {
		s, reply := make(t, func(o *config.Serve) { o.Data = data })
		loopback, left = reply, reply["id"].(string)
		note(s, reply)
	})
	t.Run("beyond", func(t *testing.T) {
		s, reply := make(t, beyond(data))
		other = reply
		note(s, reply)
		if _, ok := fileOf(t, data)["crm"].(object)["fixture_token"]; ok {
			t.Error("crm.fixture_token is made")
		}
		if status, out := s.Call("GET", "/e/"+left+"/messaging/api/health", "", nil); status != 409 {
			t.Errorf("an environment whose secrets can be foreseen: %d %v", status, out)
		}
		if status, _ := s.Call("DELETE", "/admin/v1/environments/"+left, s.Credential("admin", "key"), nil); status != 204 {
			t.Errorf("it cannot be deleted: %d", status)
		}
	})
	t.Run("again", func(t *testing.T) { // another server, other secrets
		folder := t.TempDir()
		s, reply := make(t, beyond(folder))
		again = reply
		note(s, reply)
		if status, _ := s.Call("GET", "/crm/api/crm/v3/objects/contacts", "pat-na1-d3300000-0000-4000-8000-000000000001", nil); status != 401 {
			t.Errorf("the token that is the same everywhere: %d", status)
		}
	})
	for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
		for member, value := range loopback[service].(object) {
			text, ok := value.(string)
			if !ok || member == "base_url" {
				continue
			}
			secret := strings.Contains(member, "token") || strings.Contains(member, "secret") || strings.Contains(member, "key") && member != "url_key" || strings.Contains(member, "password")
			a, b := other[service].(object)[member], again[service].(object)[member]
			if secret && (a == text || b == text || a == b) {
				t.Errorf("%s.%s follows from the seed: %s, %v, %v", service, member, text, a, b)
			}
			if !secret && (a != text || b != text) {
				t.Errorf("%s.%s is not reproducible: %s, %v, %v", service, member, text, a, b)
			}
		}
	}
	if ids[0] != ids[1] || ids[1] != ids[2] {
		t.Errorf("ids made later: %v", ids)
	}
	if tokens[0] == tokens[1] || tokens[1] == tokens[2] {
		t.Errorf("secrets made later: %v", tokens)
	}
}
