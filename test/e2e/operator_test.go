package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"understudy/test/server"
)

// Behind --public-url everything that a client follows is below that URL:
// credentials, those of further environments too, and links to the next page.
// What operators do stands in the log, a line each, and in the audit log's pages.
func TestWhatAnOperatorSeesBehindAPublicURL(t *testing.T) {
	t.Parallel()
	const public = "https://public.example/under"
	s, c := server.New(t, "--public-url", public, "--log-format", "json")
	admin := "Authorization: Bearer " + c.Admin.Key
	call := func(method, path, body string, want int, headers ...string) map[string]any {
		t.Helper()
		reply, text := ask(t, method, s.URL+path, body, append([]string{"Content-Type: application/json"}, headers...)...)
		var out map[string]any
		if reply.StatusCode != want || json.Unmarshal([]byte(text), &out) != nil {
			t.Fatalf("%s %s: %d %s", method, path, reply.StatusCode, text)
		}
		return out
	}
	made := call("POST", "/admin/v1/environments", `{"name":"one"}`, 201, admin)
	prefix := public + "/e/" + made["id"].(string)
	for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
		if base := made[service].(map[string]any)["base_url"]; base != prefix+"/"+service {
			t.Errorf("%s is at %v", service, base)
		}
	}
	crm := "Authorization: Bearer " + made["crm"].(map[string]any)["access_token"].(string)
	contacts := strings.TrimPrefix(prefix, public) + "/crm/api/crm/v3/objects/contacts"
	for i := range 2 {
		call("POST", contacts, fmt.Sprintf(`{"properties":{"firstname":"n%d"}}`, i), 201, crm)
	}
	page := call("GET", contacts+"?limit=1", "", 200, crm)
	link := page["paging"].(map[string]any)["next"].(map[string]any)["link"].(string)
	rest, ok := strings.CutPrefix(link, public)
	if !ok {
		t.Fatalf("the next page is at %s", link)
	}
	if next := call("GET", rest, "", 200, crm)["results"].([]any); len(next) != 1 {
		t.Errorf("%s has %v", link, next)
	}

	for range 3 {
		call("POST", "/admin/v1/environments/"+made["id"].(string)+"/snapshots", `{}`, 201, admin)
	}
	call("POST", "/admin/v1/key/rotate", "", 200, admin)
	var listed []string
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		out := call("GET", "/admin/v1/audit?limit=2&cursor="+url.QueryEscape(cursor), "", 200, admin)
		for _, e := range out["entries"].([]any) {
			listed = append(listed, fmt.Sprint(e.(map[string]any)["id"], " ", e.(map[string]any)["action"]))
		}
		if cursor = out["next_cursor"].(string); len(out["entries"].([]any)) > 2 || pages > 5 {
			t.Fatalf("%v", out)
		}
	}
	var logged []string
	for line := range strings.Lines(s.Output()) {
		var l struct {
			Msg   string
			Entry map[string]any
		}
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "audit" {
			logged = append([]string{fmt.Sprint(l.Entry["id"], " ", l.Entry["action"])}, logged...)
		}
	}
	if len(listed) != 5 || strings.Join(listed, ",") != strings.Join(logged, ",") {
		t.Errorf("listed %v\nlogged %v", listed, logged)
	}
}
