package control_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestWorkspaces(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		owner, guest := s.signUp("ann@example.com"), s.signUp("bob@example.com")
		made := s.call("POST", "/api/workspaces", owner.token, object{"name": "Second", "domain": "second"}).is(201)
		path := "/api/workspaces/" + made.at("workspace.id")
		if made.at("workspace.domain") != "second" || made.at("workspace.url") != "https://second.example/" || made.body["user"].(object)["is_admin"] != true {
			t.Errorf("%s", made.raw)
		}
		if user, team, ok := s.works(made.at("access_token")); !ok || user != made.at("user.id") || team != made.at("workspace.id") {
			t.Errorf("%s %s %v", user, team, ok)
		}
		channels := s.call("POST", "/api/conversations.list", made.at("access_token"), nil)
		if n := len(channels.list("channels")); n != 2 {
			t.Errorf("%d channels: %s", n, channels.raw)
		}

		// Who is no member sees nothing; a member reads; an admin writes.
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.call(method, path, guest.token, object{"name": "Mine"}).is(404, "workspace_not_found")
		}
		joined := s.call("POST", path+"/join", guest.token, nil).is(200)
		if joined.body["user"].(object)["is_admin"] != false || joined.at("workspace.name") != "Second" {
			t.Errorf("%s", joined.raw)
		}
		if again := s.call("POST", path+"/join", guest.token, nil).is(200); again.at("user.id") != joined.at("user.id") {
			t.Errorf("joined twice: %s", again.raw)
		}
		s.call("GET", path, guest.token, nil).is(200)
		s.call("PUT", path, joined.at("access_token"), object{"name": "Mine"}).is(403, "not_admin")
		s.call("DELETE", path, joined.at("access_token"), nil).is(403, "not_admin")

		// The account counts, not the workspace of its token.
		if r := s.call("PUT", path, owner.token, object{"name": "Renamed"}).is(200); r.at("workspace.name") != "Renamed" || r.at("workspace.domain") != "second" {
			t.Errorf("%s", r.raw)
		}
		if r := s.call("PUT", path, owner.token, object{"domain": "third", "name": ""}).is(200); r.at("workspace.name") != "Renamed" || r.at("workspace.domain") != "third" {
			t.Errorf("%s", r.raw)
		}
		s.call("PUT", path, owner.token, object{"domain": "understudy"}).is(409, "domain_taken")
		s.call("PUT", path, owner.token, object{"domain": "No Domain"}).is(400, "invalid_domain")
		s.call("PUT", path, owner.token, object{"name": strings.Repeat("x", 81)}).is(400, "invalid_name")
		s.call("POST", "/api/workspaces", owner.token, object{"name": "x", "domain": "third"}).is(409, "domain_taken")
		s.call("POST", "/api/workspaces", owner.token, object{}).is(400, "invalid_name")
		s.call("POST", "/api/workspaces", "", object{"name": "x"}).is(401)

		s.call("DELETE", path, owner.token, nil).is(204)
		s.call("GET", path, owner.token, nil).is(404)
		s.call("POST", path+"/join", guest.token, nil).is(404)
		for _, token := range []string{made.at("access_token"), joined.at("access_token")} {
			if _, _, ok := s.works(token); ok {
				t.Error("a deleted workspace takes a token")
			}
		}
		// The account lives on, and the domain is free again.
		s.call("GET", "/api/auth/me", made.at("access_token"), nil).is(200)
		s.call("POST", "/api/workspaces", owner.token, object{"name": "x", "domain": "third"}).is(201)
		for _, id := range []string{"T0NOTHING00", "%00", "%ff", "lower", "..%2f"} {
			s.call("GET", "/api/workspaces/"+id, owner.token, nil).is(404)
			s.call("POST", "/api/workspaces/"+id+"/join", owner.token, nil).is(404)
		}
	})
}

