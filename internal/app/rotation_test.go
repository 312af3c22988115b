package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// credential is one that credentials.json holds, and a call that it is good for.
type credential struct {
	service, member string
	good            func(s *apptest.Server, base, text string) bool
}

func login(path, emailOf string) func(s *apptest.Server, base, text string) bool {
	return func(s *apptest.Server, base, text string) bool {
		service, email, _ := strings.Cut(emailOf, ".")
		status, _ := s.Call("POST", base+"/"+service+path, "", object{"email": s.Credential(service, email), "password": text})
		return status == 200
	}
}

func get(path string) func(s *apptest.Server, base, text string) bool {
	return func(s *apptest.Server, base, text string) bool {
		status, _ := s.Call("GET", base+path, text, nil)
		return status == 200
	}
}

func graphql(s *apptest.Server, base, text string) bool {
	status, out := s.Call("POST", base+"/tracker/graphql", text, object{"query": "{ viewer { id } }"})
	return status == 200 && out["errors"] == nil
}

var credentials = []credential{
	{"messaging", "bot_token", func(s *apptest.Server, base, text string) bool {
		_, out := s.Call("POST", base+"/messaging/api/auth.test", text, nil)
		return out["ok"] == true
	}},
	{"messaging", "user_token", get("/messaging/api/apps")},
	{"messaging", "admin_password", login("/api/auth/login", "messaging.admin_email")},
	{"crm", "access_token", get("/crm/api/crm/v3/objects/contacts")},
	{"crm", "user_password", login("/api/auth/login", "crm.user_email")},
	{"crm", "client_secret", func(s *apptest.Server, base, text string) bool {
		status, _ := s.Call("POST", base+"/crm/api/oauth/v1/token", "", object{"grant_type": "client_credentials", "client_id": s.Credential("crm", "client_id"), "client_secret": text})
		return status == 200
	}},
	{"tracker", "api_key", graphql},
	{"tracker", "user_password", login("/api/auth/login", "tracker.user_email")},
	{"ingest", "api_key", get("/ingest/api/v1/tools")},
}

func held(s *apptest.Server) map[string]string {
	out := map[string]string{}
	for _, c := range credentials {
		out[c.service+"."+c.member] = s.Credential(c.service, c.member)
	}
	for _, member := range []string{"signing_secret", "verification_token"} {
		out["messaging."+member] = s.Credential("messaging", member)
	}
	return out
}

func TestAllCredentialsOfAnEnvironmentAreRenewed(t *testing.T) {
	s := apptest.Start(t)
	admin := s.Credential("admin", "key")
	old := held(s)
	_, messaging := s.Call("POST", "/messaging/api/auth/login", "", object{"email": s.Credential("messaging", "admin_email"), "password": old["messaging.admin_password"]})
	_, crm := s.Call("POST", "/crm/api/auth/login", "", object{"email": s.Credential("crm", "user_email"), "password": old["crm.user_password"]})
	_, tracker := s.Call("POST", "/tracker/api/auth/login", "", object{"email": s.Credential("tracker", "user_email"), "password": old["tracker.user_password"]})
	ids := map[string]string{}
	for _, member := range []string{"workspace_id", "admin_user_id", "app_id", "bot_id", "bot_user_id"} {
		ids[member] = s.Credential("messaging", member)
	}
	for range 2 {
		status, reply := s.Call("POST", "/admin/v1/environments/default/credentials/rotate", admin, nil)
		if status != 200 {
			t.Fatal(status, reply)
		}
		renewed := held(s)
		for name, text := range renewed {
			service, member, _ := strings.Cut(name, ".")
			if text == old[name] || text == "" {
				t.Errorf("%s was not renewed", name)
			}
			if reply[service].(object)[member] != text {
				t.Errorf("%s: the reply and credentials.json differ", name)
			}
		}
		for _, c := range credentials {
			if c.good(s, s.URL, old[c.service+"."+c.member]) {
				t.Errorf("the old %s.%s is good", c.service, c.member)
			}
			if !c.good(s, s.URL, renewed[c.service+"."+c.member]) {
				t.Errorf("the new %s.%s is not good", c.service, c.member)
			}
		}
		old = renewed
	}
	for member, id := range ids {
		if s.Credential("messaging", member) != id {
			t.Errorf("%s changed", member)
		}
	}
	for path, token := range map[string]any{"/messaging/api/auth/me": messaging["access_token"], "/crm/api/crm/v3/objects/contacts": crm["accessToken"],
		"/tracker/api/api-keys": tracker["accessToken"]} {
		if status, _ := s.Call("GET", path, token.(string), nil); status != 401 {
			t.Errorf("%s: a session from before is good: %d", path, status)
		}
	}
	if status, _ := s.Call("POST", "/messaging/api/auth/refresh", "", object{"refresh_token": messaging["refresh_token"]}); status != 401 {
		t.Errorf("a refresh token from before: %d", status)
	}

	// A fork has what its parent had, and is renewed for itself.
	_, fork := s.Call("POST", "/admin/v1/environments/default/fork", admin, object{})
	base := s.URL + "/e/" + fork["id"].(string)
	for _, c := range credentials {
		if !c.good(s, base, old[c.service+"."+c.member]) {
			t.Errorf("a fork does not know its parent's %s.%s", c.service, c.member)
		}
	}
	if status, _ := s.Call("POST", "/admin/v1/environments/"+fork["id"].(string)+"/credentials/rotate", admin, nil); status != 200 {
		t.Fatal(status)
	}
	for _, c := range credentials {
		if !c.good(s, s.URL, old[c.service+"."+c.member]) || c.good(s, base, old[c.service+"."+c.member]) {
			t.Errorf("%s.%s: rotation of the fork", c.service, c.member)
		}
	}
	if status, _ := s.Call("POST", "/admin/v1/environments/nothing/credentials/rotate", admin, nil); status != 404 {
		t.Errorf("an unknown environment: %d", status)
	}
}

