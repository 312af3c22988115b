package app_test

import (
	"testing"
)

// sessionKinds are the kinds of sessions, with a call by which one is tried.
var sessionKinds = []struct {
	service, kind, method, path string
	body                        any
}{
	{"messaging", "user_token", "POST", "/api/auth.test", nil},
	{"messaging", "jwt", "POST", "/api/auth.test", nil},
	{"messaging", "jwt", "GET", "/api/auth/me", nil},
	{"tracker", "api_key", "POST", "/graphql", object{"query": "{ viewer { id } }"}},
	{"tracker", "jwt", "POST", "/graphql", object{"query": "{ viewer { id } }"}},
	{"crm", "access_token", "GET", "/api/crm/v3/objects/contacts?limit=1", nil},
}

// sessionsOf begins a session of each kind in an environment.
func (w world) sessionsOf() (tokens []string) {
	w.T.Helper()
	owner := at(w.Call("GET", "/"+w.ID+"/people?service=crm&limit=1", nil, 200), "people", 0, "id").(string)
	for _, k := range sessionKinds {
		user := map[string]string{"crm": owner}[k.service]
		if user == "" {
			user = "lena.park"
		}
		made := w.Call("POST", "/"+w.ID+"/people/"+k.service+"/"+user+"/session", object{"kind": k.kind}, 201)
		tokens = append(tokens, made["token"].(string))
	}
	return tokens
}

// wantSessions checks whether sessions are good in an environment.
func (w world) wantSessions(what string, tokens []string, want bool) {
	w.T.Helper()
	for i, k := range sessionKinds {
		path := w.Base(k.service)[len(w.Server.URL):] + k.path
		status, _, reply := as(w.T, w.Server, "sdk", k.method, path, tokens[i], k.body)
		if good := status == 200 && reply["ok"] != false && reply["errors"] == nil; good != want {
			w.T.Errorf("%s: the %s of %s at %s is good: %v; %d %v", what, k.kind, k.service, k.path, good, status, reply)
		}
	}
}

// A session is good in its world alone, and ends with it: no fork, sibling, parent,
// snapshot or successor of the same name accepts it.
func TestSessionsAreGoodInTheirWorldAlone(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		parent := p.world(p.Call("POST", "", object{"id": "parent", "fixture": "demo", "seed": 7}, 201))
		tokens := parent.sessionsOf()
		parent.wantSessions("its own world", tokens, true)
		fork := p.world(p.Call("POST", "/parent/fork", object{"id": "fork-one"}, 201))
		sibling := p.world(p.Call("POST", "/parent/fork", object{"id": "fork-two"}, 201))
		fork.wantSessions("a fork, with those of its parent", tokens, false)
		forks := fork.sessionsOf()
		fork.wantSessions("a fork, with its own", forks, true)
		parent.wantSessions("the parent, with those of a fork", forks, false)
		sibling.wantSessions("a sibling", forks, false)

		snapshot := p.Call("POST", "/parent/snapshots", object{}, 201)["id"]
		parent.wantSessions("the original of a snapshot", tokens, true)
		late := p.world(p.Call("POST", "/parent/fork", object{"id": "fork-late", "snapshot": snapshot}, 201))
		late.wantSessions("a fork of a snapshot", tokens, false)
		p.Call("POST", "/parent/restore", object{"snapshot": snapshot}, 200)
		parent.wantSessions("after a restore", tokens, false)
		tokens = parent.sessionsOf()
		p.Call("POST", "/parent/reset", object{}, 200)
		parent.wantSessions("after a reset", tokens, false)
		tokens = parent.sessionsOf()
		p.Call("DELETE", "/parent", nil, 204)
		again := p.world(p.Call("POST", "", object{"id": "parent", "fixture": "demo", "seed": 7}, 201))
		again.wantSessions("another world of the same id and seed", tokens, false)
		p.Call("POST", "/fork-one/people/messaging/jon.abel/say", object{"channel": "#general", "text": "still here"}, 200)
	})
}

// The sessions by which the admin plane acts are made anew when they are gone:
// whatever the clock did meanwhile, people go on acting.
func TestPeopleActWhateverTheClockDoes(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"fixture": "demo", "clock": "2026-03-02T09:00:00Z"}, 201))
		say := func(user, text string) {
			t.Helper()
			w.Call("POST", "/"+w.ID+"/people/messaging/"+user+"/say", object{"channel": "#general", "text": text}, 200)
		}
		clock := func(at string) { w.Call("POST", "/"+w.ID+"/clock", object{"freeze": at}, 200) }
		say("jon.abel", "today")
		clock("2026-03-05T09:00:00Z")
		say("lena.park", "three days later") // removes the sessions that are over
		p.Call("POST", "/"+w.ID+"/credentials/rotate", object{}, 200)
		clock("2026-03-02T09:00:00Z")
		say("jon.abel", "today again")
		clock("2199-12-31T23:59:59Z")
		say("jon.abel", "at the end of time")
		w.Call("POST", "/"+w.ID+"/people/messaging/jon.abel/session", object{"expires_seconds": 30 * 86400}, 201)
		clock("1970-01-01T00:00:00Z")
		say("jon.abel", "at its beginning")
	})
}

// A session that its holder signs out of is over.
func TestSessionsCanBeSignedOutOf(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"fixture": "demo"}, 201))
		for service, path := range map[string]string{"messaging": "/api/auth.test", "tracker": "/graphql"} {
			base := w.Base(service)[len(w.Server.URL):]
			session := func() string {
				return w.Call("POST", "/"+w.ID+"/people/"+service+"/lena.park/session", object{"kind": "jwt"}, 201)["token"].(string)
			}
			one, other := session(), session()
			if status, _, reply := as(t, w.Server, "sdk", "POST", base+"/api/auth/logout", one, object{}); status != 204 {
				t.Fatalf("%s: %d %v", service, status, reply)
			}
			for token, want := range map[string]bool{one: false, other: true} {
				status, _, reply := as(t, w.Server, "sdk", "POST", base+path, token, object{"query": "{ viewer { id } }"})
				if good := status == 200 && reply["ok"] != false && reply["errors"] == nil; good != want {
					t.Errorf("%s: after signing out it is good: %v; %d %v", service, good, status, reply)
				}
			}
		}
	})
}
