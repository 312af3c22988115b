package rest_test

import (
	"encoding/json"
	"testing"

	"understudy/internal/platform/store/storetest"
)

// FuzzSearchBody sends any body to the search: the answer is a page or a
// refusal in the envelope, never an internal error.
func FuzzSearchBody(f *testing.F) {
	for _, body := range []string{`{}`, `[]`, `null`, `{"filterGroups":[{"filters":[{"propertyName":"email","operator":"EQ","value":1}]}]}`,
		`{"filterGroups":null,"sorts":["-createdate"],"after":0,"limit":200}`, `{"sorts":["{\"propertyName\":\"email\",\"direction\":\"DESCENDING\"}"]}`,
		`{"sorts":[{"propertyName":"hs_email_domain"}],"query":"a*b"}`, `{"after":"9999","limit":1}`, `{"limit":-1}`, `{"query":{"a":1}}`,
		`{"filterGroups":[{"filters":[{"propertyName":"associations.contact","operator":"IN","values":["1",2]}]}]}`,
		`{"filterGroups":[{"filters":[{"propertyName":"closedate","operator":"BETWEEN","value":"2024-01-01","highValue":"99999999999999999"}]}]}`,
		`{"filterGroups":[{"filters":[{"propertyName":"hs_object_id","operator":"EQ","value":"1e300"}]}]}`} {
		f.Add(body)
	}
	w := newWorld(f, storetest.SQLite(f, schemas), 0)
	w.create("contacts", `{"email":"a@example.com","firstname":"Ann","closedate":"2024-02-03"}`)
	f.Fuzz(func(t *testing.T, body string) {
		w.t = t
		status, reply, _ := w.send(w.token, "POST", "/crm/v3/objects/contacts/search", body)
		var out struct {
			Total   *int
			Results []any
			Status  string
		}
		if err := json.Unmarshal(reply, &out); err != nil {
			t.Fatalf("%q: %d %q: %v", body, status, reply, err)
		}
		switch {
		case status == 200 && out.Total != nil && out.Results != nil && *out.Total >= len(out.Results):
		case (status == 400 || status == 415) && out.Status == "error":
		default:
			t.Fatalf("%q: %d %s", body, status, reply)
		}
	})
}
