package app_test

import (
	"fmt"
	"testing"
)

// What a service changes by itself with what was asked for is a consequence: who
// expects the one change gets a passed verdict, who expects none sees only it.
func TestOneCallIsOneChange(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		control := func(service, method, path, token string, body any, want int) object {
			return w.Do(service, method, "/api/"+path, token, body, want)
		}
		admin := w.Credential("messaging", "user_token")
		app := func(method, path string, want int, commands ...string) (id string) {
			var list []any
			for _, c := range commands {
				list = append(list, object{"command": c, "url": "http://127.0.0.1:9/", "description": "test"})
			}
			reply := control("messaging", method, "apps"+path, admin, object{"manifest": object{"display_information": object{"name": "Zed" + path},
				"features":     object{"bot_user": object{"display_name": "zed" + path}, "slash_commands": list},
				"oauth_config": object{"scopes": object{"bot": []any{"chat:write", "commands", "channels:read"}[:1+len(list)]}},
				"settings":     object{"event_subscriptions": object{"request_url": "http://127.0.0.1:9/", "bot_events": []any{"message.channels"}}}}}, want)
			id, _ = reply["app_id"].(string)
			return id
		}
		var made, member, organizer, group string
		team := at(w.GraphQL(`{teams(filter:{key:{eq:"SUP"}}){nodes{id}}}`, nil), "teams", "nodes", 0, "id")
		founder := control("tracker", "POST", "auth/login", "", object{"email": w.Credential("tracker", "user_email"), "password": w.Credential("tracker", "user_password")}, 200)["accessToken"].(string)
		for _, c := range []struct {
			name, expect string
			act          func()
		}{
			{"an app", "{inserted: messaging.app}", func() { made = app("POST", "", 201, "/zed") }},
			{"a manifest", "{updated: messaging.app}", func() { app("PUT", "/"+made, 200, "/zed", "/zedtwo") }},
			{"a webhook", "{inserted: messaging.incoming_webhook}", func() {
				control("messaging", "POST", "webhooks/incoming", admin, object{"channel": "#general", "app_id": made}, 201)
			}},
			{"the end of an app", "{deleted: messaging.app}", func() { control("messaging", "DELETE", "apps/"+made, admin, nil, 204) }},
			{"a workspace", "{inserted: messaging.workspace}", func() { control("messaging", "POST", "workspaces", admin, object{"name": "Second"}, 201) }},
			{"an account with a workspace", "{inserted: messaging.workspace}", func() {
				control("messaging", "POST", "auth/signup", "", object{"email": "kim@x.example", "password": "hunter2hunter2!", "name": "Kim", "workspace_name": "Kim's"}, 201)
			}},
			{"new tokens", "{inserted: messaging.token, count: 2}", func() {
				admin = control("messaging", "POST", "admin/provision", admin, object{"rotate": true}, 200)["user_token"].(string)
			}},
			{"an invitation", "{inserted: tracker.invitation}", func() {
				member = control("tracker", "POST", "organization/invites", founder, object{"email": "zoe@x.example"}, 201)["token"].(string)
			}},
			{"somebody invited", "{inserted: tracker.user}", func() {
				control("tracker", "POST", "auth/signup", "", object{"email": "zoe@x.example", "password": "hunter2hunter2!", "name": "Zoe", "inviteToken": member}, 201)
			}},
			{"an account", "{inserted: tracker.account}", func() {
				organizer = control("tracker", "POST", "auth/signup", "", object{"email": "ann@x.example", "password": "hunter2hunter2!", "name": "Ann"}, 201)["accessToken"].(string)
			}},
			{"an organization", "{inserted: tracker.organization}", func() {
				control("tracker", "POST", "organization", organizer, object{"name": "Second", "urlKey": "second"}, 201)
			}},
			{"triage", "{updated: tracker.team}", func() {
				w.GraphQL(`mutation($id:String!){teamUpdate(id:$id,input:{triageEnabled:true}){success}}`, object{"id": team})
			}},
			{"a group of labels", "{inserted: tracker.label, count: 2}", func() {
				group = at(w.GraphQL(`mutation{issueLabelCreate(input:{name:"Group",isGroup:true}){issueLabel{id}}}`, nil), "issueLabelCreate", "issueLabel", "id").(string)
				w.GraphQL(`mutation($id:String!){issueLabelCreate(input:{name:"One",parentId:$id}){issueLabel{id}}}`, object{"id": group})
			}},
			{"the end of a group", `{deleted: tracker.label, where: {name: Group}}`, func() {
				w.GraphQL(`mutation($id:String!){issueLabelDelete(id:$id){success}}`, object{"id": group})
			}},
			{"the end of a workspace", "{deleted: messaging.workspace}", func() {
				control("messaging", "DELETE", "workspaces/"+w.Credential("messaging", "workspace_id"), admin, nil, 204)
			}},
		} {
			from := w.Call("POST", "/"+w.ID+"/snapshots", object{}, 201)["id"]
			c.act()
			v := w.verdict(fmt.Sprintf("{from: %s, expect: [%s], nothing_else: true}", from, c.expect), 200)
			if v["verdict"] != "passed" {
				t.Errorf("%s: %s\n%v", c.name, checks(v), at(v, "checks", 1, "evidence", "left"))
			}
		}
	})
}
