package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A condition sees each property that a read of the record shows: also those that
// are computed when they are read, and those that follow from associations.
func TestConditionsSeeWholeRecords(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		w.CRM("POST", "properties/deals", object{"name": "twice", "label": "Twice", "type": "number", "fieldType": "calculation_equation",
			"groupName": "dealinformation", "calculationFormula": "amount * 2"}, 201)
		fields := map[string][]any{}
		_, vocabulary := p.Server.Call("GET", "/admin/v1/entities", p.Key, nil)
		for _, e := range vocabulary["entities"].([]any) {
			for _, f := range at(e, "fields").([]any) {
				if name, ok := strings.CutPrefix(at(f, "name").(string), "properties."); ok {
					fields[at(e, "name").(string)] = append(fields[at(e, "name").(string)], name)
				}
			}
		}
		fields["crm.deal"] = append(fields["crm.deal"], "twice")
		for plural, entity := range map[string]string{"contacts": "crm.contact", "companies": "crm.company", "deals": "crm.deal", "tickets": "crm.ticket"} {
			var inputs []any
			for _, one := range w.CRM("GET", "objects/"+plural+"?limit=3", nil, 200)["results"].([]any) {
				inputs = append(inputs, object{"id": at(one, "id")})
			}
			for _, one := range w.CRM("POST", "objects/"+plural+"/batch/read", object{"properties": fields[entity], "inputs": inputs}, 200)["results"].([]any) {
				var expect, names []any
				for name, value := range at(one, "properties").(map[string]any) {
					if value == nil || value == "" {
						continue
					}
					where := object{"id": at(one, "id"), "properties." + name: object{"is": value}}
					expect, names = append(expect, object{"state": entity, "where": where}), append(names, name)
				}
				v := w.Call("POST", "/"+w.ID+"/verdict", object{"expect": expect}, 200)
				for i, c := range v["checks"].([]any) {
					if at(c, "passed") != true {
						found, _ := json.Marshal(at(c, "evidence", "near", 0, "failed"))
						t.Errorf("%s %s: %s is seen as %s", entity, at(one, "id"), names[i], found)
					}
				}
			}
		}
		id := w.CRM("POST", "objects/deals", object{"properties": object{"dealname": "New", "amount": "10", "closedate": "2026-12-01"}}, 201)["id"]
		w.CRM("PATCH", fmt.Sprint("objects/deals/", id), object{"properties": object{"amount": "20.50"}}, 200)
		// Numbers and times are compared as such, also where both are texts.
		w.wantChecks(`{expect: [{inserted: crm.deal, where: {properties.twice: 41, properties.amount: "20.5", properties.hs_createdate: {at_least: now-1m},
			properties.closedate: "2026-12-01T01:00:00+01:00", properties.hs_object_id: "`+fmt.Sprint(id)+`"}}], nothing_else: {except: [{inserted: crm.property}]}}`,
			"passed 1: expect[0]=true; nothing_else=true")
	})
}
