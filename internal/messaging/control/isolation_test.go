package control_test

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestWorkspacesDoNotSeeEachOther(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		far := s.call("POST", "/api/admin/provision", adminKey, object{"workspace_name": "Far"}).is(200)
		path := "/api/workspaces/" + s.def.Workspace.ID
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.call(method, path, far.at("user_token"), object{"name": "Taken"}).is(404, "workspace_not_found")
		}
		in := s.call("POST", "/api/auth/login", "", object{"email": far.at("admin_email"), "password": far.at("admin_password"),
			"workspace_id": s.def.Workspace.ID}).is(404, "workspace_not_found")
		if in.at("access_token") != "" {
			t.Error("a token came with the refusal")
		}
		apps := s.call("GET", "/api/apps", far.at("user_token"), nil).is(200)
		if strings.Contains(apps.raw, s.def.App.ID) || len(apps.list("apps")) != 1 {
			t.Errorf("%s", apps.raw)
		}
		if r := s.call("GET", "/api/workspaces", far.at("user_token"), nil).is(200); strings.Contains(r.raw, s.def.Workspace.ID) {
			t.Errorf("%s", r.raw)
		}
		if r := s.call("GET", path, s.admin(), nil).is(200); r.at("workspace.name") != "Understudy" {
			t.Errorf("%s", r.raw)
		}
		// Whoever deletes theirs takes nothing else along.
		s.call("DELETE", "/api/workspaces/"+far.at("workspace_id"), far.at("user_token"), nil).is(204)
		if _, _, ok := s.works(far.at("bot_token")); ok {
			t.Error("a token of the deleted workspace works")
		}
		if _, _, ok := s.works(s.admin()); !ok {
			t.Error("the other workspace went too")
		}
	})
}

func TestEnvironmentsDoNotSeeEachOther(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		var other *store.World
		if strings.HasSuffix(t.Name(), "/postgres") {
			other = storetest.Postgres(t, schemas)
		} else {
			other = storetest.SQLite(t, schemas)
		}
		a, b := newSite(t, w, "a"), newSite(t, other, "b")
		p := a.member("ann@example.com")
		for what, token := range map[string]string{"session": p.token, "user token": a.admin(), "bot token": a.def.Secrets.BotToken} {
			if _, _, ok := a.works(token); !ok {
				t.Errorf("%s does not work at home", what)
			}
			if r := b.call("POST", "/api/auth.test", token, nil); r.at("error") != "invalid_auth" {
				t.Errorf("%s: %s", what, r.raw)
			}
			b.call("GET", "/api/auth/me", token, nil).is(401)
			b.call("POST", "/api/admin/provision", token, object{"rotate": true}).is(401)
		}
		b.call("POST", "/api/auth/refresh", "", object{"refresh_token": p.refresh}).is(401)
		b.call("POST", "/api/auth/login", "", object{"email": p.email, "password": password}).is(401)
		if a.def.AdminPassword == b.def.AdminPassword || a.def.Workspace.ID == b.def.Workspace.ID {
			t.Error("two environments were provisioned alike")
		}
		b.call("POST", "/api/auth/logout", "", object{"refresh_token": p.refresh}).is(204)
		a.call("POST", "/api/auth/refresh", "", object{"refresh_token": p.refresh}).is(200)
		b.signUp(p.email) // the address is free here
		if _, err := b.service.Provisioned(context.Background(), a.def.Workspace.ID); err == nil {
			t.Error("the other environment's workspace is here")
		}
	})
}
