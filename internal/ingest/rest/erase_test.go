package rest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// An erasure over HTTP removes a user from replies and recordings at once, and from
// every file of the environment except its copies within a minute. The reply counts
// the copies that still contain the user.
func TestAUserIsErasedFromTheDisk(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{}, 201)
		id, in := made["id"].(string), made["ingest"].(map[string]any)
		base, key := in["base_url"].(string)+"/api/v1", in["api_key"].(string)
		call := func(method, path string, body any, want int) map[string]any {
			t.Helper()
			status, reply := p.Server.Call(method, base+path, key, body)
			if status != want {
				t.Fatalf("%s %s answers %d %v", method, path, status, reply)
			}
			return reply
		}
		secret := fmt.Sprintf("wombat-%d", time.Now().UnixNano())
		session := "aaaaaaaa-0000-4000-8000-00000000000a"
		call("POST", "/capture-session", map[string]any{"session_id": session, "user_data": map[string]any{"user_id": secret, "plan": secret + "-plan"}}, 200)
		for n := range 40 {
			call("POST", "/capture-event", map[string]any{"event_id": fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", n), "session_id": session,
				"primitive_name": "x", "primitive_type": "tool", "args": fmt.Sprint(secret, n), "metadata": map[string]any{"of": secret}}, 200)
			call("POST", "/capture-event", map[string]any{"event_id": fmt.Sprintf("cccccccc-0000-4000-8000-%012d", n), "session_id": "aaaaaaaa-0000-4000-8000-00000000000b",
				"primitive_name": "x", "primitive_type": "tool", "args": "of another"}, 200)
		}
		p.Call("POST", "/"+id+"/snapshots", map[string]any{"name": "before"}, 201)
		fork := p.Call("POST", "/"+id+"/fork", map[string]any{}, 201)["id"].(string)
		if status, reply := p.Server.Call("DELETE", base+"/users/nobody", key, nil); status != 404 {
			t.Errorf("an unknown user: %d %v", status, reply)
		}
		reply := call("DELETE", "/users/"+secret, nil, 202)
		if fmt.Sprint(reply) != "map[held_by:map[forks:1 snapshots:1]]" {
			t.Errorf("the reply is %v", reply)
		}
		for _, path := range []string{"/events?limit=1000", "/sessions", "/users", "/traits", "/tools", "/overview", "/timeseries"} {
			status, reply := p.Server.Call("GET", base+path, key, nil)
			if text := fmt.Sprint(reply); status != 200 || strings.Contains(text, secret) || strings.Contains(text, session) {
				t.Errorf("%s: %d %.300s", path, status, text)
			}
		}
		if reply := call("GET", "/tools", nil, 200)["tools"].([]any)[0].(map[string]any); reply["count"] != 40.0 {
			t.Errorf("%v calls are counted", reply["count"])
		}
		recorded := fmt.Sprint(p.Call("GET", "/"+id+"/requests?limit=1000", nil, 200))
		if strings.Contains(recorded, secret) || strings.Contains(recorded, session) {
			t.Error("the recordings have it")
		}
		// A snapshot made after the erasure contains nothing of the user.
		p.Call("POST", "/"+id+"/snapshots", map[string]any{"name": "after"}, 201)
		if reply := p.Call("GET", "/"+id+"/diff", nil, 200); strings.Contains(fmt.Sprint(reply), secret) {
			t.Error("the diff has it")
		}
		dir := filepath.Join(p.Server.Data(), "worlds")
		if _, err := os.Stat(dir); err != nil {
			return // PostgreSQL: the tests of the store check its rows
		}
		forms := [][]byte{[]byte(secret), []byte(session)}
		for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
			found := filesWith(t, dir, "env_"+id, forms)
			if len(found) == 0 {
				break
			}
			if time.Since(began) > 30*time.Second {
				t.Errorf("files still have it: %v", found)
				break
			}
		}
		if held := filesWith(t, dir, "env_"+fork, forms); len(held) == 0 {
			t.Error("the scan finds nothing in the fork either: it shows nothing")
		}
	})
}

