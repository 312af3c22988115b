package app_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// world is an environment with the credentials of all its services.
type world struct {
	p     plane
	id    string
	creds map[string]any
}

func (p plane) world(reply map[string]any) world { return world{p, reply["id"].(string), reply} }

func (w world) credential(service, member string) string {
	text, ok := w.creds[service].(map[string]any)[member].(string)
	if !ok {
		w.p.t.Fatalf("no credential %s.%s", service, member)
	}
	return text
}

// do makes a call of a service and gives the reply, which must have the status.
func (w world) do(service, method, path, token string, body any, want int) map[string]any {
	w.p.t.Helper()
	status, reply := w.p.s.Call(method, w.credential(service, "base_url")+path, token, body)
	if status != want {
		w.p.t.Fatalf("%s %s%s answers %d %v, want %d", method, service, path, status, reply, want)
	}
	return reply
}

func (w world) crm(method, path string, body any, want int) map[string]any {
	w.p.t.Helper()
	return w.do("crm", method, "/api/crm/v3/"+path, w.credential("crm", "access_token"), body, want)
}

func (w world) graphql(query string, variables map[string]any) map[string]any {
	w.p.t.Helper()
	reply := w.do("tracker", http.MethodPost, "/graphql", w.credential("tracker", "api_key"), map[string]any{"query": query, "variables": variables}, 200)
	if reply["errors"] != nil {
		w.p.t.Fatalf("%s answers %v", query, reply["errors"])
	}
	return reply["data"].(map[string]any)
}

// at gives what a path of members and places leads to.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// wantLines compares the beginnings of lines.
func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestADiffOfTheCRM(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		contact := func(email string) string {
			return w.crm("POST", "objects/contacts", map[string]any{"properties": map[string]any{"email": email, "firstname": "Ann"}}, 201)["id"].(string)
		}
		changed, gone := contact("ann@example.com"), contact("gone@example.com")
		company := w.crm("POST", "objects/companies", map[string]any{"properties": map[string]any{"name": "Acme"}}, 201)["id"].(string)
		from := "?from=" + p.call("POST", "/"+w.id+"/snapshots", nil, 201)["id"].(string)
		p.call("POST", "/"+w.id+"/clock", map[string]any{"advance": "1m"}, 200)

		fresh := contact("new@example.com")
		w.crm("PATCH", "objects/contacts/"+changed, map[string]any{"properties": map[string]any{"firstname": "Anna", "phone": "1"}}, 200)
		w.crm("DELETE", "objects/contacts/"+gone, nil, 204)
		w.do("crm", "PUT", "/api/crm/v4/objects/contact/"+changed+"/associations/default/company/"+company, w.credential("crm", "access_token"), nil, 200)
		w.crm("PATCH", "properties/contacts/groups/contactinformation", map[string]any{"label": "Who they are"}, 200)
		w.crm("POST", "properties/contacts", map[string]any{"name": "rank", "label": "Rank", "type": "number", "fieldType": "number", "groupName": "contactinformation"}, 201)

		wantLines(t, "inserts", p.diff(w.id, from, "inserts"),
			"crm association companies/"+company+"/contacts/"+changed+"/280 [] null {",
			"crm association contacts/"+changed+"/companies/"+company+"/279 [] null {",
			"crm contact "+fresh+` [] null {"createdAt":"2026-01-01T00:01:00.000Z","id":"`+fresh+`","properties.email":"new@example.com"`,
			"crm property contacts/rank [] null {")
		wantLines(t, "updates", p.diff(w.id, from, "updates"),
			"crm contact "+changed+` ["properties.firstname","properties.phone","updatedAt"] `+
				`{"properties.firstname":"Ann","properties.phone":null,"updatedAt":"2026-01-01T00:00:00.000Z"} `+
				`{"properties.firstname":"Anna","properties.phone":"1","updatedAt":"2026-01-01T00:01:00.000Z"}`,
			`crm propertyGroup contacts/contactinformation ["label"] {"label":"Contact information"} {"label":"Who they are"}`)
		wantLines(t, "deletes", p.diff(w.id, from, "deletes"), "crm contact "+gone+" [] {")
	})
}

