package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

func TestADiffOfTheCRM(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.Create(map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"})
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
