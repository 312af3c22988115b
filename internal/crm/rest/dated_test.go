package rest_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A date that upstream has not published, a beta among them, answers as an unknown route does: 404 in JSON.
func TestUnknownDatesAreUnknownRoutes(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for _, path := range []string{"/crm/objects/2026-09-beta/contacts", "/crm/objects/2024-01/contacts", "/crm/owners/v9", "/crm/properties/2027-03/contacts",
			"/oauth/2025-09/token", "/account-info/2026-09-beta/details"} {
			for _, token := range []string{w.token, ""} {
				status, reply, h := w.send(token, "GET", path, "")
				var out struct{ Status, Category string }
				if err := json.Unmarshal(reply, &out); err != nil || status != 404 || out.Status != "error" || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
					t.Errorf("%s: %d %s %v", path, status, reply, err)
				}
			}
		}
	})
}

// Under a date the ids of associations are text, and a batch that ends some has an envelope.
func TestDatedAssociationsHaveTextIDs(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact, company := w.create("contacts", `{"email":"a@example.com"}`), w.create("companies", `{"name":"C"}`)
		spec := `[{"associationTypeId":279}]`
		made := w.do(201, "PUT", "/crm/objects/2026-03/contacts/"+contact+"/associations/companies/"+company, spec)
		if made["fromObjectId"] != contact || made["toObjectId"] != company {
			t.Errorf("made %v", made)
		}
		first := func(reply map[string]any) any { return reply["results"].([]any)[0].(map[string]any)["toObjectId"] }
		if got := first(w.do(200, "GET", "/crm/objects/2026-09/contacts/"+contact+"/associations/companies", "")); got != company {
			t.Errorf("dated id %v", got)
		}
		if got := first(w.do(200, "GET", "/crm/v4/objects/contacts/"+contact+"/associations/companies", "")); got != json.Number(company) {
			t.Errorf("undated id %T %v", got, got)
		}
		pair := `{"inputs":[{"from":{"id":"` + contact + `"},"to":[{"id":"` + company + `"}]}]}`
		if got := w.do(200, "POST", "/crm/associations/2025-09/contacts/companies/batch/archive", pair); got["status"] != "COMPLETE" || len(got["results"].([]any)) != 0 {
			t.Errorf("ended %v", got)
		}
	})
}

// A type that upstream has and this service does not is accepted in a request
// for associations.
func TestAssociationsWithTypesThatAreNotServed(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact, company := w.create("contacts", `{"email":"a@example.com"}`), w.create("companies", `{"name":"C"}`)
		w.do(200, "PUT", "/crm/v4/objects/contacts/"+contact+"/associations/default/companies/"+company, "")
		for _, path := range []string{"contacts/" + contact + "?associations=notes,companies,0-27", "contacts?associations=line_items&associations=Companies&associations=MEETINGS"} {
			reply := w.do(200, "GET", "/crm/v3/objects/"+path, "")
			if list, ok := reply["results"].([]any); ok {
				reply = list[0].(map[string]any)
			}
			if a := reply["associations"].(map[string]any); len(a) != 1 || a["companies"] == nil {
				t.Errorf("%s: %v", path, a)
			}
		}
		w.do(400, "GET", "/crm/v3/objects/contacts?associations=unicorns", "")
	})
}
