package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// An injected error reads like one of the service, whatever the rule leaves out:
// no text in it is empty or ends where a name belongs. What the rule says is said:
// when to try again, and the text where the service's form has one.
func TestInjectedErrorsAreWhole(t *testing.T) {
	s := apptest.Start(t)
	p := planeOf(t, s)
	w := p.demo()
	asked := map[string]func() (int, http.Header, string, error){
		"messaging": func() (int, http.Header, string, error) {
			return p.raw("POST", w.Credential("messaging", "base_url")+"/api/auth.test", w.Credential("messaging", "bot_token"), "application/json", "{}")
		},
		"crm": func() (int, http.Header, string, error) {
			return p.raw("GET", w.Credential("crm", "base_url")+"/api/crm/v3/objects/contacts", w.Credential("crm", "access_token"), "", "")
		},
		"tracker": func() (int, http.Header, string, error) {
			return p.raw("POST", w.Credential("tracker", "base_url")+"/graphql", w.Credential("tracker", "api_key"), "application/json", `{"query":"{viewer{id}}"}`)
		},
		"ingest": func() (int, http.Header, string, error) {
			return p.raw("GET", w.Credential("ingest", "base_url")+"/api/v1/sessions", w.Credential("ingest", "api_key"), "", "")
		},
	}
	for service, ask := range asked {
		refused := func(do object) (string, string) {
			t.Helper()
			p.Call("POST", "/"+w.ID+"/faults", object{"id": "it", "on": "request", "match": object{"service": service}, "do": object{"error": do}}, 201)
			_, header, text, err := ask()
			if err != nil || !json.Valid([]byte(text)) {
				t.Errorf("%s: %v: %q %v", service, do, text, err)
			}
			p.Call("DELETE", "/"+w.ID+"/faults", nil, 204)
			return text, header.Get("Retry-After")
		}
		for _, status := range []int{400, 401, 403, 404, 409, 413, 418, 422, 429, 500, 502, 503, 504} {
			text, _ := refused(object{"status": status})
			for _, hole := range []string{`:""`, ` ."`, `: "`, ` of "`} {
				if strings.Contains(text, hole) {
					t.Errorf("%s answers %d with a hole: %s", service, status, text)
				}
			}
			if text, after := refused(object{"status": status, "retry_after": 30}); after != "30" {
				t.Errorf("%s: %d says to try again after %q: %s", service, status, after, text)
			}
		}
		if text, _ := refused(object{"status": 503, "message": "Back at noon."}); strings.Contains(text, "Back at noon.") == (service == "messaging") { // whose errors have no text
			t.Errorf("%s answers %s", service, text)
		}
	}
}
