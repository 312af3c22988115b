package crm_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Searches for words find what the index has not reached yet, and leave it where it
// is: it may take long to catch up beside many writers.
func TestSearchesForWordsReadWhatIsNotIndexed(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, searchesReadWhatIsNotIndexed)
}

func searchesReadWhatIsNotIndexed(t *testing.T, w *store.World) {
	service, p, _ := newCRM(t, w)
	service.Close() // the index follows only where this test says so
	service.ChunkOf(8)
	create := func(n int, company string) []*crm.Record {
		made := make([]crm.CreateRecord, n)
		for i := range made {
			made[i].Properties = map[string]string{"firstname": fmt.Sprint("Ada", i), "lastname": "Reed", "company": company}
		}
		out, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, made, false)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := create(20, "River Mill")
	if err := service.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := service.UpdateRecord(t.Context(), p, crm.Contacts, crm.UpdateRecord{Key: fmt.Sprint(first[2].ID), Properties: map[string]string{"company": "Lake"}}); err != nil {
		t.Fatal(err)
	}
	if err := service.ArchiveRecord(t.Context(), p, crm.Contacts, fmt.Sprint(first[3].ID)); err != nil {
		t.Fatal(err)
	}
	create(5, "Mill River")
	mark, notes := indexed(t, w)
	company := func(operator, value string) search.Request {
		return search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: "company", Operator: operator, Value: &value}}}}
	}
	find := func(in search.Request, want int) {
		t.Helper()
		if found, err := service.Search(t.Context(), p, crm.Contacts, in); err != nil || found.Total != want {
			t.Errorf("%s: %d records, not %d: %v", describe(in), found.Total, want, err)
		}
	}
	for _, gather := range []int{search.Window, 2} { // candidates are collected, sets are combined
		service.GatherAtMost(gather)
		find(company("CONTAINS_TOKEN", "river"), 23)
		find(company("CONTAINS_TOKEN", "river mill"), 18)
		find(company("CONTAINS_TOKEN", "riv*"), 23)
		find(company("NOT_CONTAINS_TOKEN", "river"), 1)
		find(searchFor("lake"), 1)
		find(searchFor("mill reed"), 23)
		find(searchFor("ada1"), 1+10+1)
		in := company("EQ", "Ada4 Reed")
		in.Groups[0][0].Property = "hs_full_name_or_email"
		find(in, 2)
	}
	if m, n := indexed(t, w); m != mark || n != notes || notes == 0 {
		t.Errorf("searches moved the index from %d to %d, with %d and %d records to index again", mark, m, notes, n)
	}
}

// Records that are not indexed are indexed in steps where they are too large to be read
// all at once.
func TestSearchesDoNotReadLargeRecordsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		service.Close()
		made := make([]crm.CreateRecord, 100)
		for i := range made {
			made[i].Properties = map[string]string{"company": "River", "jobtitle": strings.Repeat("x", 60_000)}
		}
		for range 3 {
			if _, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, made, false); err != nil {
				t.Fatal(err)
			}
		}
		before, _ := indexed(t, w)
		found, err := service.Search(t.Context(), p, crm.Contacts, searchFor("river"))
		if after, _ := indexed(t, w); err != nil || found.Total != 300 || after == before {
			t.Errorf("%d records, the index moved from %d to %d: %v", found.Total, before, after, err)
		}
	})
}

// indexed returns up to which record the index of words has come, and how many records
// it has to index again.
func indexed(t *testing.T, w *store.World) (mark, again int64) {
	t.Helper()
	err := w.Read(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT next, (SELECT COUNT(*) FROM crm_fts_pending) FROM crm_sequence WHERE name = 'words'`, nil, &mark, &again)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return mark, again
}

func searchFor(query string) search.Request { return search.Request{Query: query, Limit: 1} }
