package crm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Everything that is committed is found, however far the index of words is
// behind and however many ids in between have no record.
func TestWordsOfManyNewRecordsAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w) // the portal's user has taken ids already
		many := make([]crm.CreateRecord, 1_200)
		for i := range many {
			many[i].Properties = map[string]string{"firstname": "River"}
		}
		if _, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, many, false); err != nil {
			t.Fatal(err)
		}
		found, err := service.Search(t.Context(), p, crm.Contacts, search.Request{Query: "riv", Limit: 1})
		if err != nil || found.Total != len(many) {
			t.Fatalf("%d of %d are found: %v", found.Total, len(many), err)
		}
	})
}

// A record may have more words than the index stores of one.
func TestRecordsOfVeryManyWordsAreKept(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w)
		var properties []crm.Property
		values := map[string]string{}
		for i := range 30 {
			name := fmt.Sprintf("long%02d", i)
			properties = append(properties, crm.Property{Name: name, Label: name, Type: "string", FieldType: "text", GroupName: "contactinformation"})
			var words strings.Builder
			for j := range 1_200 {
				fmt.Fprintf(&words, "%s%dx%d ", strings.Repeat("w", 40), i, j)
			}
			values[name] = words.String()
		}
		if _, errs, err := service.CreateProperties(t.Context(), p, crm.Contacts, properties); err != nil || errors.Join(errs...) != nil {
			t.Fatal(err, errs)
		}
		if _, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, []crm.CreateRecord{{Properties: values}}, false); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"long00", "long29"} {
			v := values[name]
			found, err := service.Search(t.Context(), p, crm.Contacts, search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: name, Operator: "EQ", Value: &v}}}})
			if err != nil || found.Total != 1 {
				t.Errorf("%s: %d found: %v", name, found.Total, err)
			}
		}
	})
}

// A record that changes after the index has read it, and before the index has stored
// it, is found as it is now.
func TestRecordsThatChangeWhileTheyAreIndexed(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, recordsChangeWhileTheyAreIndexed)
}

func recordsChangeWhileTheyAreIndexed(t *testing.T, w *store.World) {
	service, p, _ := newCRM(t, w)
	service.Close() // nothing but the index below works in the background
	service.ChunkOf(8)
	made := make([]crm.CreateRecord, 24)
	for i := range made {
		made[i].Properties = map[string]string{"firstname": "River", "city": "Bonn"}
	}
	records, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, made, false)
	if err != nil {
		t.Fatal(err)
	}
	changed := false
	// The words are split after the records have been read and before they are stored.
	change := func(ctx context.Context, portal int64, of schema.Type) (*search.Fields, error) {
		if !changed {
			changed = true
			_, err := service.UpdateRecord(ctx, p, crm.Contacts, crm.UpdateRecord{Key: fmt.Sprint(records[2].ID), Properties: map[string]string{"firstname": "Lake", "city": "Ulm"}})
			if err == nil {
				err = service.ArchiveRecord(ctx, p, crm.Contacts, fmt.Sprint(records[3].ID))
			}
			if err != nil {
				return nil, err
			}
		}
		return service.FieldsOf(ctx, portal, of)
	}
	x := search.New(service.World(), change, func(err error) { t.Error(err) })
	defer x.Close()
	x.Chunk = 8
	if err := x.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !changed {
		t.Fatal("no record was read")
	}
	v := func(s string) *string { return &s }
	for want, in := range map[int]search.Request{
		22: {Query: "river", Limit: 1},
		1:  {Query: "lake", Limit: 1},
	} {
		if found, err := service.Search(t.Context(), p, crm.Contacts, in); err != nil || found.Total != want {
			t.Errorf("%d records have the word %q, not %d: %v", found.Total, in.Query, want, err)
		}
	}
	for city, want := range map[string]int{"Bonn": 22, "Ulm": 1} {
		in := search.Request{Limit: 1, Groups: []search.FilterGroup{{{Property: "city", Operator: "EQ", Value: v(city)}}}}
		if found, err := service.Search(t.Context(), p, crm.Contacts, in); err != nil || found.Total != want {
			t.Errorf("%d records are in %s, not %d: %v", found.Total, city, want, err)
		}
	}
}
