package crm_test

import (
	"strings"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Any text is found by equality, alone and through the index of words, and no
// index of either database fails on its words. Searches for words wait for the
// index.
func TestOddTextsAreFound(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		odd := "Odd"
		for _, v := range []string{"studio", "Studio West", "a\x00b", "'", `"`, `\`, "a AND b", "x'y", "é*", "'; DROP", "a:b", ":*", "& |", "!x", "日本 語", "İstanbul", "ß",
			"\u00a0", "<->", strings.Repeat("w", 59), strings.Repeat("w", 60), strings.Repeat("w", 61), strings.Repeat("é", 31), strings.Repeat("long ", 60)} {
			made, _, err := service.CreateRecords(t.Context(), p, crm.Contacts,
				[]crm.CreateRecord{{Properties: map[string]string{"company": v, "firstname": odd}}}, false)
			if err != nil {
				t.Fatalf("%q: %v", v, err)
			}
			got := made[0].Bag.Get("company")
			for _, in := range []search.Request{{Query: v}, {Groups: []search.FilterGroup{{{Property: "company", Operator: "CONTAINS_TOKEN", Value: &v}}}}} {
				if _, err := service.Search(t.Context(), p, crm.Contacts, in); err != nil && fault.KindOf(err) != fault.Invalid {
					t.Errorf("%q: %v", v, err)
				}
			}
			for _, gather := range []int{0, search.Window} {
				service.GatherAtMost(gather)
				found, err := service.Search(t.Context(), p, crm.Contacts, search.Request{Limit: 5, Groups: []search.FilterGroup{{
					{Property: "firstname", Operator: "EQ", Value: &odd}, {Property: "company", Operator: "EQ", Value: &got}}}})
				if err != nil || found.Total != 1 || len(found.Records) != 1 || found.Records[0].ID != made[0].ID {
					t.Errorf("%q, gathering %d: %+v %v", v, gather, found, err)
				}
			}
		}
	})
}
