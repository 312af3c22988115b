package crm_test

import (
	"errors"
	"maps"
	"testing"
	"unicode/utf8"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store/storetest"
)

// FuzzPropertyValues writes any text as the value of properties of every type.
// What is taken must come back from the store as the write's reply showed it
// and must be found by it; what is refused must be refused as a value.
func FuzzPropertyValues(f *testing.F) {
	for _, v := range []string{"", "5", " 5", "1e400", "-0", "2024-02-30", "2024-01-02T03:04:05+02:00", "1709251200000", "a@b.c", "lead", ";CHAMPION;END_USER",
		"true", "\x00", "\"\\\n", "\xff", "*", "é", "a;b", "NaN", "0x10", "99999999999999999999"} {
		f.Add(v)
	}
	service, p, _ := newCRM(f, storetest.SQLite(f, schemas))
	names := []string{"firstname", "email", "phone", "lifecyclestage", "hs_buying_role", "closedate", "associatedcompanyid", "hs_email_optout", "hubspot_owner_id"}
	d, err := service.Definitions(f.Context(), p)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, v string) {
		for _, name := range names {
			made, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, []crm.CreateRecord{{Properties: map[string]string{name: v}}}, false)
			if err != nil {
				if !errors.Is(err, crm.InvalidProperties) && !errors.Is(err, crm.ContactExists) {
					t.Fatalf("%s = %q: %v", name, v, err)
				}
				continue
			}
			property := d.Property(crm.Contacts, name)
			key := made[0].Value(d.Property(crm.Contacts, "hs_object_id"))
			read, err := service.GetRecord(t.Context(), p, crm.Contacts, "", key, crm.ReadOptions{})
			if err != nil || !maps.Equal(read.Bag.Map(), made[0].Bag.Map()) {
				t.Fatalf("%s = %q: wrote %s, read %v %v", name, v, made[0].Bag, read, err)
			}
			got := read.Value(property)
			if name == "firstname" && utf8.ValidString(v) && got != v {
				t.Fatalf("%q came back as %q", v, got)
			}
			if got == "" {
				continue
			}
			found, err := service.Search(t.Context(), p, crm.Contacts, search.Request{Limit: 1, Groups: []search.FilterGroup{{
				{Property: name, Operator: "EQ", Value: &got}, {Property: "hs_object_id", Operator: "EQ", Value: &key}}}})
			if err != nil || found.Total != 1 {
				t.Fatalf("%s = %q is not found by %q: %+v %v", name, v, got, found, err)
			}
		}
	})
}

// FuzzPhrases searches for any text by words and by free text: no index may
// fail on it, and the result must agree with the record.
func FuzzPhrases(f *testing.F) {
	for _, v := range []string{"studio", "*studio", "studio*", "*", "\"", "a AND b", "x'y", "é*", "'; DROP", "a:b", "(", "日本 語", "\x00", ":*", "\\"} {
		f.Add(v, v)
	}
	service, p, _ := newCRM(f, storetest.SQLite(f, schemas))
	f.Fuzz(func(t *testing.T, company, phrase string) {
		made, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, []crm.CreateRecord{{Properties: map[string]string{"company": company}}}, false)
		if err != nil {
			if !errors.Is(err, crm.InvalidProperties) {
				t.Fatal(err)
			}
			return
		}
		d, err := service.Definitions(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		key := made[0].Value(d.Property(crm.Contacts, "hs_object_id"))
		is := search.Filter{Property: "hs_object_id", Operator: "EQ", Value: &key}
		total := func(in search.Request) int {
			in.Limit = 1
			found, err := service.Search(t.Context(), p, crm.Contacts, in)
			if err != nil {
				if fault.KindOf(err) != fault.Invalid {
					t.Fatalf("%q in %q: %v", phrase, company, err)
				}
				return -1
			}
			return found.Total
		}
		total(search.Request{Query: phrase})
		token := search.Filter{Property: "company", Operator: "CONTAINS_TOKEN", Value: &phrase}
		narrow, wide := total(search.Request{Groups: []search.FilterGroup{{is, token}}}), total(search.Request{Groups: []search.FilterGroup{{token}}})
		if narrow > wide {
			t.Fatalf("%q is found in %q by looking, but not by the index", phrase, company)
		}
	})
}
