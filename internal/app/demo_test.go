package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// addresses returns the e-mail addresses of the company in a list, sorted.
func addresses(list any, path ...any) (out []string) {
	all, _ := list.([]any)
	for _, one := range all {
		if email, _ := at(one, path...).(string); strings.HasSuffix(email, "@understudy.example") && !strings.HasPrefix(email, "admin@") {
			out = append(out, email)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The demo names the same people, deals and issues wherever it names them.
func TestTheDemoIsOneCompany(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		reply := p.Call("POST", "", map[string]any{"fixture": "demo", "seed": 7, "clock": "2026-03-01T12:00:00Z"}, 201)
		e := p.world(reply)
		counts := p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any)["counts"]
		for path, least := range map[string]float64{"messaging messages": 60, "tracker issues": 40, "tracker teams": 3, "tracker comments": 20,
			"ingest sessions": 10, "ingest events": 40, "crm contacts": 160} {
			service, noun, _ := strings.Cut(path, " ")
			if n, _ := at(counts, service, noun).(float64); n < least {
				t.Errorf("%v %s", n, path)
			}
		}
		get := func(service, path, token string) any {
			_, got := p.Server.Call("GET", at(reply, service, "base_url").(string)+path, at(reply, service, token).(string), nil)
			return got
		}
		graphql := func(query string) any {
			_, got := p.Server.Call("POST", at(reply, "tracker", "base_url").(string)+"/graphql", at(reply, "tracker", "api_key").(string), map[string]any{"query": query})
			return at(got, "data")
		}
		people := addresses(e.Web("users.list")["members"], "profile", "email")
		for service, others := range map[string][]string{
			"tracker": addresses(at(graphql(`{users(first: 50) {nodes {email}}}`), "users", "nodes"), "email"),
			"ingest":  addresses(at(get("ingest", "/api/v1/users?limit=100", "api_key"), "users"), "user_id"),
			"crm":     addresses(at(get("crm", "/api/crm/v3/owners?limit=100", "access_token"), "results"), "email"),
		} {
			if len(others) < 5 {
				t.Errorf("%s knows only %v", service, others)
			}
			for _, email := range others {
				if !slices.Contains(people, email) {
					t.Errorf("%s has %s, messaging has only %v", service, email, people)
				}
			}
		}

		var talk strings.Builder
		for _, ch := range e.Web("conversations.list", "types", "public_channel")["channels"].([]any) {
			id := at(ch, "id").(string)
			e.Web("conversations.join", "channel", id)
			for _, m := range e.Web("conversations.history", "channel", id, "limit", "200")["messages"].([]any) {
				fmt.Fprintln(&talk, at(m, "text"))
				if at(m, "reply_count") != nil {
					for _, r := range e.Web("conversations.replies", "channel", id, "ts", at(m, "ts").(string))["messages"].([]any) {
						fmt.Fprintln(&talk, at(r, "text"))
					}
				}
			}
		}
		identifiers := regexp.MustCompile(`\b(ENG|WEB|SUP)-\d+`).FindAllString(talk.String(), -1)
		deals := regexp.MustCompile(`\*([A-Z][\w &]+ – [a-z ]+)\*`).FindAllStringSubmatch(talk.String(), -1)
		if len(identifiers) < 15 || len(deals) < 8 {
			t.Errorf("the talk mentions issues %v and deals %v", identifiers, deals)
		}
		for _, id := range identifiers {
			if at(graphql(`{issue(id: "`+id+`") {title}}`), "issue", "title") == nil {
				t.Errorf("the talk mentions %s, which the tracker does not have", id)
			}
		}
		known := fmt.Sprint(get("crm", "/api/crm/v3/objects/deals?limit=100&properties=dealname", "access_token"))
		for _, d := range deals {
			if !strings.Contains(known, "dealname:"+strings.ReplaceAll(d[1], "&amp;", "&")+" ") {
				t.Errorf("the talk mentions the deal %q, which the CRM does not have", d[1])
			}
		}
	})
}

// The demo's customers are the same on every machine and on both databases:
// records of all types, linked, with the ids that scripts may hold.
func TestTheDemosCustomersAreTheSameEverywhere(t *testing.T) {
	var seen []string
	onPlanes(t, func(t *testing.T, p plane) {
		reply := p.Call("POST", "", map[string]any{"fixture": "demo", "clock": "2026-03-01T12:00:00Z"}, 201)
		search := func(kind string, property string) map[string]any {
			_, got := p.Server.Call("POST", at(reply, "crm", "base_url").(string)+"/api/crm/v3/objects/"+kind+"/search", at(reply, "crm", "access_token").(string),
				map[string]any{"limit": 200, "filterGroups": []any{map[string]any{"filters": []any{map[string]any{"propertyName": property, "operator": "HAS_PROPERTY"}}}}})
			return got
		}
		var all []any
		for _, kind := range []struct {
			name                  string
			all, withCompany      int
			firstID, firstCreated string
		}{
			{"companies", 40, 0, "100009", "2025-01-25T12:00:00.000Z"},
			{"contacts", 160, 160, "100049", "2025-02-04T12:00:00.000Z"},
			{"deals", 60, 60, "100209", "2025-05-05T12:00:00.000Z"},
			{"tickets", 50, 50, "100269", "2025-10-02T12:00:00.000Z"},
		} {
			found := search(kind.name, "createdate")
			if found["total"] != float64(kind.all) || at(found, "results", 0, "id") != kind.firstID || at(found, "results", 0, "createdAt") != kind.firstCreated {
				t.Errorf("%s: %v, the first %v", kind.name, found["total"], at(found, "results", 0))
			}
			all = append(all, found["results"])
			if linked := search(kind.name, "associations.company"); kind.withCompany > 0 && linked["total"] != float64(kind.withCompany) {
				t.Errorf("%v %s with a company", linked["total"], kind.name)
			}
		}
		seen = append(seen, fmt.Sprint(all))
	})
	if len(seen) == 2 && seen[0] != seen[1] {
		t.Error("the databases do not hold the same customers")
	}
}
