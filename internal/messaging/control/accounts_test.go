package control_test

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ratelimit"
)

func TestSigningUp(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		r := s.call("POST", "/api/auth/signup", "", object{"email": "Ann@Example.com", "password": password, "name": " Ann "}).is(201)
		if r.at("account.email") != "ann@example.com" || r.at("account.name") != "Ann" || r.at("token_type") != "Bearer" ||
			r.body["expires_in"] != float64(auth.SessionLifetime/time.Second) {
			t.Errorf("%s", r.raw)
		}
		if r.body["workspace"] != nil || r.body["user"] != nil {
			t.Errorf("a workspace that nobody asked for: %s", r.raw)
		}
		s.call("GET", "/api/apps", r.at("access_token"), nil).is(403, "no_workspace")

		r = s.call("POST", "/api/auth/signup", "", object{"email": "bob@example.com", "password": password, "name": "Bob", "workspace_name": "Bob & Co."}).is(201)
		if r.at("workspace.domain") != "bob-co" || r.body["user"].(object)["is_admin"] != true {
			t.Errorf("%s", r.raw)
		}
		if user, team, ok := s.works(r.at("access_token")); !ok || user != r.at("user.id") || team != r.at("workspace.id") {
			t.Errorf("%s %s %v", user, team, ok)
		}

		s.call("POST", "/api/auth/signup", "", object{"email": "ANN@example.com", "password": password, "name": "Ann"}).is(409, "email_taken")
		for name, bad := range map[string]object{
			"invalid_email": {"email": "nonsense", "password": password, "name": "x"},
			"weak_password": {"email": "x@example.com", "password": "1234567", "name": "x"},
			"invalid_name":  {"email": "x@example.com", "password": password},
		} {
			s.call("POST", "/api/auth/signup", "", bad).is(400, name)
		}
		s.call("POST", "/api/auth/signup", "", object{"email": "x@example.com", "password": password, "name": "x",
			"workspace_name": strings.Repeat("x", 81)}).is(400, "invalid_name")
		// What was refused with its workspace was refused whole.
		s.call("POST", "/api/auth/login", "", object{"email": "x@example.com", "password": password}).is(401)
	})
}

func TestLoggingIn(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.member("ann@example.com")
		s.clock.Advance(time.Second)
		second := s.call("POST", "/api/workspaces", p.token, object{"name": "Second"}).is(201)
		logIn := func(more object) reply {
			body := object{"email": "ann@example.com", "password": password}
			for k, v := range more {
				body[k] = v
			}
			return s.call("POST", "/api/auth/login", "", body)
		}
		if r := logIn(nil).is(200); r.at("user.id") != p.user || r.at("workspace.id") != s.def.Workspace.ID {
			t.Errorf("the first workspace: %s", r.raw)
		}
		if r := logIn(object{"workspace_id": second.at("workspace.id")}).is(200); r.at("user.id") != second.at("user.id") {
			t.Errorf("the named workspace: %s", r.raw)
		}
		logIn(object{"workspace_id": "T0NOTHING00"}).is(404, "workspace_not_found")
		logIn(object{"password": "wrong horse"}).is(401, "invalid_credentials")
		logIn(object{"password": ""}).is(400)
		logIn(object{"email": ""}).is(400)
		logIn(object{"email": "nobody@example.com"}).is(401, "invalid_credentials")
		logIn(object{"email": strings.Repeat("x", 5000) + "@example.com"}).is(401, "invalid_credentials")
		s.call("POST", "/api/auth/login", "", object{"email": s.def.Admin.Email, "password": s.def.AdminPassword}).is(200)
	})
}

func TestFailedSignInsAreThrottled(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		s.signUp("ann@example.com")
		s.limits.Store(ratelimit.Setting(0)) // whatever the rate limits say
		try := func(email, password string) reply {
			return s.call("POST", "/api/auth/login", "", object{"email": email, "password": password})
		}
		for range 9 {
			try("ann@example.com", "wrong horse").is(401)
		}
		try("ann@example.com", password).is(200) // and her failures are forgotten
		for range 10 {
			try("ann@example.com", "wrong horse").is(401)
		}
		if r := try(" ANN@example.com", password).is(429, "ratelimited"); r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		try("nobody@example.com", "wrong horse").is(401) // another account
		s.address = "192.0.2.99"
		try("ann@example.com", password).is(200) // another address
	})
}

