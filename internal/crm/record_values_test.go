package crm_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/schema"
	"understudy/internal/platform/store/storetest"
)

// The replies to writes show every value that a record has, once and in order of names.
func TestAllValuesOfARecord(t *testing.T) {
	t.Parallel()
	service, p, _ := newCRM(t, storetest.SQLite(t, schemas))
	formula := crm.Property{Name: "a_double", Label: "Double", Type: "number", FieldType: "calculation_equation", GroupName: "contactinformation",
		CalculationFormula: "a_number * 2"}
	number := crm.Property{Name: "a_number", Label: "Number", Type: "number", FieldType: "number", GroupName: "contactinformation"}
	if _, errs, err := service.CreateProperties(t.Context(), p, crm.Contacts, []crm.Property{number, formula}); err != nil || errs[0] != nil || errs[1] != nil {
		t.Fatal(errs, err)
	}
	for kind, properties := range map[crm.Type]map[string]string{
		crm.Contacts:  {"email": "a@example.com", "firstname": `A "B"`, "a_number": "21", "zip": "1"},
		crm.Companies: {"name": "A"},
		crm.Deals:     {"dealname": "A", "amount": "3"},
		crm.Tickets:   {"subject": "A"},
	} {
		made, _, err := service.CreateRecords(t.Context(), p, kind, []crm.CreateRecord{{Properties: properties}}, false)
		if err != nil {
			t.Fatal(err)
		}
		d, err := service.Definitions(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		r := made[0]
		want := r.Bag.Map()
		for _, of := range d.Properties(kind, false) {
			derived := of.IsDerived() || slices.Contains([]string{"createdate", "hs_object_id", kind.ModifiedName()}, of.Name)
			if v := r.Value(of); derived && v != "" {
				want[of.Name] = v
			}
		}
		if kind == crm.Contacts && want["a_double"] != "42" {
			t.Fatalf("the formula has the value %q", want["a_double"])
		}
		got := map[string]string{}
		var names []string
		note := func(name, value string) { names, got[name] = append(names, name), value }
		d.AllValues(kind).Each(r, func(name, quoted string) {
			var v string
			if err := json.Unmarshal([]byte(quoted), &v); err != nil {
				t.Fatal(err)
			}
			note(name, v)
		}, note)
		if !maps.Equal(got, want) || !slices.IsSorted(names) || len(names) != len(got) {
			t.Errorf("%s: %v, %v, not %v", kind, names, got, want)
		}
	}
	// A value that is derived stands for one that is stored under its name.
	d, err := service.Definitions(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	r := &crm.Record{Record: schema.Record{Type: crm.Contacts, ID: 100_001, Bag: schema.EncodeBag(map[string]string{"a": "1", "hs_is_contact": "old", "z": "2"})}}
	shown := map[string]int{}
	count := func(name, _ string) { shown[name]++ }
	d.AllValues(crm.Contacts).Each(r, count, count)
	if shown["a"] != 1 || shown["hs_is_contact"] != 1 || shown["z"] != 1 {
		t.Errorf("the values shown are %v", shown)
	}
}
