package control_test

import (
	"strings"
	"testing"
)

func TestProvisioningRotatesTheDefaultTokens(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		old := s.def
		other := s.call("POST", "/api/apps", s.admin(), object{"manifest": manifest("Other", []string{"chat:write"}, []string{"chat:write"})}).is(201)
		p := s.member("ann@example.com")
		signIn := func(password string, status int) string {
			t.Helper()
			return s.call("POST", "/api/auth/login", "", object{"email": old.Admin.Email, "password": password}).is(status).at("access_token")
		}
		admin := signIn(old.AdminPassword, 200)

		bot, user, secrets := old.Secrets.BotToken, old.Secrets.UserToken, []string{old.AdminPassword, old.Secrets.SigningSecret, old.Secrets.VerificationToken}
		for i, by := range []string{"user token", "session", "admin key"} {
			session := admin
			token := map[string]string{"user token": user, "session": admin, "admin key": adminKey}[by]
			r := s.call("POST", "/api/admin/provision", token, object{"rotate": true}).is(200)
			for member, want := range map[string]string{"workspace_id": old.Workspace.ID, "admin_user_id": old.Admin.ID, "admin_email": old.Admin.Email,
				"app_id": old.App.ID, "bot_id": old.App.BotID, "bot_user_id": old.App.BotUserID, "base_url": "http://site/messaging"} {
				if r.at(member) != want {
					t.Errorf("%s: %q, want %q", member, r.at(member), want)
				}
			}
			for j, member := range []string{"admin_password", "signing_secret", "verification_token"} {
				if r.at(member) == secrets[j] || r.at(member) == "" {
					t.Errorf("%s was not renewed", member)
				}
			}
			signIn(secrets[0], 401)
			secrets = []string{r.at("admin_password"), r.at("signing_secret"), r.at("verification_token")}
			admin = signIn(secrets[0], 200)
			for _, was := range []string{bot, user, session} {
				if got := s.call("POST", "/api/auth.test", was, nil); got.at("error") != "token_revoked" {
					t.Errorf("an old token, or a session of the admin: %s", got.raw)
				}
			}
			bot, user = r.at("bot_token"), r.at("user_token")
			for token, want := range map[string]string{bot: old.App.BotUserID, user: old.Admin.ID, other.at("bot_token"): other.at("bot_user_id"),
				other.at("user_token"): old.Admin.ID, p.token: p.user, admin: old.Admin.ID} {
				if got, _, ok := s.works(token); !ok || got != want {
					t.Errorf("after rotation %d: %q, want %q", i, got, want)
				}
			}
			if got := s.changed.Load(); got != int64(i+1) {
				t.Errorf("the credentials were written %d times", got)
			}
		}
		r := s.call("POST", "/api/admin/provision", user, nil).is(200) // without a body, as with rotate
		if r.at("bot_token") == bot {
			t.Error("nothing was rotated")
		}
		shown := s.call("POST", "/api/admin/provision", adminKey, object{"rotate": false}).is(200)
		if shown.at("bot_token") != r.at("bot_token") || s.changed.Load() != 4 {
			t.Errorf("showing changed something: %s", shown.raw)
		}
	})
}

func TestProvisioningMakesWorkspaces(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		first := s.call("POST", "/api/admin/provision", adminKey, object{"workspace_name": "Far"}).is(200)
		second := s.call("POST", "/api/admin/provision", s.admin(), object{"workspace_name": "Far"}).is(200)
		if first.at("workspace_id") == second.at("workspace_id") || first.at("bot_token") == second.at("bot_token") || first.at("admin_email") == second.at("admin_email") {
			t.Errorf("%s %s", first.raw, second.raw)
		}
		for _, r := range []reply{first, second} {
			for token, want := range map[string]string{r.at("bot_token"): r.at("bot_user_id"), r.at("user_token"): r.at("admin_user_id")} {
				if user, team, ok := s.works(token); !ok || user != want || team != r.at("workspace_id") {
					t.Errorf("%s %s %v", user, team, ok)
				}
			}
			in := s.call("POST", "/api/auth/login", "", object{"email": r.at("admin_email"), "password": r.at("admin_password")}).is(200)
			if in.at("user.id") != r.at("admin_user_id") {
				t.Errorf("%s", in.raw)
			}
		}
		if _, _, ok := s.works(s.admin()); !ok || s.changed.Load() != 0 {
			t.Error("the default workspace was touched")
		}

		// Its admin rotates that workspace, and has no way to the tokens of another.
		r := s.call("POST", "/api/admin/provision", first.at("user_token"), object{"rotate": true}).is(200)
		if r.at("workspace_id") != first.at("workspace_id") || r.at("app_id") != first.at("app_id") || r.at("user_token") == first.at("user_token") {
			t.Errorf("%s", r.raw)
		}
		for _, token := range []string{s.admin(), second.at("user_token"), r.at("user_token")} {
			if _, _, ok := s.works(token); !ok {
				t.Error("a token of another workspace, or the new one, stopped working")
			}
		}
		s.call("POST", "/api/admin/provision", adminKey, object{"workspace_name": "  "}).is(400, "invalid_name")
	})
}

func TestProvisioningIsForAdmins(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.member("ann@example.com")
		own := s.call("POST", "/api/workspaces", p.token, object{"name": "Own"}).is(201)
		call := func(token string) reply { return s.call("POST", "/api/admin/provision", token, object{"rotate": true}) }
		call("").is(401)
		call("nonsense").is(401)
		call(p.token).is(403, "not_admin")
		call(s.def.Secrets.BotToken).is(403, "not_allowed_token_type")
		call(s.signUp("bob@example.com").token).is(403, "no_workspace")
		// An admin of a workspace that people made is not one of the default workspace.
		call(own.at("access_token")).is(403, "not_provisioned")
		if _, _, ok := s.works(s.admin()); !ok || s.changed.Load() != 0 {
			t.Error("a refused call rotated the tokens")
		}
		s.call("POST", "/api/admin/provision", adminKey, object{"rotate": "yes"}).is(400)
	})
}

// The address in the admin's profile is not the one that the admin signs in with.
func TestRotationRenewsThePasswordBesideAnotherAddressInTheProfile(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		old := s.def
		if r := s.call("POST", "/api/users.profile.set", old.Secrets.UserToken, object{"profile": object{"email": "other@example.com"}}); !strings.Contains(r.raw, `"ok":true`) {
			t.Fatal(r.raw)
		}
		r := s.call("POST", "/api/admin/provision", adminKey, object{"rotate": true}).is(200)
		if r.at("admin_email") != old.AdminEmail || r.at("admin_password") == "" || r.at("admin_password") == old.AdminPassword {
			t.Errorf("%s", r.raw)
		}
		s.call("POST", "/api/auth/login", "", object{"email": old.AdminEmail, "password": old.AdminPassword}).is(401)
		s.call("POST", "/api/auth/login", "", object{"email": old.AdminEmail, "password": r.at("admin_password")}).is(200)
	})
}
