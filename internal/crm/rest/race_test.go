package rest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// together makes n requests at once and returns the number of replies with each status.
func (w *world) together(n int, request func(i int) (method, path, body string)) map[int]int {
	statuses := make([]int, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			method, path, body := request(i)
			statuses[i], _, _ = w.send(w.token, method, path, body)
		})
	}
	wait.Wait()
	out := map[int]int{}
	for _, s := range statuses {
		out[s]++
	}
	return out
}

// Concurrent requests leave one primary company, lose no merged record, link no
// archived one, and none fails for the others.
func TestRequestsAtOnceAgree(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		var contacts, companies []string
		for range 12 {
			contacts, companies = append(contacts, w.create("contacts", `{}`)), append(companies, w.create("companies", `{}`))
		}
		deal := w.create("deals", `{"dealname":"D","dealstage":"contractsent","amount":"5"}`)
		got := w.together(24, func(i int) (string, string, string) {
			return "PUT", "/crm/v4/objects/contacts/" + contacts[0] + "/associations/companies/" + companies[i%12], fmt.Sprintf(primarySpec, 1)
		})
		if got[201] != 24 {
			t.Errorf("associating: %v", got)
		}
		if p := w.primaries(contacts[0]); p == "" || strings.Contains(p, " ") {
			t.Errorf("the primary companies are %q", p)
		}
		got = w.together(24, func(i int) (string, string, string) {
			return "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"` + contacts[i%12] + `","objectIdToMerge":"` + contacts[(i*5+1)%12] + `"}`
		})
		if got[200]+got[400] != 24 {
			t.Errorf("merging: %v", got)
		}
		for _, id := range contacts {
			w.do(200, "GET", "/crm/v3/objects/contacts/"+id, "")
		}
		got = w.together(40, func(i int) (string, string, string) {
			if i%2 == 0 {
				return "POST", "/crm/v3/properties/deals", fmt.Sprintf(`{"name":"p%d","label":"P","type":"string","fieldType":"text","groupName":"dealinformation"}`, i)
			}
			return "PATCH", "/crm/v3/objects/deals/" + deal, fmt.Sprintf(`{"properties":{"amount":"%d"}}`, i)
		})
		if got[200] != 20 || got[201] != 20 {
			t.Errorf("changing definitions and records: %v", got)
		}
		got = w.together(40, func(i int) (string, string, string) {
			switch i % 4 {
			case 0:
				return "PATCH", "/crm/v3/objects/contacts/" + contacts[0], fmt.Sprintf(`{"properties":{"email":"e%d@example.com"}}`, i)
			case 1:
				return "POST", "/crm/v3/objects/contacts/batch/upsert", fmt.Sprintf(`{"inputs":[{"id":"e%d@example.com","idProperty":"email","properties":{}}]}`, i+1)
			}
			return "POST", "/crm/v3/objects/deals", `{"properties":{"dealname":"D"},"associations":[{"to":{"id":"` + contacts[0] + `"},"types":[{"associationCategory":"HUBSPOT_DEFINED","associationTypeId":3}]}]}`
		})
		if got[200] != 20 || got[201] != 20 {
			t.Errorf("changing a contact and making what it is associated with: %v", got)
		}
		w.together(48, func(i int) (string, string, string) {
			if i%2 == 0 {
				return "DELETE", "/crm/v3/objects/companies/" + companies[i/2%12], ""
			}
			return "PUT", "/crm/v4/objects/companies/" + companies[i/2%12] + "/associations/default/deals/" + deal, ""
		})
		if got := w.do(200, "GET", "/crm/v4/objects/deals/"+deal+"/associations/companies", "")["results"]; fmt.Sprint(got) != "[]" {
			t.Errorf("the deal is associated with archived companies: %v", got)
		}
	})
}

// The id of a record that was merged away leads to nothing once the survivor is archived.
func TestMergedIDsEndWithTheirSurvivor(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		kept, gone, deal := w.create("contacts", `{}`), w.create("contacts", `{}`), w.create("deals", `{"dealname":"D"}`)
		w.do(200, "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"`+kept+`","objectIdToMerge":"`+gone+`"}`)
		w.do(200, "PUT", "/crm/v4/objects/contacts/"+gone+"/associations/default/deals/"+deal, "")
		found := w.do(200, "POST", "/crm/v3/objects/deals/search", `{"filterGroups":[{"filters":[{"propertyName":"associations.contact","operator":"EQ","value":"`+gone+`"}]}]}`)
		if num(found["total"]) != 1 {
			t.Errorf("%v deals of the merged contact are found", found["total"])
		}
		w.do(204, "DELETE", "/crm/v3/objects/contacts/"+kept, "")
		w.do(404, "GET", "/crm/v3/objects/contacts/"+gone, "")
		w.do(404, "PATCH", "/crm/v3/objects/contacts/"+gone, `{"properties":{}}`)
		w.do(404, "GET", "/crm/v4/objects/contacts/"+gone+"/associations/deals", "")
		w.do(404, "PUT", "/crm/v4/objects/contacts/"+gone+"/associations/default/deals/"+deal, "")
		w.do(404, "POST", "/crm/v3/objects/deals", `{"properties":{"dealname":"D"},"associations":[{"to":{"id":"`+gone+`"},"types":[{"associationCategory":"HUBSPOT_DEFINED","associationTypeId":3}]}]}`)
		w.do(404, "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"`+gone+`","objectIdToMerge":"`+w.create("contacts", `{}`)+`"}`)
	})
}