func TestTheAdminKeyIsRenewed(t *testing.T) {
	data := t.TempDir()
	var old, renewed string
	good := func(s *apptest.Server, key string) bool {
		status, _ := s.Call("GET", "/admin/v1/environments", key, nil)
		return status == 200
	}
	t.Run("first", func(t *testing.T) {
		s := apptest.Start(t, func(o *config.Serve) { o.Data = data })
		first := s.Credential("admin", "key")
		_, reply := s.Call("POST", "/admin/v1/key/rotate", first, nil)
		old, _ = reply["key"].(string)
		_, reply = s.Call("POST", "/admin/v1/key/rotate", old, nil)
		renewed, _ = reply["key"].(string)
		if renewed == "" || renewed == old || renewed != s.Credential("admin", "key") {
			t.Fatalf("%v", reply)
		}
		if !good(s, renewed) || !good(s, old) || good(s, first) {
			t.Error("the new key and, for a minute, the one before are good")
		}
	})
	t.Run("after a restart", func(t *testing.T) {
		s := apptest.Start(t, func(o *config.Serve) { o.Data = data })
		if !good(s, renewed) || s.Credential("admin", "key") != renewed {
			t.Error("the key was forgotten")
		}
	})
}

func TestPasswordsAreChanged(t *testing.T) {
	for _, x := range []struct{ service, email, password, me string }{
		{"messaging", "admin_email", "admin_password", "/messaging/api/auth/me"},
		{"crm", "user_email", "user_password", "/crm/api/crm/v3/objects/contacts"},
		{"tracker", "user_email", "user_password", "/tracker/api/api-keys"},
	} {
		t.Run(x.service, func(t *testing.T) {
			s := apptest.Start(t)
			email, was := s.Credential(x.service, x.email), s.Credential(x.service, x.password)
			signIn := func(password string, want int) string {
				t.Helper()
				status, out := s.Call("POST", "/"+x.service+"/api/auth/login", "", object{"email": email, "password": password})
				if status != want {
					t.Fatalf("login: %d %v", status, out)
				}
				text, ok := out["access_token"].(string)
				if !ok {
					text, _ = out["accessToken"].(string)
				}
				return text
			}
			mine, other := signIn(was, 200), signIn(was, 200)
			change := func(token, current, next string, want int) {
				t.Helper()
				status, out := s.Call("POST", "/"+x.service+"/api/auth/password", token, object{"current_password": current, "new_password": next})
				if status != want {
					t.Fatalf("%d %v, want %d", status, out, want)
				}
			}
			change("", was, "another horse", 401)
			change(mine, "wrong", "another horse", 401)
			change(mine, was, "short", 400)
			change(mine, was, "", 400)
			signIn(was, 200)
			change(mine, was, "another horse", 204)
			signIn(was, 401)
			signIn("another horse", 200)
			for token, want := range map[string]int{mine: 200, other: 401} {
				if status, _ := s.Call("GET", x.me, token, nil); status != want {
					t.Errorf("a session afterwards: %d, want %d", status, want)
				}
			}
			if text := s.Credential(x.service, x.password); text != "" {
				t.Errorf("credentials.json shows a password that is not good: %q", text)
			}
		})
	}
}

