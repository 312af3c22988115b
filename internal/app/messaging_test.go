package app_test

import (
	"io"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

func TestRotationRewritesTheCredentialsFile(t *testing.T) {
	s := apptest.Start(t)
	before := s.Credential("messaging", "bot_token")
	status, reply := s.Call("POST", "/messaging/api/admin/provision", s.Credential("admin", "key"), map[string]any{"rotate": true})
	if status != 200 || reply["bot_token"] == before {
		t.Fatal(status, reply)
	}
	for _, member := range []string{"bot_token", "user_token", "workspace_id", "admin_password", "base_url", "signing_secret"} {
		if got := s.Credential("messaging", member); got != reply[member] {
			t.Errorf("%s: the file says %s, the reply %v", member, got, reply[member])
		}
	}
	if _, reply := s.Call("POST", "/messaging/api/auth.test", s.Credential("messaging", "bot_token"), nil); reply["ok"] != true {
		t.Errorf("%v", reply)
	}
}

func TestAnEnvironmentTakesNoTokenOfAnother(t *testing.T) {
	s := apptest.Start(t)
	status, made := s.Call("POST", "/admin/v1/environments", s.Credential("admin", "key"), map[string]any{"name": "far"})
	if status != 201 {
		t.Fatal(status, made)
	}
	far := made["messaging"].(map[string]any)
	base := far["base_url"].(string)
	home, away := s.Credential("messaging", "user_token"), far["user_token"].(string)
	for _, row := range []struct {
		base, token string
		status      int
	}{{s.URL + "/messaging", home, 200}, {base, away, 200}, {s.URL + "/messaging", away, 401}, {base, home, 401}} {
		if status, reply := s.Call("GET", row.base+"/api/auth/me", row.token, nil); status != row.status {
			t.Errorf("%s: %d %v, want %d", row.base, status, reply, row.status)
		}
	}
	// An account of one signs in nowhere else, and rotation there changes nothing here.
	person := map[string]any{"email": "ann@example.com", "password": "correct horse", "name": "Ann"}
	if status, reply := s.Call("POST", base+"/api/auth/signup", "", person); status != 201 {
		t.Fatal(status, reply)
	}
	if status, _ := s.Call("POST", "/messaging/api/auth/login", "", person); status != 401 {
		t.Errorf("signed in elsewhere: %d", status)
	}
	before := s.Credential("messaging", "bot_token")
	if status, reply := s.Call("POST", base+"/api/admin/provision", away, nil); status != 200 || reply["base_url"] != base {
		t.Errorf("%d %v", status, reply)
	}
	if s.Credential("messaging", "bot_token") != before {
		t.Error("rotation of another environment changed credentials.json")
	}
	if status, _ := s.Call("GET", "/messaging/api/auth/me", home, nil); status != 200 {
		t.Errorf("rotation of another environment ended a token of this one: %d", status)
	}
}

func TestDocsWorkBelowEveryBaseURL(t *testing.T) {
	var alone string
	s := apptest.Start(t, func(o *config.Serve) {
		alone = freeAddress(t)
		o.MessagingListen = alone
	})
	for base, server := range map[string]string{s.URL + "/messaging": "/messaging", s.URL + "/e/default/messaging": "/e/default/messaging", "http://" + alone: "/"} {
		status, doc := s.Call("GET", base+"/api/openapi.json", "", nil)
		if status != 200 || doc["openapi"] != "3.1.0" {
			t.Fatalf("%s: %d", base, status)
		}
		if got := doc["servers"].([]any)[0].(map[string]any)["url"]; got != server {
			t.Errorf("%s: server %v", base, got)
		}
		paths := doc["paths"].(map[string]any)
		for _, path := range []string{"/api/chat.postMessage", "/api/workspaces/{id}/join", "/api/admin/provision"} {
			if paths[path] == nil {
				t.Errorf("%s is not described", path)
			}
		}
		for path, kind := range map[string]string{"/api/docs": "text/html", "/api/docs/": "text/html", "/api/docs/swagger-ui.css": "text/css",
			"/api/docs/swagger-ui-bundle.js": "javascript"} {
			r, err := s.Client.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || r.StatusCode != 200 || !strings.Contains(r.Header.Get("Content-Type"), kind) || len(b) < 1000 {
				t.Errorf("%s%s: %d %s, %d bytes, %v", base, path, r.StatusCode, r.Header.Get("Content-Type"), len(b), err)
			}
		}
	}
}
