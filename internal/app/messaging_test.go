package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

func TestRotationRewritesTheCredentialsFile(t *testing.T) {
	s := apptest.Start(t)
	before := s.Credential("messaging", "bot_token")
	// A misspelt member must not end the tokens in force.
	status, reply := s.Call("POST", "/messaging/api/admin/provision", s.Credential("admin", "key"), map[string]any{"workspace": "Another"})
	if status != 400 || reply["error"] != "unknown_member" || s.Credential("messaging", "bot_token") != before {
		t.Error(status, reply)
	}
	status, reply = s.Call("POST", "/messaging/api/admin/provision", s.Credential("admin", "key"), map[string]any{"rotate": true})
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
