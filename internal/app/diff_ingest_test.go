package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

func TestADiffOfIngestion(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.Create(map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"})
		key := w.Credential("ingest", "api_key")
		uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
		capture := func(n int) {
			w.Do("ingest", "POST", "/api/v1/capture-event", key, map[string]any{"org_id": w.Credential("ingest", "organization_id"),
				"event_id": uuid(n), "session_id": uuid(1), "primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true,
				"args": "{}", "result": "{}", "timestamp": 1767225600000}, 200)
		}
		w.Do("ingest", "POST", "/api/v1/capture-session", key, map[string]any{"org_id": w.Credential("ingest", "organization_id"),
			"session_id": uuid(1), "client_config": "test", "ip": "", "connection_type": "http", "user_data": map[string]any{"user_id": "u1", "plan": "pro"}}, 200)
		capture(2)
		from := "?from=" + p.Call("POST", "/"+w.ID+"/snapshots", nil, 201)["id"].(string)
		capture(3)
		apptest.WantLines(t, "inserts", p.Diff(w.ID, from, "inserts"), "ingest event "+uuid(3)+` [] null {"args":"{}",`)
		apptest.WantLines(t, "updates", p.Diff(w.ID, from, "updates"), "ingest session "+uuid(1)+` ["event_count"] {"event_count":1} {"event_count":2}`)
		apptest.WantLines(t, "deletes", p.Diff(w.ID, from, "deletes"))
		since := strings.Join(p.Diff(w.ID, "", "inserts"), "\n")
		for _, want := range []string{"ingest session " + uuid(1), "ingest event " + uuid(2), "ingest event " + uuid(3), "ingest user u1 "} {
			if !strings.Contains(since, want) {
				t.Errorf("since the creation, %q is missing:\n%s", want, since)
			}
		}

		// A capture did what it reported, and not what the next one did.
		event := func(n int) map[string]any {
			return map[string]any{"org_id": w.Credential("ingest", "organization_id"), "event_id": uuid(n), "session_id": uuid(1),
				"primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true, "args": "{}", "result": "{}", "timestamp": 1767225600000}
		}
		w.Do("ingest", "POST", "/api/v1/capture-events", key, map[string]any{"events": []any{event(3), event(4), event(5)}}, 202)
		capture(6)
		want := map[string][]string{"ingest.capture-event": {uuid(6)}, "ingest.capture-events": {uuid(4), uuid(5)}}
		for _, r := range p.Call("GET", "/"+w.ID+"/requests?service=ingest&limit=2", nil, 200)["requests"].([]any) {
			var keys []string
			for _, c := range p.Call("GET", fmt.Sprintf("/%s/requests/%.0f", w.ID, apptest.Get(r, "seq")), nil, 200)["effects"].(map[string]any)["changes"].([]any) {
				if apptest.Get(c, "entity") == "event" && apptest.Get(c, "op") == "insert" {
					keys = append(keys, apptest.Get(c, "key").(string))
				}
			}
			if name := apptest.Get(r, "operations", 0).(string); !slices.Equal(keys, want[name]) {
				t.Errorf("%s reported the events %q, want %q", name, keys, want[name])
			}
		}
	})
}
