package crm_test

import (
	"fmt"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Totals are exact also above the last position that pages reach, for any
// combination of filters.
func TestTotalsAreExactAboveTheWindow(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		const n = 25_000
		count := func(f func(i int) bool) (out int) {
			for i := range n {
				if f(i) {
					out++
				}
			}
			return out
		}
		for i := 0; i < n; i += 500 {
			batch := make([]crm.CreateRecord, 500)
			for j := range batch {
				k := i + j
				batch[j].Properties = map[string]string{"lastname": fmt.Sprint("N", k%7), "city": []string{"Berlin", "Bonn"}[k%2]}
				if k%5 > 0 {
					batch[j].Properties["company"] = []string{"River Studio", "Mill Studio"}[k%3%2]
				}
				if k < 12 {
					batch[j].Properties["city"] = "Bonn"
					batch[j].Properties["state"] = "x"
				}
				if k%2 == 0 && k >= 12 {
					batch[j].Properties["state"] = "x"
				}
			}
			if _, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, batch, false); err != nil {
				t.Fatal(err)
			}
		}
		v := func(s string) *string { return &s }
		one := func(filters ...search.Filter) search.Request {
			return search.Request{Limit: 3, Groups: []search.FilterGroup{filters}}
		}
		for name, c := range map[string]struct {
			in    search.Request
			total int
		}{
			"one equality":      {one(search.Filter{Property: "city", Operator: "EQ", Value: v("berlin")}), count(func(i int) bool { return i%2 == 0 && i >= 12 })},
			"no value":          {one(search.Filter{Property: "company", Operator: "NOT_HAS_PROPERTY"}), n / 5},
			"a value":           {one(search.Filter{Property: "company", Operator: "HAS_PROPERTY"}), n - n/5},
			"few in common":     {one(search.Filter{Property: "city", Operator: "EQ", Value: v("Bonn")}, search.Filter{Property: "state", Operator: "EQ", Value: v("x")}), 12},
			"none of a value":   {one(search.Filter{Property: "lastname", Operator: "NEQ", Value: v("N3")}), count(func(i int) bool { return i%7 != 3 })},
			"a word":            {one(search.Filter{Property: "company", Operator: "CONTAINS_TOKEN", Value: v("studio")}), n - n/5},
			"without a word":    {one(search.Filter{Property: "company", Operator: "NOT_CONTAINS_TOKEN", Value: v("river")}), count(func(i int) bool { return i%5 == 0 || i%3%2 != 0 })},
			"without a phrase":  {one(search.Filter{Property: "company", Operator: "NOT_CONTAINS_TOKEN", Value: v("mill studio")}), count(func(i int) bool { return i%5 == 0 || i%3%2 == 0 })},
			"a range":           {one(search.Filter{Property: "lastname", Operator: "GTE", Value: v("N2")}), count(func(i int) bool { return i%7 >= 2 })},
			"all times":         {one(search.Filter{Property: "createdate", Operator: "GT", Value: v("2020-01-01")}), n},
			"a computed filter": {one(search.Filter{Property: "hs_object_source", Operator: "EQ", Value: v("INTEGRATION")}), n},
			"a query":           {search.Request{Query: "n1", Limit: 2}, count(func(i int) bool { return i%7 == 1 })},
			"a common query":    {search.Request{Query: "stu", Limit: 2}, n - n/5},
			"either of two":     {search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: "city", Operator: "EQ", Value: v("Bonn")}}, {{Property: "lastname", Operator: "IN", Values: []string{"n0", "n1"}}}}}, count(func(i int) bool { return i%2 == 1 || i < 12 || i%7 < 2 })},
		} {
			for range 2 { // behind the writes, and with them
				got, err := service.Search(t.Context(), p, crm.Contacts, c.in)
				if err != nil || got.Total != c.total || len(got.Records) != min(c.in.Limit, c.total) {
					t.Errorf("%s: %d records of %d, wanted of %d: %v", name, len(got.Records), got.Total, c.total, err)
				}
				if err := service.Index(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
