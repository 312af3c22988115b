package app_test

import (
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

func TestADiffOfTheTracker(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.Create(map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"})
		team := apptest.Get(w.GraphQL(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{id}}}`, nil), "teamCreate", "team", "id").(string)
		issue := func(title string) string {
			return apptest.Get(w.GraphQL(`mutation($i:IssueCreateInput!){issueCreate(input:$i){issue{id}}}`,
				map[string]any{"i": map[string]any{"teamId": team, "title": title}}), "issueCreate", "issue", "id").(string)
		}
		changed := issue("to be changed")
		comment := apptest.Get(w.GraphQL(`mutation($i:CommentCreateInput!){commentCreate(input:$i){comment{id}}}`,
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
