package console_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

// Things of several names can stand in one table, of which some are archived:
// a diff of the others is not disturbed by them.
func TestADiffIsNarrowedBesideThingsThatWent(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(object{"rate_limits": "off"})
		crm := func(method, path string, body any, want int) object {
			t.Helper()
			status, reply := p.Server.Call(method, e.Base("crm")+"/api/crm/v3/objects/"+path, e.Credential("crm", "access_token"), body)
			if status != want {
				t.Fatalf("%s %s: %d %v", method, path, status, reply)
			}
			return reply
		}
		contact := crm("POST", "contacts", object{"properties": object{"email": "ida@north.example"}}, 201)["id"].(string)
		ticket := crm("POST", "tickets", object{"properties": object{"subject": "Export"}}, 201)["id"].(string)
		from := "/" + e.ID + "/diff?from=" + p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		crm("PATCH", "contacts/"+contact, object{"properties": object{"firstname": "Ida"}}, 200)
		crm("DELETE", "tickets/"+ticket, nil, 204)
		for _, query := range []string{"&entity=contact", "&key=" + contact, "&service=crm&entity=contact&fields=all"} {
			changes := p.Call("GET", from+query, nil, 200)
			if len(changes["updates"].([]any)) != 1 || len(changes["deletes"].([]any)) != 0 || apptest.Get(changes, "updates", 0, "cause", 0, "operation") != "crm.PATCH /crm/v3/objects/{objectType}/{objectId}" {
				t.Errorf("%s: %v", query, changes)
			}
		}
		gone := p.Call("GET", from+"&entity=ticket", nil, 200)
		if len(gone["updates"].([]any)) != 0 || apptest.Get(gone, "deletes", 0, "cause", 0, "operation") != "crm.DELETE /crm/v3/objects/{objectType}/{objectId}" {
			t.Errorf("what went: %v", gone)
		}
	})
}
