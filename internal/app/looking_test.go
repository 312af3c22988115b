package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// In a fork for a run an agent cannot read unseen by naming itself as the web UI:
// what it reads is recorded, meets faults and counts for limits. People, and
// environments for nobody's run, are looked at without a trace as before.
func TestARunIsSeenReading(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		base := p.demo()
		for _, c := range []struct {
			credentials, want string
		}{
			{"fresh", "crm.GET /crm/v3/objects/{objectType} crm.POST /crm/v3/objects/{objectType}/search messaging.users.list"},
			{"inherited", ""},
		} {
			w := p.world(p.Call("POST", "/"+base.ID+"/fork", object{"credentials": c.credentials, "ephemeral": true, "rate_limits": "real"}, 201))
			read := func(method, service, path, token string, body any) answer {
				return p.send(method, w.Base(service)+path, token, body, "Understudy-Client", "web")
			}
			jon := w.person("jon.abel")
			read("GET", "messaging", "/api/users.list", jon, nil)
			first := read("GET", "crm", "/api/crm/v3/objects/contacts?limit=1", w.Credential("crm", "access_token"), nil)
			read("POST", "crm", "/api/crm/v3/objects/contacts/search", w.Credential("crm", "access_token"), object{})
			read("GET", "messaging", "/api/users.list", w.Credential("messaging", "bot_token"), nil)
			second := read("GET", "crm", "/api/crm/v3/objects/contacts?limit=1", w.Credential("crm", "access_token"), nil)
			var got []string
			for _, r := range p.requests(w.ID, "?order=asc") {
				for _, name := range at(r, "operations").([]any) {
					got = append(got, name.(string))
				}
			}
			if len(got) > 0 {
				got = got[:len(got)-1] // the first read again
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("with %s credentials, recorded are %q, want %q", c.credentials, got, c.want)
			}
			fresh := c.credentials == "fresh"
			const left = "X-Hubspot-Ratelimit-Remaining"
			if spent := first.header.Get(left) != second.header.Get(left); spent != fresh {
				t.Errorf("with %s credentials, %s and %s calls are left", c.credentials, first.header.Get(left), second.header.Get(left))
			}
			p.Call("POST", "/"+w.ID+"/faults", object{"on": "request", "do": object{"error": object{"status": 503}}}, 201)
			for token, want := range map[string]bool{jon: false, w.Credential("messaging", "bot_token"): fresh} {
				if a := read("GET", "messaging", "/api/users.list", token, nil); (a.status == 503) != want {
					t.Errorf("with %s credentials, a fault: %v answers %d", c.credentials, want, a.status)
				}
			}
			w.wantChecks(fmt.Sprintf("trajectory: [{never: {operation: %q}}]", "crm.GET *"), map[bool]string{true: "failed 0: trajectory[0]=false (it was called)", false: "passed 1: trajectory[0]=true"}[fresh])
		}
	})
}
