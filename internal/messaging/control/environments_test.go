package control_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

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
