package app_test

import (
	"slices"
	"strings"
	"testing"
)

// Forks of one call accept their parent's tokens under addresses of their own, know
// the causes of what changes in them, are put back each to its own beginning, and see
// nothing of each other.
func TestForksOfOneCallAreWorldsOfTheirOwn(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		for _, ephemeral := range []bool{false, true} {
			parent := p.world(p.Call("POST", "", object{"fixture": "demo", "seed": 3, "rate_limits": "off"}, 201))
			in := parent.credentials("ingest") // which has a database of its own from its first event on
			if status, reply := p.Server.Call("POST", in["base_url"].(string)+"/api/v1/capture-event", in["api_key"].(string), object{
				"event_id": "00000000-0000-4000-8000-000000000001", "session_id": "00000000-0000-4000-8000-000000000002", "primitive_name": "search",
				"primitive_type": "tool", "args": "{}", "latency": 1}); status != 200 {
				t.Fatalf("an event answers %d %v", status, reply)
			}
			events := eventsOf(p, parent)
			before := at(parent.Bot("conversations.create", object{"name": "before"}), "channel", "id").(string)
			var forks []world
			for _, made := range p.Call("POST", "/"+parent.ID+"/fork", object{"count": 4, "ephemeral": ephemeral}, 201)["environments"].([]any) {
				w := p.world(made.(object))
				for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
					if base := w.Credential(service, "base_url"); !strings.Contains(base, "/e/"+w.ID+"/") {
						t.Errorf("%s of %s is at %s", service, w.ID, base)
					}
				}
				if environment := at(made, "environment"); environment != w.ID {
					t.Errorf("the fork %s is called %v", w.ID, environment)
				}
				forks = append(forks, w)
			}
			parent.Bot("conversations.create", object{"name": "after"})
			for i, w := range forks {
				if n := eventsOf(p, w); n != events {
					t.Errorf("a fork has %d events, its parent %d", n, events)
				}
				if size := p.Call("GET", "/"+w.ID, nil, 200)["size_bytes"].(float64); size < 10_000 {
					t.Errorf("a fork has %v bytes", size)
				}
				names := "plans"
				if i == 0 {
					names = "other"
				}
				channel := at(w.Bot("conversations.create", object{"name": names}), "channel", "id").(string)
				w.Bot("conversations.setTopic", object{"channel": before, "topic": names})
				by, inexact := p.causes(w.ID, "")
				if len(by["~ messaging channel "+before]) == 0 {
					t.Errorf("the topic has no cause: %q", by)
				}
				if got := by["+ messaging channel "+channel]; !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "messaging.conversations.create") }) {
					t.Errorf("the channel is caused by %q", by)
				}
				if !p.onPostgres() && len(inexact) > 0 {
					t.Errorf("in the fork %d are not exact: %q", i, inexact)
				}
				for change := range by {
					if strings.Contains(change, " channel ") && strings.HasPrefix(change, "+") && change != "+ messaging channel "+channel {
						t.Errorf("in the fork %d: %s", i, change)
					}
				}
			}
			p.Call("POST", "/"+forks[1].ID+"/reset", nil, 200)
			for i, w := range forks {
				by, _ := p.causes(w.ID, "")
				if (len(by) == 0) != (i == 1) {
					t.Errorf("the fork %d has %d changes after the reset of the fork 1", i, len(by))
				}
			}
		}
	})
}

// eventsOf returns how many events an environment shows.
func eventsOf(p plane, w world) int {
	p.T.Helper()
	in := w.credentials("ingest")
	_, reply := p.Server.Call("GET", in["base_url"].(string)+"/api/v1/events?limit=200", in["api_key"].(string), nil)
	return len(reply["events"].([]any))
}