func TestWorkspacesArePaged(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		p := s.signUp("ann@example.com")
		want := map[string]bool{}
		for i := range 5 {
			want[s.call("POST", "/api/workspaces", p.token, object{"name": fmt.Sprint("W", i)}).is(201).at("workspace.id")] = true
		}
		cursor, pages := "", 0
		for {
			r := s.call("GET", "/api/workspaces?limit=2&cursor="+strings.ReplaceAll(cursor, "+", "%2B"), p.token, nil).is(200)
			for _, w := range r.list("workspaces") {
				id := w.(object)["id"].(string)
				if !want[id] {
					t.Errorf("%s twice, or not of this account", id)
				}
				delete(want, id)
			}
			pages++
			if cursor = r.at("next_cursor"); cursor == "" || pages > 5 {
				break
			}
		}
		if len(want) != 0 || pages != 3 {
			t.Errorf("%d pages, missing %v", pages, want)
		}
		for _, query := range []string{"limit=x", "limit=0", "limit=-1", "limit=1.5", "cursor=nonsense", "cursor=d29ya3NwYWNlOgA=", "cursor=%00%ff"} {
			s.call("GET", "/api/workspaces?"+query, p.token, nil).is(400)
		}
		s.call("GET", "/api/workspaces?limit=99999999", p.token, nil).is(200)
	})
}

// Of concurrent requests for something that only one can have, one succeeds.
func TestRacesLeaveOneWinner(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		const n = 6
		people := make([]person, n)
		for i := range people {
			people[i] = s.signUp(fmt.Sprintf("same@%d.example.com", i))
		}
		race := func(call func(i int) reply) map[int]int {
			var mu sync.Mutex
			var wg sync.WaitGroup
			statuses := map[int]int{}
			for i := range n {
				wg.Add(1)
				go func() {
					defer wg.Done()
					r := call(i)
					mu.Lock()
					defer mu.Unlock()
					statuses[r.status]++
				}()
			}
			wg.Wait()
			return statuses
		}
		// Handles are made of the same local part, so they must be told apart.
		if got := race(func(i int) reply {
			return s.call("POST", "/api/workspaces/"+s.def.Workspace.ID+"/join", people[i].token, nil)
		}); got[200] != n {
			t.Errorf("joins: %v", got)
		}
		if got := race(func(int) reply {
			return s.call("POST", "/api/workspaces/"+s.def.Workspace.ID+"/join", people[0].token, nil)
		}); got[200] != n {
			t.Errorf("joins of one account: %v", got)
		}
		if got := race(func(int) reply {
			return s.call("POST", "/api/auth/signup", "", object{"email": "new@example.com", "password": password, "name": "x"})
		}); got[201] != 1 || got[409] != n-1 {
			t.Errorf("sign-ups: %v", got)
		}
		if got := race(func(i int) reply {
			return s.call("POST", "/api/workspaces", people[i].token, object{"name": "x", "domain": "wanted"})
		}); got[201] != 1 || got[409] != n-1 {
			t.Errorf("workspaces: %v", got)
		}
		if got := race(func(i int) reply {
			return s.call("POST", "/api/workspaces", people[i].token, object{"name": "Namesakes"})
		}); got[201] != n {
			t.Errorf("workspaces of one name: %v", got)
		}
		ids := make([]string, n)
		for i := range ids {
			ids[i] = s.call("POST", "/api/workspaces", people[i].token, object{"name": "x"}).is(201).at("workspace.id")
		}
		if got := race(func(i int) reply {
			return s.call("PUT", "/api/workspaces/"+ids[i], people[i].token, object{"domain": "prized"})
		}); got[200] != 1 || got[409] != n-1 {
			t.Errorf("domains: %v", got)
		}
		r := s.call("GET", "/api/workspaces", people[0].token, nil).is(200)
		if got := strings.Count(r.raw, `"`+s.def.Workspace.ID+`"`); got != 1 {
			t.Errorf("one account is %d users of a workspace", got)
		}
	})
}
