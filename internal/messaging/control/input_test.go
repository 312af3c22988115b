package control_test

import (
	"strings"
	"testing"

	"understudy/internal/platform/store/storetest"
)

var bodyRoutes = []string{
	"POST /api/auth/signup", "POST /api/auth/login", "POST /api/auth/refresh", "POST /api/auth/logout",
	"POST /api/workspaces", "PUT /api/workspaces/{id}", "POST /api/apps", "POST /api/admin/provision",
}

func (s *site) sendTo(route, token, body string) reply {
	s.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	return s.send(method, strings.ReplaceAll(path, "{id}", s.def.Workspace.ID), token, body)
}

func TestBadBodiesAreRefused(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		for _, route := range bodyRoutes {
			for _, body := range []string{`{`, `[]`, `"text"`, `1`, `{} {}`, `{"a":` + strings.Repeat("[", 5000), "{\"name\":\"\xff\xfe\"}", `{"name":"\u0000"}`,
				`email=a&password=b`} {
				s.sendTo(route, s.admin(), body).is(400, "invalid_json")
			}
			s.sendTo(route, s.admin(), `{"name":"`+strings.Repeat("x", 1<<20)+`"}`).is(413, "request_too_large")
		}
		for route, members := range map[string][]string{
			"POST /api/auth/signup":     {"email", "password", "name", "workspace_name"},
			"POST /api/auth/login":      {"email", "password", "workspace_id"},
			"POST /api/auth/refresh":    {"refresh_token", "workspace_id"},
			"POST /api/auth/logout":     {"refresh_token"},
			"POST /api/workspaces":      {"name", "domain"},
			"PUT /api/workspaces/{id}":  {"name", "domain"},
			"POST /api/admin/provision": {"workspace_name", "rotate"},
		} {
			for _, member := range members {
				for _, value := range []string{`1`, `[]`, `{}`, `1e999`} {
					if r := s.sendTo(route, s.admin(), `{"`+member+`":`+value+`}`).is(400, "invalid_json"); !strings.Contains(r.at("message"), member) {
						t.Errorf("%s: the message does not name %s: %s", route, member, r.raw)
					}
				}
			}
		}
		for _, route := range []string{"POST /api/auth/signup", "POST /api/auth/login", "POST /api/auth/refresh", "POST /api/workspaces", "POST /api/apps"} {
			s.sendTo(route, s.admin(), "").is(400)
			s.sendTo(route, s.admin(), "null").is(400)
		}
	})
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	s := newSite(t, storetest.SQLite(t, schemas), "lineage")
	for _, path := range []string{"/", "/api", "/api/", "/api/nothing", "/api/workspaces/T1/nothing", "/api//workspaces", "/api/docs/none.js"} {
		s.call("GET", path, s.admin(), nil).is(404, "not_found")
	}
	if r := s.call("DELETE", "/api/auth/login", "", nil).is(405, "method_not_allowed"); r.header.Get("Allow") != "POST" {
		t.Errorf("Allow %q", r.header.Get("Allow"))
	}
	s.call("PATCH", "/api/workspaces/T1", "", nil).is(405)
	if r := s.call("OPTIONS", "/api/workspaces", "", nil); r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", r.status, r.header)
	}
	if r := s.call("GET", "/api/health", "", nil).is(200); r.at("status") != "ok" {
		t.Errorf("%s", r.raw)
	}
}

// The server answers any body, and never with an internal error.
func FuzzBodies(f *testing.F) {
	for i := range bodyRoutes {
		for _, body := range []string{``, `{}`, `null`, `{"email":"a@b.example","password":"long enough","name":"x","workspace_name":"y"}`,
			`{"name":"x","domain":"x-1"}`, `{"manifest":{"display_information":{"name":"x"},"oauth_config":{"scopes":{"bot":["chat:write"]}}}}`,
			`{"refresh_token":"rt_x","workspace_id":"T0"}`, `{"workspace_name":"w","rotate":null}`, `{"name":"\ud800","domain":"é"}`} {
			f.Add(uint8(i), body)
		}
	}
	s := newSite(f, storetest.SQLite(f, schemas), "lineage")
	token := s.admin()
	f.Fuzz(func(t *testing.T, i uint8, body string) {
		s.t = t
		route := bodyRoutes[int(i)%len(bodyRoutes)]
		r := s.sendTo(route, token, body)
		if r.status >= 500 || r.status < 200 {
			t.Fatalf("%s %q: %d %s", route, body, r.status, r.raw)
		}
		if r.status >= 400 && (r.at("error") == "" || r.at("message") == "") {
			t.Fatalf("%s %q: %s", route, body, r.raw)
		}
		if route == "POST /api/admin/provision" && r.status == 200 && r.at("workspace_id") == s.def.Workspace.ID {
			token = r.at("user_token")
		}
	})
}

// Lists and deliveries show addresses, so that none may hold a password.
func TestAddressesHoldNoPassword(t *testing.T) {
	s := newSite(t, storetest.SQLite(t, schemas), "lineage")
	for _, url := range []string{"http://name:secret@127.0.0.1:9/", "https://name@hooks.example/", "http://:80/", "http://"} {
		for route, body := range map[string]object{
			"/api/events/subscribe":  {"url": url, "event_types": []string{"message"}},
			"/api/webhooks/outgoing": {"url": url},
			"/api/commands":          {"command": "/deploy", "url": url},
		} {
			s.call("POST", route, s.admin(), body).is(400, "invalid_url")
		}
		for _, rest := range []object{
			{"settings": object{"event_subscriptions": object{"request_url": url}}},
			{"settings": object{"interactivity": object{"request_url": url}}},
			{"features": object{"slash_commands": []any{object{"command": "/deploy", "url": url}}}},
		} {
			rest["display_information"] = object{"name": "Deploy"}
			s.call("POST", "/api/apps", s.admin(), object{"manifest": rest}).is(400, "invalid_manifest")
		}
	}
}
