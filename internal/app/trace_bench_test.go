package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// BenchmarkTrace is the trace of a session of 1,000 events and 5,000 requests, and
// the session's tree beside it, in a world in memory and without the network.
func BenchmarkTrace(b *testing.B) {
	const events, session = 1000, "7d9f7c0e-3b0c-4a55-9d0c-3f5a6f1d2b40"
	a, _, _ := benchApp(b)
	call := func(method, path, key, traceparent, body string) string {
		r, _ := http.NewRequest(method, "http://x"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Traceparent", traceparent)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code >= 300 {
			b.Fatal(path, w.Code, w.Body.String())
		}
		return w.Body.String()
	}
	const admin = "/admin/v1/environments"
	call("POST", admin, a.admin.text(), "", `{"id": "memory", "fixture": "demo", "ephemeral": true, "rate_limits": "off"}`)
	var world struct {
		Messaging struct {
			Token string `json:"bot_token"`
		}
		CRM struct {
			Token string `json:"access_token"`
		}
		Ingest struct {
			Key string `json:"api_key"`
		}
	}
	if err := json.Unmarshal([]byte(call("POST", admin+"/memory/fork", a.admin.text(), "", `{"id": "traced", "recordings": "full", "rate_limits": "off"}`)), &world); err != nil {
		b.Fatal(err)
	}
	base := "/e/traced"
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	var reports []string
	for n := range events {
		span := fmt.Sprintf("00-%032x-%016x-01", 0xbe7c4, n+1)
		for range 3 {
			call("POST", base+"/messaging/api/chat.postMessage", world.Messaging.Token, span, `{"channel": "general", "text": "The import of the second file is done."}`)
		}
		call("POST", base+"/crm/api/crm/v3/objects/contacts", world.CRM.Token, span, fmt.Sprintf(`{"properties": {"email": "step-%d@bench.example", "firstname": "Step"}}`, n))
		call("GET", base+"/crm/api/crm/v3/objects/contacts?limit=5", world.CRM.Token, span, "")
		parent := ""
		if n%10 != 0 {
			parent = fmt.Sprintf(`"parent_id": %q, `, id(n-n%10))
		}
		reports = append(reports, fmt.Sprintf(`{"event_id": %q, "session_id": %q, %s"primitive_name": "step", "primitive_type": "tool", "args": "{}", "result": "done", "success": true, "latency": 20,
			"timestamp": %d, "metadata": {"traceparent": %q}}`, id(n), session, parent, time.Now().UnixMilli(), span))
		if len(reports) == 100 {
			call("POST", base+"/ingest/api/v1/capture-events", world.Ingest.Key, "", `{"events": [`+strings.Join(reports, ",")+`]}`)
			reports = nil
		}
	}
	for name, get := range map[string][2]string{"tree": {base + "/ingest/api/v1/sessions/" + session, world.Ingest.Key}, "trace": {admin + "/traced/trace/" + session, a.admin.text()}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, _ := http.NewRequest("GET", "http://x"+get[0], http.NoBody)
				r.Header.Set("Authorization", "Bearer "+get[1])
				a.ServeHTTP(&nowhere{http.Header{}}, r)
			}
		})
	}
}
