package crm_test

import (
	"errors"
	"slices"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// The demo fixture is the same in every world: records of all types, linked,
// and words of them that are found.
func TestTheDemoFixtureIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		if err := service.Seed(t.Context(), "nonsense", true); !errors.Is(err, crm.UnknownFixture) {
			t.Errorf("an unknown fixture: %v", err)
		}
		if err := service.Seed(t.Context(), crm.DemoFixture, true); err != nil {
			t.Fatal(err)
		}
		again, q, _ := newCRM(t, storetest.SQLite(t, schemas))
		if err := again.Seed(t.Context(), crm.DemoFixture, true); err != nil {
			t.Fatal(err)
		}
		for kind, wanted := range map[crm.Type]int{crm.Companies: 40, crm.Contacts: 160, crm.Deals: 60, crm.Tickets: 50} {
			in := search.Request{Limit: 200, Groups: []search.FilterGroup{{{Property: "createdate", Operator: "HAS_PROPERTY"}}}}
			first, err := service.Search(t.Context(), p, kind, in)
			if err != nil {
				t.Fatal(err)
			}
			second, err := again.Search(t.Context(), q, kind, in)
			if err != nil {
				t.Fatal(err)
			}
			same := slices.EqualFunc(first.Records, second.Records, func(a, b *crm.Record) bool { return a.ID == b.ID && a.Bag == b.Bag && a.Created == b.Created })
			if first.Total != wanted || !same {
				t.Errorf("%s: %d records, the same in both worlds: %v", kind, first.Total, same)
			}
		}
		in := search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: "associations.company", Operator: "HAS_PROPERTY"}}}}
		for _, kind := range []crm.Type{crm.Contacts, crm.Deals, crm.Tickets} {
			if found, err := service.Search(t.Context(), p, kind, in); err != nil || found.Total == 0 {
				t.Errorf("%s with a company: %+v %v", kind, found, err)
			}
		}
	})
}
