package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// addresses gives the e-mail addresses of the company in a list, sorted.
func addresses(list any, path ...any) (out []string) {
	all, _ := list.([]any)
	for _, one := range all {
		if email, _ := dig(one, path...).(string); strings.HasSuffix(email, "@understudy.example") && !strings.HasPrefix(email, "admin@") {
			out = append(out, email)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The demo names the same people, deals and issues wherever it names them.
func TestTheDemoIsOneCompany(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		reply := p.call("POST", "", map[string]any{"fixture": "demo", "seed": 7, "clock": "2026-03-01T12:00:00Z"}, 201)
		e := p.env(reply)
		counts := p.call("GET", "/"+e.id, nil, 200)["environment"].(map[string]any)["counts"]
		for path, least := range map[string]float64{"messaging messages": 60, "tracker issues": 40, "tracker teams": 3, "tracker comments": 20,
			"ingest sessions": 10, "ingest events": 40, "crm contacts": 160} {
			service, noun, _ := strings.Cut(path, " ")
			if n, _ := dig(counts, service, noun).(float64); n < least {
				t.Errorf("%v %s", n, path)
			}
		}
		get := func(service, path, token string) any {
			_, got := p.s.Call("GET", dig(reply, service, "base_url").(string)+path, dig(reply, service, token).(string), nil)
			return got
		}
		graphql := func(query string) any {
			_, got := p.s.Call("POST", dig(reply, "tracker", "base_url").(string)+"/graphql", dig(reply, "tracker", "api_key").(string), map[string]any{"query": query})
			return dig(got, "data")
		}
		people := addresses(e.web("users.list")["members"], "profile", "email")
		for service, others := range map[string][]string{
			"tracker": addresses(dig(graphql(`{users(first: 50) {nodes {email}}}`), "users", "nodes"), "email"),
			"ingest":  addresses(dig(get("ingest", "/api/v1/users?limit=100", "api_key"), "users"), "user_id"),
			"crm":     addresses(dig(get("crm", "/api/crm/v3/owners?limit=100", "access_token"), "results"), "email"),
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
		for _, ch := range e.web("conversations.list", "types", "public_channel")["channels"].([]any) {
			id := dig(ch, "id").(string)
			e.web("conversations.join", "channel", id)
			for _, m := range e.web("conversations.history", "channel", id, "limit", "200")["messages"].([]any) {
				fmt.Fprintln(&talk, dig(m, "text"))
				if dig(m, "reply_count") != nil {
					for _, r := range e.web("conversations.replies", "channel", id, "ts", dig(m, "ts").(string))["messages"].([]any) {
						fmt.Fprintln(&talk, dig(r, "text"))
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
			if dig(graphql(`{issue(id: "`+id+`") {title}}`), "issue", "title") == nil {
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
