package crm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/crm"
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
