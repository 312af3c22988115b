package rest_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

func TestIngestionKeysHaveAScope(t *testing.T) {
	s := apptest.Start(t)
	admin := s.Credential("admin", "key")
	// A misspelt member must not result in a key with all scopes.
	if status, made := s.Call("POST", "/ingest/api/v1/api-keys", admin, map[string]any{"name": "k", "scop": "write"}); status != 400 || made["field"] != "scop" {
		t.Errorf("a misspelt scope: %d %v", status, made)
	}
	for _, x := range []struct {
		scope       any
		shown       string
		write, read int
	}{{"write", "write", 200, 403}, {"read", "read", 403, 200}, {"all", "all", 200, 200}, {nil, "all", 200, 200}} {
		status, made := s.Call("POST", "/ingest/api/v1/api-keys", admin, map[string]any{"name": "k", "scope": x.scope})
		if status != 201 || made["scope"] != x.shown {
			t.Fatalf("%v: %d %v", x.scope, status, made)
		}
		key := made["token"].(string)
		all := map[bool]int{true: 200, false: 403}[x.shown == "all"]
		if status, out := s.Call("PUT", "/ingest/api/v1/prices", key, map[string]any{"prices": []any{}}); status != all {
			t.Errorf("%v sets prices: %d %v", x.scope, status, out)
		}
		scored := map[int]int{200: 404, 403: 403}[x.write] // 404: there is no such session
		if status, out := s.Call("POST", "/ingest/api/v1/scores", key, map[string]any{"session_id": "none", "name": "n", "value": 1}); status != scored {
			t.Errorf("%v scores: %d %v", x.scope, status, out)
		}
		if status, out := s.Call("POST", "/ingest/api/v1/capture-session", key, map[string]any{"session_id": "7b1c6a52-2f0e-4a39-9a53-0d6a0c5f4c11", "user_data": map[string]any{"user_id": "u"}}); status != x.write {
			t.Errorf("%v writes: %d %v", x.scope, status, out)
		}
		for _, path := range []string{"sessions", "events", "tools", "timeseries", "traits", "users", "prices", "scores"} {
			if status, _ := s.Call("GET", "/ingest/api/v1/"+path, key, nil); status != x.read {
				t.Errorf("%v reads %s: %d", x.scope, path, status)
			}
		}
		if status, _ := s.Call("GET", "/ingest/api/v1/api-keys", key, nil); status != 403 {
			t.Errorf("%v lists keys: %d", x.scope, status)
		}
	}
	if status, _ := s.Call("POST", "/ingest/api/v1/api-keys", admin, map[string]any{"name": "k", "scope": "some"}); status < 400 || status >= 500 {
		t.Errorf("an unknown scope: %d", status)
	}
	_, list := s.Call("GET", "/ingest/api/v1/api-keys", admin, nil)
	if n := len(list["api_keys"].([]any)); n != 5 {
		t.Errorf("%d keys", n)
	}
}
