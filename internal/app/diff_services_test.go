package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"understudy/internal/app/apptest"
)

func TestADiffOfTheCRM(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		contact := func(email string) string {
			return w.CRM("POST", "objects/contacts", map[string]any{"properties": map[string]any{"email": email, "firstname": "Ann"}}, 201)["id"].(string)
		}
		changed, gone := contact("ann@example.com"), contact("gone@example.com")
		company := w.CRM("POST", "objects/companies", map[string]any{"properties": map[string]any{"name": "Acme"}}, 201)["id"].(string)
		from := "?from=" + p.Call("POST", "/"+w.ID+"/snapshots", nil, 201)["id"].(string)
		p.Call("POST", "/"+w.ID+"/clock", map[string]any{"advance": "1m"}, 200)

		fresh := contact("new@example.com")
		w.CRM("PATCH", "objects/contacts/"+changed, map[string]any{"properties": map[string]any{"firstname": "Anna", "phone": "1"}}, 200)
		w.CRM("DELETE", "objects/contacts/"+gone, nil, 204)
		w.Do("crm", "PUT", "/api/crm/v4/objects/contact/"+changed+"/associations/default/company/"+company, w.Credential("crm", "access_token"), nil, 200)
		w.CRM("PATCH", "properties/contacts/groups/contactinformation", map[string]any{"label": "Who they are"}, 200)
		w.CRM("POST", "properties/contacts", map[string]any{"name": "rank", "label": "Rank", "type": "number", "fieldType": "number", "groupName": "contactinformation"}, 201)

		apptest.WantLines(t, "inserts", p.Diff(w.ID, from, "inserts"),
			"crm association companies/"+company+"/contacts/"+changed+"/280 [] null {",
			"crm association contacts/"+changed+"/companies/"+company+"/279 [] null {",
			"crm contact "+fresh+` [] null {"createdAt":"2026-01-01T00:01:00.000Z","id":"`+fresh+`","properties.email":"new@example.com"`,
			"crm property contacts/rank [] null {")
		apptest.WantLines(t, "updates", p.Diff(w.ID, from, "updates"),
			"crm contact "+changed+` ["properties.firstname","properties.phone","updatedAt"] `+
				`{"properties.firstname":"Ann","properties.phone":null,"updatedAt":"2026-01-01T00:00:00.000Z"} `+
				`{"properties.firstname":"Anna","properties.phone":"1","updatedAt":"2026-01-01T00:01:00.000Z"}`,
			`crm propertyGroup contacts/contactinformation ["label"] {"label":"Contact information"} {"label":"Who they are"}`)
		apptest.WantLines(t, "deletes", p.Diff(w.ID, from, "deletes"), "crm contact "+gone+" [] {")
	})
}

