package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// verdict posts a document and returns the reply, which must have the status.
func (w world) verdict(doc any, want int) map[string]any {
	w.p.t.Helper()
	return w.p.call("POST", "/"+w.id+"/verdict", doc, want)
}

// check returns the result of a check as "true", "false" or "null", with its message.
func check(v map[string]any, id string) string {
	for _, c := range v["checks"].([]any) {
		if c := c.(map[string]any); c["id"] == id {
			if m, _ := c["message"].(string); m != "" {
				return fmt.Sprint(c["passed"], ": ", m)
			}
			return fmt.Sprint(c["passed"])
		}
	}
	return "no check " + id
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// demo returns a fork of a demo world.
func (p plane) demo() world {
	base := p.call("POST", "", object{"fixture": "demo", "seed": 7, "clock": "2026-03-02T09:00:00Z", "rate_limits": "off"}, 201)
	return p.world(base)
}

func (w world) say(channel, text string, more object) map[string]any {
	w.p.t.Helper()
	body := object{"channel": channel, "text": text}
	for k, v := range more {
		body[k] = v
	}
	return w.do("messaging", "POST", "/api/chat.postMessage", w.credential("messaging", "bot_token"), body, 200)
}

func TestAVerdictOfADemoWorld(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo()
		issue := w.graphql(`mutation($i:IssueCreateInput!){issueCreate(input:$i){issue{id identifier}}}`, object{"i": object{
			"teamId": at(w.graphql(`{teams(filter:{key:{eq:"SUP"}}){nodes{id}}}`, nil), "teams", "nodes", 0, "id"), "title": "Pinewood cannot Sign in", "priority": 1}})
		identifier := at(issue, "issueCreate", "issue", "identifier").(string)
		posted := w.say("#support", "On it: "+identifier, nil)
		if posted["ok"] != true {
			t.Fatal(posted)
		}
		v := w.verdict(object{"expect": []any{
			object{"inserted": "tracker.issue", "where": object{"teamId": "SUP", "plain": object{"contains": "sign in", "ignoring": []string{"case"}}, "priority": object{"any_of": []int{1, 2}}}, "as": "issue"},
			object{"inserted": "messaging.message", "where": object{"channel": "#support", "plain": object{"contains": "$issue.identifier"}}},
			object{"deleted": "crm.contact", "count": 0},
			object{"inserted": "messaging.message", "where": object{"channel": "#general"}},
			object{"state": "crm.contact", "where": object{"properties.email": object{"ends_with": ".example"}}, "count": object{"at_least": 100}},
		}, "nothing_else": true}, 200)
		for id, want := range map[string]string{"expect[0]": "true", "expect[1]": "true", "expect[2]": "true", "expect[4]": "true", "nothing_else": "true",
			"expect[3]": "false: no message was inserted"} {
			if got := check(v, id); !strings.HasPrefix(got, want) {
				t.Errorf("%s is %s, want %s", id, got, want)
			}
		}
		if v["verdict"] != "failed" || v["score"] != 0.8 {
			t.Errorf("%v with %v", v["verdict"], v["score"])
		}
	})
}
