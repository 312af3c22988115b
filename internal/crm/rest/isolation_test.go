package rest_test

import (
	"testing"
)

// Records and definitions of another portal are not found, by any route.
func TestPortalsNeverSeeEachOther(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact := w.create("contacts", `{"email":"ann@example.com","firstname":"Ann","company":"Secret Studio"}`)
		company := w.create("companies", `{"name":"Secret"}`)
		w.do(200, "PUT", "/crm/v4/objects/contacts/"+contact+"/associations/default/companies/"+company, "")
		w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"own","label":"Own","type":"string","fieldType":"text","groupName":"contactinformation"}`)
		pipeline := w.do(201, "POST", "/crm/v3/pipelines/deals", `{"label":"Own","stages":[{"label":"A","metadata":{"probability":"0.5"}}]}`)["id"].(string)
		owner := w.do(200, "GET", "/crm/v3/owners", "")["results"].([]any)[0].(map[string]any)["id"].(string)

		for _, c := range []struct {
			status             int
			method, path, body string
		}{
			{404, "GET", "/crm/v3/objects/contacts/" + contact, ""},
			{404, "GET", "/crm/v3/objects/contacts/ann@example.com?idProperty=email", ""},
			{404, "PATCH", "/crm/v3/objects/contacts/" + contact, `{"properties":{"firstname":"X"}}`},
			{404, "DELETE", "/crm/v3/objects/contacts/" + contact, ""},
			{404, "POST", "/crm/v3/objects/contacts/gdpr-delete", `{"objectId":"` + contact + `"}`},
			{404, "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"` + contact + `","objectIdToMerge":"` + contact + `1"}`},
			{404, "GET", "/crm/v4/objects/contacts/" + contact + "/associations/companies", ""},
			{404, "PUT", "/crm/v4/objects/contacts/" + contact + "/associations/default/companies/" + company, ""},
			{204, "DELETE", "/crm/v4/objects/contacts/" + contact + "/associations/companies/" + company, ""},
			{204, "POST", "/crm/v3/objects/contacts/batch/archive", `{"inputs":[{"id":"` + contact + `"}]}`},
			{207, "POST", "/crm/v3/objects/contacts/batch/read", `{"inputs":[{"id":"` + contact + `"}]}`},
			{207, "POST", "/crm/v3/objects/contacts/batch/update", `{"inputs":[{"id":"` + contact + `","properties":{"firstname":"X"}}]}`},
			{207, "POST", "/crm/v4/associations/contacts/companies/batch/read", `{"inputs":[{"id":"` + contact + `"}]}`},
			{404, "GET", "/crm/v3/properties/contacts/own", ""},
			{404, "GET", "/crm/v3/pipelines/deals/" + pipeline, ""},
			{404, "GET", "/crm/v3/pipelines/deals/" + pipeline + "/audit", ""},
			{404, "GET", "/crm/v3/owners/" + owner, ""},
			{400, "POST", "/crm/v3/objects/contacts", `{"properties":{"hubspot_owner_id":"` + owner + `"}}`},
		} {
			code, reply, _ := w.send(w.other, c.method, c.path, c.body)
			if code != c.status {
				t.Errorf("%s %s: %d, not %d: %s", c.method, c.path, code, c.status, reply)
			}
		}
		for _, body := range []string{`{}`, `{"query":"secret"}`, `{"filterGroups":[{"filters":[{"propertyName":"email","operator":"EQ","value":"ann@example.com"}]}]}`,
			`{"filterGroups":[{"filters":[{"propertyName":"company","operator":"CONTAINS_TOKEN","value":"studio"}]}]}`,
			`{"filterGroups":[{"filters":[{"propertyName":"associations.company","operator":"EQ","value":"` + company + `"}]}]}`,
			`{"filterGroups":[{"filters":[{"propertyName":"createdate","operator":"GT","value":"2000-01-01"}]}],"sorts":["-firstname"]}`} {
			if total := w.as(w.other, 200, "POST", "/crm/v3/objects/contacts/search", body)["total"]; num(total) != 0 {
				t.Errorf("search %s found %v", body, total)
			}
		}
		w.as(w.other, 201, "POST", "/crm/v3/objects/contacts", `{"properties":{"email":"ann@example.com"}}`)
		if got := w.do(200, "GET", "/crm/v3/objects/contacts?associations=companies", ""); names(got, "firstname") != "Ann" {
			t.Errorf("the first portal has %v", got)
		}
	})
}

func num(v any) int64 {
	n, _ := v.(interface{ Int64() (int64, error) }).Int64()
	return n
}
