package rest_test

import (
	"fmt"
	"strings"
	"testing"
)

const primarySpec = `[{"associationCategory":"HUBSPOT_DEFINED","associationTypeId":%d}]`

// primaries returns the companies that are a contact's primary ones.
func (w *world) primaries(contact string) string {
	w.t.Helper()
	var out []string
	for _, r := range w.do(200, "GET", "/crm/v4/objects/contacts/"+contact+"/associations/companies", "")["results"].([]any) {
		for _, at := range r.(map[string]any)["associationTypes"].([]any) {
			if num(at.(map[string]any)["typeId"]) == 1 {
				out = append(out, fmt.Sprint(r.(map[string]any)["toObjectId"]))
			}
		}
	}
	return strings.Join(out, " ")
}

// One request that names several primary companies of a record leaves the last.
func TestOneRequestLeavesOnePrimaryCompany(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact, a, b := w.create("contacts", `{"firstname":"Ann"}`), w.create("companies", `{"name":"A"}`), w.create("companies", `{"name":"B"}`)
		toContact, toCompany := fmt.Sprintf(primarySpec, 2), fmt.Sprintf(primarySpec, 1)
		w.do(201, "POST", "/crm/v4/associations/contacts/companies/batch/create", `{"inputs":[{"from":{"id":"`+contact+`"},"to":{"id":"`+a+`"},"types":`+toCompany+`},
			{"from":{"id":"`+contact+`"},"to":{"id":"`+b+`"},"types":`+toCompany+`}]}`)
		if got := w.primaries(contact); got != b {
			t.Errorf("the primary companies are %q, not %s", got, b)
		}
		w.do(201, "POST", "/crm/v4/associations/companies/contacts/batch/create", `{"inputs":[{"from":{"id":"`+b+`"},"to":{"id":"`+contact+`"},"types":`+toContact+`},
			{"from":{"id":"`+a+`"},"to":{"id":"`+contact+`"},"types":`+toContact+`}]}`)
		if got := w.primaries(contact); got != a {
			t.Errorf("from the companies' side they are %q, not %s", got, a)
		}
		made := w.do(201, "POST", "/crm/v3/objects/contacts", `{"properties":{},"associations":[{"to":{"id":"`+a+`"},"types":`+toCompany+`},{"to":{"id":"`+b+`"},"types":`+toCompany+`}]}`)
		if got := w.primaries(made["id"].(string)); got != b {
			t.Errorf("of a new record they are %q, not %s", got, b)
		}
	})
}

// A read of a record with more associations than a page has says so.
func TestReadsTellOfMoreAssociations(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		deal := w.create("deals", `{"dealname":"Big"}`)
		var pairs []string
		for range 6 {
			made := w.do(201, "POST", "/crm/v3/objects/contacts/batch/create", `{"inputs":[`+strings.TrimSuffix(strings.Repeat(`{"properties":{}},`, 100), ",")+`]}`)
			for _, r := range made["results"].([]any) {
				pairs = append(pairs, `{"from":{"id":"`+deal+`"},"to":{"id":"`+r.(map[string]any)["id"].(string)+`"}}`)
			}
		}
		w.do(200, "POST", "/crm/v4/associations/deals/contacts/batch/associate/default", `{"inputs":[`+strings.Join(pairs, ",")+`]}`)
		contacts := w.do(200, "GET", "/crm/v3/objects/deals/"+deal+"?associations=contacts", "")["associations"].(map[string]any)["contacts"].(map[string]any)
		list := contacts["results"].([]any)
		next, _ := contacts["paging"].(map[string]any)
		if len(list) != 100 || next == nil {
			t.Fatalf("%d of 600, and paging is %v", len(list), next)
		}
		after := next["next"].(map[string]any)["after"].(string)
		if rest := w.do(200, "GET", "/crm/v3/objects/deals/"+deal+"/associations/contacts?after="+after, "")["results"].([]any); len(rest) != 500 {
			t.Errorf("%d follow", len(rest))
		}
		for path, want := range map[string]struct {
			page int
			next string
		}{
			"/crm/v3/associations/deals/contacts/batch/read":      {100, "/crm/v3/objects/0-3/" + deal + "/associations/0-1"},
			"/crm/v4/associations/deals/contacts/batch/read":      {500, "/crm/v4/objects/0-3/" + deal + "/associations/0-1"},
			"/crm/associations/2026-03/deals/contacts/batch/read": {500, "/crm/objects/2026-03/0-3/" + deal + "/associations/0-1"},
		} {
			got := w.do(200, "POST", path, `{"inputs":[{"id":"`+deal+`"}]}`)["results"].([]any)[0].(map[string]any)
			next, _ := got["paging"].(map[string]any)["next"].(map[string]any)
			link, _ := next["link"].(string)
			if len(got["to"].([]any)) != want.page || !strings.Contains(link, want.next+"?after="+next["after"].(string)) {
				t.Errorf("%s: %d and %v", path, len(got["to"].([]any)), next)
			}
			_, follow, _ := strings.Cut(link, "/crm/")
			if rest := w.do(200, "GET", "/crm/"+follow, "")["results"].([]any); len(rest) != min(500, 600-want.page) {
				t.Errorf("%s: %d follow", link, len(rest))
			}
		}
		if link := next["next"].(map[string]any)["link"]; !strings.HasSuffix(fmt.Sprint(link), "/crm/v3/objects/0-3/"+deal+"/associations/0-1?after="+after) {
			t.Errorf("the link is %v", link)
		}
	})
}
