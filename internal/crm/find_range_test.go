package crm_test

import (
	"strconv"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A range finds values that are no days among days: they were written while the
// property was a text, and compare as texts.
func TestRangesOverValuesFromAnotherType(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		service.ChunkOf(16)
		service.GatherAtMost(2)
		own := crm.Property{Name: "own", Label: "Own", Type: "string", FieldType: "text", GroupName: "contactinformation"}
		if _, errs, err := service.CreateProperties(t.Context(), p, crm.Contacts, []crm.Property{own}); err != nil || len(errs) > 0 && errs[0] != nil {
			t.Fatal(err, errs)
		}
		values := []string{"2024-01-01", "2024-06-15", "2024-99-99", "2025-01-01T10:00:00.000Z", "none", "2024-06-15 or so", ""}
		batch := make([]crm.CreateRecord, 70)
		for i := range batch {
			v := values[i%len(values)]
			if i >= 35 { // chunks of days alone
				v = values[i%2]
			}
			batch[i].Properties = map[string]string{"own": v}
		}
		records, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, batch, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := service.UpdateProperty(t.Context(), p, crm.Contacts, "own", crm.UpdateProperty{Type: opt.Some("date"), FieldType: opt.Some("date")}); err != nil {
			t.Fatal(err)
		}
		count := func(want int) {
			t.Helper()
			day := "2024-02-01"
			got, err := service.Search(t.Context(), p, crm.Contacts, search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: "own", Operator: "GT", Value: &day}}}})
			if err != nil || got.Total != want {
				t.Errorf("%d records, want %d: %v", got.Total, want, err)
			}
		}
		later := 20 // "2024-06-15", "2024-99-99", "2024-06-15 or so" and the time in 2025, five of each
		for i := 35; i < len(batch); i++ {
			later += i % 2
		}
		count(later)
		if err := service.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		count(later)
		change := func(i int, v string) {
			t.Helper()
			_, err := service.UpdateRecord(t.Context(), p, crm.Contacts, crm.UpdateRecord{Key: strconv.FormatInt(records[i].ID, 10), Properties: map[string]string{"own": v}})
			if err != nil {
				t.Fatal(err)
			}
		}
		change(2, "2024-03-01")  // "2024-99-99" before, in a chunk of mixed values
		change(36, "2024-03-01") // "2024-01-01" before
		change(41, "")           // "2024-06-15" before
		count(later)
		if err := service.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		count(later)
	})
}