func TestSessionsBelongToTheirEnvironment(t *testing.T) {
	s := apptest.Start(t)
	admin := s.Credential("admin", "key")
	signIn := func(base string) string {
		t.Helper()
		status, out := s.Call("POST", base+"/messaging/api/auth/login", "", object{"email": s.Credential("messaging", "admin_email"), "password": s.Credential("messaging", "admin_password")})
		if status != 200 {
			t.Fatal(status, out)
		}
		return out["access_token"].(string)
	}
	works := func(base, token string) bool {
		status, _ := s.Call("GET", base+"/messaging/api/auth/me", token, nil)
		return status == 200
	}
	fork := func(env string, body object) (id, base string) {
		t.Helper()
		status, out := s.Call("POST", "/admin/v1/environments/"+env+"/fork", admin, body)
		if status != 201 {
			t.Fatal(status, out)
		}
		return out["id"].(string), s.URL + "/e/" + out["id"].(string)
	}
	before, over := signIn(s.URL), signIn(s.URL)
	if status, _ := s.Call("POST", "/messaging/api/auth/logout", over, nil); status != 204 {
		t.Fatal(status)
	}
	_, first := fork("default", object{})
	after := signIn(s.URL)
	inFork := signIn(first)
	for _, x := range []struct {
		what, base, token string
		want              bool
	}{
		{"of the parent, in a fork made after it", first, before, true},
		{"of the parent, ended before the fork", first, over, false},
		{"of the parent, from after the fork", first, after, false},
		{"of the fork, at home", first, inFork, true},
		{"of the fork, at its parent", s.URL, inFork, false},
		{"of the parent, at home", s.URL, after, true},
	} {
		if got := works(x.base, x.token); got != x.want {
			t.Errorf("a session %s: %v", x.what, got)
		}
	}
	if status, _ := s.Call("POST", first+"/messaging/api/auth/logout", before, nil); status != 204 {
		t.Fatal(status)
	}
	if works(first, before) || !works(s.URL, before) {
		t.Error("a session ends where it is ended")
	}
}

func TestTheAuditLogHasWhoDidWhat(t *testing.T) {
	s := apptest.Start(t)
	admin := s.Credential("admin", "key")
	_, made := s.Call("POST", "/admin/v1/environments", admin, object{"name": "audited"})
	env := made["id"].(string)
	base := "/e/" + env
	s.Call("POST", "/admin/v1/environments/"+env+"/snapshots", admin, object{"name": "one"})
	s.Call("POST", "/admin/v1/environments/"+env+"/snapshots", "wrong", object{"name": "refused"})
	s.Call("POST", base+"/ingest/api/v1/api-keys", admin, object{"name": "k"})
	_, key := s.Call("POST", base+"/crm/api/account-info/v3/api-keys", made["crm"].(object)["access_token"].(string), object{"name": "k"})
	s.Call("POST", base+"/crm/api/account-info/v3/api-keys", made["crm"].(object)["access_token"].(string), object{"name": "k", "tier": "nonsense"})
	s.Call("POST", base+"/tracker/api/api-keys", made["tracker"].(object)["api_key"].(string), object{"label": "k"})
	s.Call("POST", base+"/messaging/api/admin/provision", admin, object{"rotate": true})
	s.Call("POST", "/admin/v1/environments/"+env+"/credentials/rotate", admin, nil)
	s.Call("DELETE", "/admin/v1/environments/"+env, admin, nil)
	_, log := s.Call("GET", "/admin/v1/audit?environment="+env, admin, nil)
	var got []string
	for _, e := range log["entries"].([]any) {
		entry := e.(object)
		got = append(got, entry["service"].(string)+" "+entry["action"].(string))
		if entry["address"] != "127.0.0.1" || entry["actor"] == "" || entry["at"] == "" || entry["request_id"] == "" {
			t.Errorf("%v", entry)
		}
		if entry["action"] == "api_key.create" && entry["service"] == "crm" && entry["target"] != key["id"] {
			t.Errorf("%v is not about %v", entry, key["id"])
		}
	}
	want := " environment.delete, credentials.rotate,messaging credentials.rotate,tracker api_key.create,crm api_key.create,ingest api_key.create, snapshot.create, environment.create"
	if strings.Join(got, ",") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ","), want)
	}
	text, _ := json.Marshal(log)
	for name, secret := range held(s) {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s stands in the audit log", name)
		}
	}
	_, page := s.Call("GET", "/admin/v1/audit?limit=2&environment="+env, admin, nil)
	_, next := s.Call("GET", "/admin/v1/audit?limit=2&environment="+env+"&cursor="+page["next_cursor"].(string), admin, nil)
	if page["entries"].([]any)[1].(object)["id"].(float64)-1 < next["entries"].([]any)[0].(object)["id"].(float64) {
		t.Errorf("%v then %v", page, next)
	}
	if status, _ := s.Call("GET", "/admin/v1/audit", "", nil); status != http.StatusUnauthorized {
		t.Errorf("without a key: %d", status)
	}
}
