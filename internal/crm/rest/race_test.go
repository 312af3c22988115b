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

// Of contacts that are made at once with one address, one is made: as the first
// value, as a further one of a merged contact, and after the address was free again.
func TestContactsAtOnceShareNoAddress(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact := func(n int) string { return fmt.Sprintf(`{"properties":{"email":"once%d@example.com"}}`, n) }
		for round := range 3 {
			got := w.together(60, func(i int) (string, string, string) {
				return "POST", "/crm/v3/objects/contacts", contact(100*round + i%20)
			})
			if got[201] != 20 || got[409] != 40 {
				t.Errorf("round %d: made %v", round, got)
			}
		}
		kept, other := w.create("contacts", `{"email":"kept@example.com"}`), w.create("contacts", `{"email":"merged@example.com"}`)
		w.do(200, "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"`+kept+`","objectIdToMerge":"`+other+`"}`)
		got := w.together(30, func(i int) (string, string, string) {
			if i%3 == 0 {
				return "POST", "/crm/v3/objects/contacts", `{"properties":{"email":"merged@example.com"}}`
			}
			return "POST", "/crm/v3/objects/contacts", contact(1000 + i)
		})
		if got[201] != 20 || got[409] != 10 {
			t.Errorf("with an address of a merged contact: %v", got)
		}
		moving := w.create("contacts", `{"email":"first@example.com"}`)
		got = w.together(40, func(i int) (string, string, string) {
			if i == 20 {
				return "PATCH", "/crm/v3/objects/contacts/" + moving, `{"properties":{"email":"second@example.com"}}`
			}
			return "POST", "/crm/v3/objects/contacts", `{"properties":{"email":"` + []string{"first", "second"}[i%2] + `@example.com"}}`
		})
		if got[201]+got[200]+got[409]+got[400] != 40 {
			t.Errorf("while an address changes: %v", got)
		}
		for _, email := range []string{"first", "second", "merged", "once5", "once105"} {
			body := `{"filterGroups":[{"filters":[{"propertyName":"email","operator":"EQ","value":"` + email + `@example.com"}]}]}`
			if _, reply, _ := w.send(w.token, "POST", "/crm/v3/objects/contacts/search", body); strings.Count(string(reply), `"createdAt"`) > 1 {
				t.Errorf("%s is there twice: %s", email, reply)
			}
		}
	})
}