func TestADiffOfTheTracker(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		team := at(w.graphql(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{id}}}`, nil), "teamCreate", "team", "id").(string)
		issue := func(title string) string {
			return at(w.graphql(`mutation($i:IssueCreateInput!){issueCreate(input:$i){issue{id}}}`,
				map[string]any{"i": map[string]any{"teamId": team, "title": title}}), "issueCreate", "issue", "id").(string)
		}
		changed := issue("to be changed")
		comment := at(w.graphql(`mutation($i:CommentCreateInput!){commentCreate(input:$i){comment{id}}}`,
			map[string]any{"i": map[string]any{"issueId": changed, "body": "to go"}}), "commentCreate", "comment", "id").(string)
		from := "?from=" + p.call("POST", "/"+w.id+"/snapshots", nil, 201)["id"].(string)

		fresh := issue("new")
		w.graphql(`mutation($id:String!){issueUpdate(id:$id,input:{priority:1,title:"changed"}){success}}`, map[string]any{"id": changed})
		w.graphql(`mutation($id:String!){commentDelete(id:$id){success}}`, map[string]any{"id": comment})
		w.graphql(`mutation{webhookCreate(input:{url:"http://127.0.0.1:9/hook",resourceTypes:["Issue"],secret:"very-secret-indeed-so-long"}){success}}`, nil)

		inserts := p.diff(w.id, from, "inserts")
		wantLines(t, "inserts", inserts, "tracker issue "+fresh+` [] null {"addedToCycleAt":null,`, "tracker webhook ")
		if all := strings.Join(inserts, ""); !strings.Contains(all, `"title":"new"`) || strings.Contains(all, "very-secret") {
			t.Errorf("inserts: %s", all)
		}
		updates := p.diff(w.id, from, "updates")
		wantLines(t, "updates", updates, "tracker issue "+changed+` ["priority","title"] {"priority":0,`)
		if !strings.Contains(updates[0], `"title":"to be changed"`) || !strings.HasSuffix(updates[0], `"title":"changed"}`) {
			t.Errorf("updates: %s", updates)
		}
		wantLines(t, "deletes", p.diff(w.id, from, "deletes"), "tracker comment "+comment+" [] {")
	})
}

func TestADiffOfIngestion(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		key := w.credential("ingest", "api_key")
		uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
		capture := func(n int) {
			w.do("ingest", "POST", "/api/v1/capture-event", key, map[string]any{"org_id": w.credential("ingest", "organization_id"),
				"event_id": uuid(n), "session_id": uuid(1), "primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true,
				"args": "{}", "result": "{}", "timestamp": 1767225600000}, 200)
		}
		w.do("ingest", "POST", "/api/v1/capture-session", key, map[string]any{"org_id": w.credential("ingest", "organization_id"),
			"session_id": uuid(1), "client_config": "test", "ip": "", "connection_type": "http", "user_data": map[string]any{"user_id": "u1", "plan": "pro"}}, 200)
		capture(2)
		from := "?from=" + p.call("POST", "/"+w.id+"/snapshots", nil, 201)["id"].(string)
		capture(3)
		wantLines(t, "inserts", p.diff(w.id, from, "inserts"), "ingest event "+uuid(3)+` [] null {"args":"{}",`)
		wantLines(t, "updates", p.diff(w.id, from, "updates"), "ingest session "+uuid(1)+` ["event_count"] {"event_count":1} {"event_count":2}`)
		wantLines(t, "deletes", p.diff(w.id, from, "deletes"))
		since := strings.Join(p.diff(w.id, "", "inserts"), "\n")
		for _, want := range []string{"ingest session " + uuid(1), "ingest event " + uuid(2), "ingest event " + uuid(3), "ingest user u1 "} {
			if !strings.Contains(since, want) {
				t.Errorf("since the creation, %q is missing:\n%s", want, since)
			}
		}

		// A capture did what it reported, and not what the next one did.
		event := func(n int) map[string]any {
			return map[string]any{"org_id": w.credential("ingest", "organization_id"), "event_id": uuid(n), "session_id": uuid(1),
				"primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true, "args": "{}", "result": "{}", "timestamp": 1767225600000}
		}
		w.do("ingest", "POST", "/api/v1/capture-events", key, map[string]any{"events": []any{event(3), event(4), event(5)}}, 202)
		capture(6)
		want := map[string][]string{"ingest.capture-event": {uuid(6)}, "ingest.capture-events": {uuid(4), uuid(5)}}
		for _, r := range p.requests(w.id, "?service=ingest&limit=2") {
			var keys []string
			for _, c := range p.call("GET", fmt.Sprintf("/%s/requests/%.0f", w.id, at(r, "seq")), nil, 200)["effects"].(map[string]any)["changes"].([]any) {
				if at(c, "entity") == "event" && at(c, "op") == "insert" {
					keys = append(keys, at(c, "key").(string))
				}
			}
			if name := at(r, "operations", 0).(string); !slices.Equal(keys, want[name]) {
				t.Errorf("%s reported the events %q, want %q", name, keys, want[name])
			}
		}
	})
}

// secretText is what must never stand in a diff, whatever was done.
var secretText = regexp.MustCompile(`xox[bp]-|pat-na1-|trk_api_|sk_[A-Za-z0-9]{8}|\$argon2|[0-9a-f]{64}`)

func TestADiffHoldsNoSecrets(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.call("POST", "", nil, 201))
		user := w.credential("messaging", "user_token")
		w.do("messaging", "POST", "/api/apps", user, map[string]any{"manifest": map[string]any{"display_information": map[string]any{"name": "Second"},
			"oauth_config": map[string]any{"scopes": map[string]any{"bot": []string{"chat:write"}}}, "features": map[string]any{"bot_user": map[string]any{"display_name": "second"}}}}, 201)
		w.do("messaging", "POST", "/api/auth/signup", "", map[string]any{"email": "new@example.com", "password": "long enough", "name": "New", "workspace_name": "Second"}, 201)
		w.do("messaging", "POST", "/api/webhooks/incoming", user, map[string]any{"channel": "general"}, 201)
		w.do("messaging", "POST", "/api/admin/provision", user, map[string]any{"rotate": true}, 200)
		login := w.do("crm", "POST", "/api/auth/login", "", map[string]any{"email": w.credential("crm", "user_email"), "password": w.credential("crm", "user_password")}, 200)
		w.do("crm", "POST", "/api/account-info/v3/api-keys", login["accessToken"].(string), map[string]any{"name": "second"}, 201)
		w.do("ingest", "POST", "/api/v1/api-keys", p.key, map[string]any{"name": "second"}, 201)
		for _, list := range []string{"inserts", "updates", "deletes"} {
			lines := p.diff(w.id, "", list)
			for _, l := range lines {
				if found := secretText.FindString(l); found != "" {
					t.Errorf("%s of a diff hold %q: %s", list, found, l)
				}
			}
			if list == "inserts" && len(lines) < 10 {
				t.Errorf("only %d inserts", len(lines))
			}
		}
	})
}

func TestADiffComesInPages(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", map[string]any{"rate_limits": "off"}, 201))
		for i := range 25 {
			e.post(fmt.Sprint("message ", i))
		}
		whole := p.diff(e.id, "", "inserts")
		var paged []string
		cursor, pages := "", 0
		for {
			reply := p.call("GET", "/"+e.id+"/diff?limit=7&cursor="+cursor, nil, 200)
			for _, one := range reply["inserts"].([]any) {
				paged = append(paged, line(one))
			}
			pages++
			if cursor = reply["next_cursor"].(string); cursor == "" {
				break
			}
		}
		if pages < 4 || strings.Join(paged, "\n") != strings.Join(whole, "\n") {
			t.Errorf("%d pages hold:\n%s\nnot:\n%s", pages, strings.Join(paged, "\n"), strings.Join(whole, "\n"))
		}
	})
}