func TestRefreshTokensRotate(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.signUp("ann@example.com")
		refresh := func(token, workspace string) reply {
			return s.call("POST", "/api/auth/refresh", "", object{"refresh_token": token, "workspace_id": workspace})
		}
		first := refresh(p.refresh, "").is(200)
		if first.body["workspace"] != nil || first.at("account.id") != p.account {
			t.Errorf("%s", first.raw)
		}
		joined := s.call("POST", "/api/workspaces/"+s.def.Workspace.ID+"/join", first.at("access_token"), nil).is(200)
		s.clock.Advance(time.Second)
		made := s.call("POST", "/api/workspaces", first.at("access_token"), object{"name": "Own"}).is(201)

		// A session in no workspace goes to the first there is, then stays until it is moved.
		second := refresh(first.at("refresh_token"), "").is(200)
		if second.at("user.id") != joined.at("user.id") {
			t.Errorf("%s", second.raw)
		}
		own := made.at("workspace.id")
		third := refresh(second.at("refresh_token"), own).is(200)
		fourth := refresh(third.at("refresh_token"), "").is(200)
		if third.at("workspace.id") != own || fourth.at("workspace.id") != own {
			t.Errorf("%s %s", third.raw, fourth.raw)
		}
		// A refused move costs nothing.
		refresh(fourth.at("refresh_token"), "T0NOTHING00").is(404, "workspace_not_found")
		// A workspace that is gone is left.
		s.call("DELETE", "/api/workspaces/"+own, fourth.at("access_token"), nil).is(204)
		fifth := refresh(fourth.at("refresh_token"), "").is(200)
		if fifth.at("workspace.id") != s.def.Workspace.ID {
			t.Errorf("%s", fifth.raw)
		}
		// A used token again ends the family, its access tokens included.
		refresh(third.at("refresh_token"), "").is(401)
		refresh(fifth.at("refresh_token"), "").is(401)
		s.call("GET", "/api/auth/me", fifth.at("access_token"), nil).is(401, "token_revoked")
		refresh("nonsense", "").is(401)
		refresh("", "").is(400)

		other := s.signUp("bob@example.com")
		s.clock.Advance(auth.RefreshLifetime)
		refresh(other.refresh, "").is(401, "token_expired")
	})
}

func TestLoggingOut(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.member("ann@example.com")
		again := s.call("POST", "/api/auth/login", "", object{"email": p.email, "password": password}).is(200)
		s.call("POST", "/api/auth/logout", p.token, nil).is(204)
		s.call("GET", "/api/auth/me", p.token, nil).is(401, "token_revoked")
		if _, _, ok := s.works(p.token); ok {
			t.Error("the data plane takes the ended session")
		}
		s.call("POST", "/api/auth/refresh", "", object{"refresh_token": p.refresh}).is(401)

		// The other session goes on until its refresh token is handed in, for which it needs no bearer.
		s.call("GET", "/api/auth/me", again.at("access_token"), nil).is(200)
		s.call("POST", "/api/auth/logout", "", object{"refresh_token": again.at("refresh_token")}).is(204)
		s.call("GET", "/api/auth/me", again.at("access_token"), nil).is(401)
		s.call("POST", "/api/auth/logout", "", object{"refresh_token": "unknown"}).is(204)

		s.call("POST", "/api/auth/logout", "", nil).is(401)
		s.call("POST", "/api/auth/logout", s.admin(), nil).is(403)
		s.call("GET", "/api/auth/me", s.admin(), nil).is(200)
	})
}

func TestMe(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.member("ann@example.com")
		r := s.call("GET", "/api/auth/me", p.token, nil).is(200)
		if r.at("account.id") != p.account || r.at("user.id") != p.user || r.at("workspace.id") != s.def.Workspace.ID || len(r.list("workspaces")) != 1 {
			t.Errorf("%s", r.raw)
		}
		r = s.call("GET", "/api/auth/me", s.admin(), nil).is(200)
		if r.at("account.email") != s.def.Admin.Email || r.at("user.id") != s.def.Admin.ID {
			t.Errorf("a user token is its user: %s", r.raw)
		}
		bare := s.signUp("bob@example.com")
		if r = s.call("GET", "/api/auth/me", bare.token, nil).is(200); r.body["user"] != nil || r.list("workspaces") == nil {
			t.Errorf("%s", r.raw)
		}
		if r := s.call("GET", "/api/auth/me", "", nil).is(401); r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%v", r.header)
		}
		s.call("GET", "/api/auth/me", s.def.Secrets.BotToken, nil).is(403, "not_allowed_token_type")
		s.call("GET", "/api/auth/me", adminKey, nil).is(401)
		s.clock.Advance(auth.SessionLifetime)
		s.call("GET", "/api/auth/me", p.token, nil).is(401, "token_expired")
	})
}