// filesWith returns the files whose names begin with a prefix and that contain one of
// the texts.
func filesWith(t *testing.T, dir, prefix string, texts [][]byte) (found []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		content, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, text := range texts {
			if bytes.Contains(content, text) {
				found = append(found, name+": "+string(text))
			}
		}
	}
	return found
}

// Retention and erasure need a key with all scopes. Invalid values are rejected.
func TestRetentionIsSetAndShown(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{"clock": "2030-06-01T00:00:00Z"}, 201)
		id, in := made["id"].(string), made["ingest"].(map[string]any)
		base, key := in["base_url"].(string)+"/api/v1", in["api_key"].(string)
		ask := func(method, key string, body any) (int, string) {
			status, reply := p.Server.Call(method, base+"/retention", key, body)
			return status, fmt.Sprint(reply)
		}
		if status, text := ask("GET", key, nil); status != 200 || text != "map[days:<nil>]" {
			t.Errorf("at first: %d %s", status, text)
		}
		for _, days := range []any{0, -1, 1.5, 1e30, 40_000, "90", true, []int{1}} {
			if status, text := ask("PUT", key, map[string]any{"days": days}); status != 400 || !strings.Contains(text, "field:days") {
				t.Errorf("%v days: %d %s", days, status, text)
			}
		}
		if status, text := ask("PUT", key, map[string]any{"days": 3, "weeks": 1}); status != 400 || !strings.Contains(text, "field:weeks") {
			t.Errorf("an unknown member: %d %s", status, text)
		}
		for _, scope := range []string{"read", "write"} {
			_, made := p.Server.Call("POST", base+"/api-keys", p.Key, map[string]any{"name": scope, "scope": scope})
			other := made["token"].(string)
			if status, text := ask("PUT", other, map[string]any{"days": 3}); status != 403 {
				t.Errorf("a %s key sets it: %d %s", scope, status, text)
			}
			if status, _ := p.Server.Call("DELETE", base+"/users/x", other, nil); status != 403 {
				t.Errorf("a %s key erases: %d", scope, status)
			}
		}
		event := func(n int, at string) map[string]any {
			moment, _ := time.Parse(time.RFC3339, at)
			return map[string]any{"event_id": fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", n), "session_id": "aaaaaaaa-0000-4000-8000-00000000000b",
				"primitive_name": "x", "primitive_type": "tool", "timestamp": moment.UnixMilli()}
		}
		if status, text := p.Server.Call("POST", base+"/capture-events", key, map[string]any{"events": []any{event(1, "2025-01-01T00:00:00Z"), event(2, "2025-09-20T00:00:00Z")}}); status != 202 {
			t.Fatal(status, text)
		}
		p.Call("POST", "/"+id+"/clock", map[string]any{"freeze": "2025-10-01T00:00:00Z"}, 200)
		if status, text := ask("PUT", key, map[string]any{"days": 90}); status != 200 || text != "map[days:90]" {
			t.Errorf("set: %d %s", status, text)
		}
		events := func() int {
			_, reply := p.Server.Call("GET", base+"/events", key, nil)
			return len(reply["events"].([]any))
		}
		wait := func(want int) {
			t.Helper()
			for began := time.Now(); events() != want; time.Sleep(100 * time.Millisecond) {
				if time.Since(began) > 30*time.Second {
					t.Fatalf("%d events, want %d", events(), want)
				}
			}
		}
		wait(1)
		// The clock goes back. It goes on after maintenance has read the earlier time and
		// is idle.
		p.Call("POST", "/"+id+"/clock", map[string]any{"freeze": "2025-09-01T00:00:00Z"}, 200)
		time.Sleep(time.Second)
		p.Call("POST", "/"+id+"/clock", map[string]any{"freeze": "2026-06-01T00:00:00Z"}, 200)
		wait(0)
	})
}