func TestADiffOfTheTracker(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		team := at(w.GraphQL(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{id}}}`, nil), "teamCreate", "team", "id").(string)
		issue := func(title string) string {
			return at(w.GraphQL(`mutation($i:IssueCreateInput!){issueCreate(input:$i){issue{id}}}`,
				map[string]any{"i": map[string]any{"teamId": team, "title": title}}), "issueCreate", "issue", "id").(string)
		}
		changed := issue("to be changed")
		comment := at(w.GraphQL(`mutation($i:CommentCreateInput!){commentCreate(input:$i){comment{id}}}`,
			map[string]any{"i": map[string]any{"issueId": changed, "body": "to go"}}), "commentCreate", "comment", "id").(string)
		from := "?from=" + p.Call("POST", "/"+w.ID+"/snapshots", nil, 201)["id"].(string)

		fresh := issue("new")
		w.GraphQL(`mutation($id:String!){issueUpdate(id:$id,input:{priority:1,title:"changed"}){success}}`, map[string]any{"id": changed})
		w.GraphQL(`mutation($id:String!){commentDelete(id:$id){success}}`, map[string]any{"id": comment})
		w.GraphQL(`mutation{webhookCreate(input:{url:"http://127.0.0.1:9/hook",resourceTypes:["Issue"],secret:"very-secret-indeed-so-long"}){success}}`, nil)

		inserts := p.Diff(w.ID, from, "inserts")
		apptest.WantLines(t, "inserts", inserts, "tracker issue "+fresh+` [] null {"addedToCycleAt":null,`, "tracker webhook ")
		if all := strings.Join(inserts, ""); !strings.Contains(all, `"title":"new"`) || strings.Contains(all, "very-secret") {
			t.Errorf("inserts: %s", all)
		}
		updates := p.Diff(w.ID, from, "updates")
		apptest.WantLines(t, "updates", updates, "tracker issue "+changed+` ["priority","title"] {"priority":0,`)
		if !strings.Contains(updates[0], `"title":"to be changed"`) || !strings.HasSuffix(updates[0], `"title":"changed"}`) {
			t.Errorf("updates: %s", updates)
		}
		apptest.WantLines(t, "deletes", p.Diff(w.ID, from, "deletes"), "tracker comment "+comment+" [] {")
	})
}

func TestADiffOfIngestion(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		key := w.Credential("ingest", "api_key")
		uuid := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
		capture := func(n int) {
			w.Do("ingest", "POST", "/api/v1/capture-event", key, map[string]any{"org_id": w.Credential("ingest", "organization_id"),
				"event_id": uuid(n), "session_id": uuid(1), "primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true,
				"args": "{}", "result": "{}", "timestamp": 1767225600000}, 200)
		}
		w.Do("ingest", "POST", "/api/v1/capture-session", key, map[string]any{"org_id": w.Credential("ingest", "organization_id"),
			"session_id": uuid(1), "client_config": "test", "ip": "", "connection_type": "http", "user_data": map[string]any{"user_id": "u1", "plan": "pro"}}, 200)
		capture(2)
		from := "?from=" + p.Call("POST", "/"+w.ID+"/snapshots", nil, 201)["id"].(string)
		capture(3)
		apptest.WantLines(t, "inserts", p.Diff(w.ID, from, "inserts"), "ingest event "+uuid(3)+` [] null {"args":"{}",`)
		apptest.WantLines(t, "updates", p.Diff(w.ID, from, "updates"), "ingest session "+uuid(1)+` ["event_count"] {"event_count":1} {"event_count":2}`)
		apptest.WantLines(t, "deletes", p.Diff(w.ID, from, "deletes"))
		since := strings.Join(p.Diff(w.ID, "", "inserts"), "\n")
		for _, want := range []string{"ingest session " + uuid(1), "ingest event " + uuid(2), "ingest event " + uuid(3), "ingest user u1 "} {
			if !strings.Contains(since, want) {
				t.Errorf("since the creation, %q is missing:\n%s", want, since)
			}
		}

		// A capture did what it reported, and not what the next one did.
		event := func(n int) map[string]any {
			return map[string]any{"org_id": w.Credential("ingest", "organization_id"), "event_id": uuid(n), "session_id": uuid(1),
				"primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true, "args": "{}", "result": "{}", "timestamp": 1767225600000}
		}
		w.Do("ingest", "POST", "/api/v1/capture-events", key, map[string]any{"events": []any{event(3), event(4), event(5)}}, 202)
		capture(6)
		want := map[string][]string{"ingest.capture-event": {uuid(6)}, "ingest.capture-events": {uuid(4), uuid(5)}}
		for _, r := range p.requests(w.ID, "?service=ingest&limit=2") {
			var keys []string
			for _, c := range p.Call("GET", fmt.Sprintf("/%s/requests/%.0f", w.ID, at(r, "seq")), nil, 200)["effects"].(map[string]any)["changes"].([]any) {
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
		w := p.world(p.Call("POST", "", nil, 201))
		user := w.Credential("messaging", "user_token")
		w.Do("messaging", "POST", "/api/apps", user, map[string]any{"manifest": map[string]any{"display_information": map[string]any{"name": "Second"},
			"oauth_config": map[string]any{"scopes": map[string]any{"bot": []string{"chat:write"}}}, "features": map[string]any{"bot_user": map[string]any{"display_name": "second"}}}}, 201)
		w.Do("messaging", "POST", "/api/auth/signup", "", map[string]any{"email": "new@example.com", "password": "long enough", "name": "New", "workspace_name": "Second"}, 201)
		w.Do("messaging", "POST", "/api/webhooks/incoming", user, map[string]any{"channel": "general"}, 201)
		w.Do("messaging", "POST", "/api/admin/provision", user, map[string]any{"rotate": true}, 200)
		login := w.Do("crm", "POST", "/api/auth/login", "", map[string]any{"email": w.Credential("crm", "user_email"), "password": w.Credential("crm", "user_password")}, 200)
		w.Do("crm", "POST", "/api/account-info/v3/api-keys", login["accessToken"].(string), map[string]any{"name": "second"}, 201)
		w.Do("ingest", "POST", "/api/v1/api-keys", p.Key, map[string]any{"name": "second"}, 201)
		for _, list := range []string{"inserts", "updates", "deletes"} {
			lines := p.Diff(w.ID, "", list)
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
		e := p.world(p.Call("POST", "", map[string]any{"rate_limits": "off"}, 201))
		for i := range 25 {
			e.Post(fmt.Sprint("message ", i))
		}
		whole := p.Diff(e.ID, "", "inserts")
		var paged []string
		cursor, pages := "", 0
		for {
			reply := p.Call("GET", "/"+e.ID+"/diff?limit=7&cursor="+cursor, nil, 200)
			for _, one := range reply["inserts"].([]any) {
				paged = append(paged, apptest.DiffLine(one))
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
