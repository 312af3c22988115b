package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// values returns some properties of a record, with blanks between; "-" for none.
func (w *world) values(objects, id string, names ...string) string {
	w.t.Helper()
	got := w.do(200, "GET", "/crm/v3/objects/"+objects+"/"+id+"?properties="+strings.Join(names, ","), "")["properties"].(map[string]any)
	out := make([]string, len(names))
	for i, n := range names {
		if out[i] = "-"; got[n] != nil {
			out[i] = fmt.Sprint(got[n])
		}
	}
	return strings.Join(out, " ")
}

func (w *world) set(objects, id, properties string) {
	w.t.Helper()
	w.do(200, "PATCH", "/crm/v3/objects/"+objects+"/"+id, `{"properties":`+properties+`}`)
}

func (w *world) link(from, id, to, other string, typeID int) {
	w.t.Helper()
	w.do(201, "PUT", "/crm/v4/objects/"+from+"/"+id+"/associations/"+to+"/"+other, fmt.Sprintf(`[{"associationTypeId":%d}]`, typeID))
}

// The primary company of a contact and its property are one.
func TestTheCompanyOfAContact(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		one, two := w.create("companies", `{"name":"One"}`), w.create("companies", `{"name":"Two"}`)
		made := w.do(201, "POST", "/crm/v3/objects/contacts", `{"properties":{"email":"a@example.com","associatedcompanyid":`+one+`}}`)
		contact := made["id"].(string)
		if got := made["properties"].(map[string]any)["associatedcompanyid"]; got != one {
			t.Errorf("created with %v", got)
		}
		types := func() string {
			reply := w.do(200, "GET", "/crm/v3/objects/contacts/"+contact+"/associations/companies", "")
			var out []string
			for _, r := range reply["results"].([]any) {
				out = append(out, r.(map[string]any)["id"].(string)+":"+r.(map[string]any)["type"].(string))
			}
			return strings.Join(out, " ")
		}
		if got := types(); got != one+":contact_to_company "+one+":contact_to_company_unlabeled" {
			t.Errorf("associated: %s", got)
		}
		before := w.do(200, "GET", "/crm/v3/objects/companies/"+one, "")["updatedAt"]
		w.clock.Advance(time.Minute)
		w.set("contacts", contact, `{"associatedcompanyid":"`+two+`"}`)
		if got := types(); got != one+":contact_to_company_unlabeled "+two+":contact_to_company "+two+":contact_to_company_unlabeled" {
			t.Errorf("moved: %s", got)
		}
		w.link("contacts", contact, "companies", one, 1)
		if got := w.values("contacts", contact, "associatedcompanyid"); got != one {
			t.Errorf("linked: %s", got)
		}
		found := w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"filterGroups":[{"filters":[{"propertyName":"associatedcompanyid","operator":"EQ","value":"`+one+`"}]}]}`)
		if num(found["total"]) != 1 {
			t.Errorf("found %v", found["total"])
		}
		w.set("contacts", contact, `{"associatedcompanyid":""}`)
		if got := w.values("contacts", contact, "associatedcompanyid"); got != "-" {
			t.Errorf("cleared: %s", got)
		}
		w.set("contacts", contact, `{"associatedcompanyid":"`+two+`"}`)
		w.do(204, "DELETE", "/crm/v3/objects/companies/"+two, "")
		if got := w.values("contacts", contact, "associatedcompanyid"); got != "-" {
			t.Errorf("the company is gone: %s", got)
		}
		for _, id := range []string{"12", two, contact, "1.5", "-1"} {
			w.do(400, "PATCH", "/crm/v3/objects/contacts/"+contact, `{"properties":{"associatedcompanyid":"`+id+`"}}`)
			w.do(400, "POST", "/crm/v3/objects/contacts", `{"properties":{"associatedcompanyid":"`+id+`"}}`)
		}
		if after := w.do(200, "GET", "/crm/v3/objects/companies/"+one, "")["updatedAt"]; after != before {
			t.Errorf("roll-ups changed when the company was last changed: %v to %v", before, after)
		}
	})
}

// A parent company and the property are one, in batches of both too.
func TestParentsOfCompanies(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		parent := w.create("companies", `{"name":"Parent"}`)
		child := w.create("companies", `{"name":"Child","hs_parent_company_id":"`+parent+`"}`)
		other := w.create("companies", `{"name":"Other"}`)
		if got := w.values("companies", parent, "hs_num_child_companies", "hs_parent_company_id") + w.values("companies", child, "hs_parent_company_id"); got != "1 -"+parent {
			t.Errorf("%s", got)
		}
		w.do(200, "POST", "/crm/v3/objects/companies/batch/update", `{"inputs":[{"id":"`+child+`","properties":{"hs_parent_company_id":"`+other+`"}},`+
			`{"id":"`+other+`","properties":{"name":"Another"}},{"id":"`+parent+`","properties":{"name":"Left"}}]}`)
		if got := w.values("companies", parent, "name", "hs_num_child_companies") + " " + w.values("companies", other, "name", "hs_num_child_companies"); got != "Left 0 Another 1" {
			t.Errorf("%s", got)
		}
		w.link("companies", parent, "companies", child, 13)
		w.do(400, "PATCH", "/crm/v3/objects/companies/"+child, `{"properties":{"hs_parent_company_id":"`+child+`"}}`)
		w.do(200, "POST", "/crm/v3/objects/companies/merge", `{"primaryObjectId":"`+other+`","objectIdToMerge":"`+child+`"}`)
		if got := w.values("companies", other, "hs_num_child_companies", "hs_parent_company_id") + " " + w.values("companies", parent, "hs_num_child_companies"); got != "0 "+parent+" 1" {
			t.Errorf("merged: %s", got)
		}
	})
}

// Counts and sums over associations follow them, and what they read.
func TestRollUps(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		company := w.create("companies", `{"name":"C"}`)
		contact := w.create("contacts", `{"email":"a@example.com"}`)
		deal := w.create("deals", `{"dealname":"D","amount":"100","dealstage":"contractsent"}`)
		ticket := w.create("tickets", `{"subject":"T","hs_pipeline_stage":"1"}`)
		names := []string{"num_associated_contacts", "num_associated_deals", "hs_num_open_deals", "hs_total_deal_value", "total_revenue", "recent_deal_amount"}
		if got := w.values("companies", company, names...); got != "- - - - - -" {
			t.Errorf("at first: %s", got)
		}
		w.link("contacts", contact, "companies", company, 279)
		w.link("deals", deal, "companies", company, 5)
		w.link("deals", deal, "contacts", contact, 3)
		w.link("tickets", ticket, "companies", company, 26)
		if got := w.values("companies", company, names...); got != "1 1 1 100 - -" {
			t.Errorf("linked: %s", got)
		}
		w.set("deals", deal, `{"amount":"250","dealstage":"closedwon"}`)
		w.set("companies", company, `{"name":"Renamed"}`)
		if got := w.values("companies", company, names...); got != "1 1 0 0 250 250" {
			t.Errorf("won: %s", got)
		}
		if got := w.values("contacts", contact, "num_associated_deals", "total_revenue"); got != "1 250" {
			t.Errorf("contact: %s", got)
		}
		if got := w.values("deals", deal, "num_associated_contacts", "hs_primary_associated_company"); got != "1 "+company {
			t.Errorf("deal: %s", got)
		}
		if got := w.values("tickets", ticket, "hs_num_associated_companies", "hs_primary_company_id", "hs_primary_company_name"); got != "1 "+company+" Renamed" {
			t.Errorf("ticket: %s", got)
		}
		w.do(204, "DELETE", "/crm/v3/objects/deals/"+deal, "")
		w.do(204, "DELETE", "/crm/v4/objects/contacts/"+contact+"/associations/companies/"+company, "")
		if got := w.values("companies", company, names...); got != "0 0 0 - - -" {
			t.Errorf("ended: %s", got)
		}
		found := w.do(200, "POST", "/crm/v3/objects/companies/search", `{"filterGroups":[{"filters":[{"propertyName":"num_associated_contacts","operator":"EQ","value":"0"}]}]}`)
		if num(found["total"]) != 1 {
			t.Errorf("found %v", found["total"])
		}
		w.do(400, "PATCH", "/crm/v3/objects/companies/"+company, `{"properties":{"num_associated_contacts":"5"}}`)
	})
}

// Records know when they entered and left each stage, and for how long they were in it.
func TestDatesOfStages(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		at := func() string { return w.clock.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
		deal := w.create("deals", `{"dealname":"D","dealstage":"contractsent"}`)
		first := at()
		w.clock.Advance(90 * time.Second)
		w.set("deals", deal, `{"dealstage":"closedwon"}`)
		left := at()
		names := []string{"hs_v2_date_entered_contractsent", "hs_date_entered_contractsent", "hs_v2_date_exited_contractsent", "hs_date_exited_contractsent",
			"hs_v2_latest_time_in_contractsent", "hs_time_in_contractsent", "hs_v2_date_entered_closedwon", "hs_v2_date_exited_closedwon"}
		if got := w.values("deals", deal, names...); got != strings.Join([]string{first, first, left, left, "90000", "90000", left, "-"}, " ") {
			t.Errorf("%s", got)
		}
		history := w.do(200, "GET", "/crm/v3/objects/deals/"+deal+"?propertiesWithHistory=hs_date_exited_contractsent", "")["propertiesWithHistory"].(map[string]any)
		if h := history["hs_date_exited_contractsent"].([]any); len(h) != 1 || h[0].(map[string]any)["value"] != left {
			t.Errorf("history: %v", history)
		}
		w.clock.Advance(time.Minute)
		w.set("deals", deal, `{"dealstage":"contractsent"}`)
		w.clock.Advance(10 * time.Second)
		w.set("deals", deal, `{"dealstage":"closedlost"}`)
		if got := w.values("deals", deal, "hs_v2_latest_time_in_contractsent", "hs_v2_cumulative_time_in_contractsent", "hs_v2_latest_time_in_closedwon"); got != "10000 100000 60000" {
			t.Errorf("%s", got)
		}
		made := w.do(201, "POST", "/crm/v3/pipelines/tickets", `{"label":"P","displayOrder":9,"stages":[{"label":"In","stageId":"in_it","metadata":{"ticketState":"OPEN"}},{"label":"Out","stageId":"out_of_it","metadata":{"ticketState":"CLOSED"}}]}`)
		ticket := w.create("tickets", `{"subject":"T","hs_pipeline":"`+made["id"].(string)+`","hs_pipeline_stage":"in_it"}`)
		if got := w.values("tickets", ticket, "hs_v2_date_entered_in_it"); got != at() {
			t.Errorf("own pipeline: %s", got)
		}
		contact := w.create("contacts", `{"email":"a@example.com","lifecyclestage":"lead"}`)
		company := w.create("companies", `{"name":"C","lifecyclestage":"evangelist"}`)
		entered := at()
		w.clock.Advance(time.Second)
		w.set("contacts", contact, `{"lifecyclestage":"customer"}`)
		if got := w.values("contacts", contact, "hs_lifecyclestage_lead_date", "hs_v2_date_entered_lead", "hs_date_exited_lead"); got != entered+" "+entered+" "+at() {
			t.Errorf("%s", got)
		}
		if got := w.values("companies", company, "hs_lifecyclestage_evangelist_date", "hs_date_entered_evangelist"); got != entered+" "+entered {
			t.Errorf("%s", got)
		}
		for _, property := range []string{"hs_v2_date_entered_lead", "hs_date_entered_lead", "hs_lifecyclestage_lead_date"} {
			found := w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"sorts":["`+property+`"],"filterGroups":[{"filters":[{"propertyName":"`+property+`","operator":"GTE","value":"`+entered+`"}]}]}`)
			if num(found["total"]) != 1 {
				t.Errorf("%s: found %v", property, found["total"])
			}
		}
		if got := w.do(200, "GET", "/crm/v3/properties/deals/hs_v2_date_entered_closedwon", ""); got["type"] != "datetime" || got["calculated"] != true {
			t.Errorf("%v", got)
		}
	})
}

// A calculated property has what its formula says, in reads, filters and order.
func TestCalculatedProperties(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		define := func(status int, name, kind, formula string) map[string]any {
			return w.do(status, "POST", "/crm/v3/properties/deals", fmt.Sprintf(`{"name":%q,"label":%q,"type":%q,"fieldType":"calculation_equation","groupName":"dealinformation","calculationFormula":%q}`, name, name, kind, formula))
		}
		before := w.create("deals", `{"dealname":"Before","amount":"10"}`)
		if got := define(201, "gross", "number", "amount * 1.19"); got["calculated"] != true || got["calculationFormula"] != "amount * 1.19" ||
			fmt.Sprint(got["modificationMetadata"]) != "map[archivable:true readOnlyDefinition:false readOnlyValue:true]" {
			t.Errorf("%v", got)
		}
		define(201, "size", "string", "if is_present(gross) then if gross > 100 then 'big' else 'small' else concatenate('no', ' ', 'size')")
		define(201, "named", "bool", "is_present(string(dealname))")
		big := w.create("deals", `{"dealname":"Big","amount":"1e2"}`)
		none := w.create("deals", `{"dealname":"None"}`)
		for id, want := range map[string]string{before: "11.9 small true", big: "119 big true", none: "- no size true"} {
			if got := w.values("deals", id, "gross", "size", "named"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		w.set("deals", big, `{"amount":"50"}`)
		if got := w.values("deals", big, "gross", "size"); got != "59.5 small" {
			t.Errorf("changed: %s", got)
		}
		found := w.do(200, "POST", "/crm/v3/objects/deals/search", `{"properties":["dealname"],"sorts":["-gross"],"filterGroups":[{"filters":[{"propertyName":"gross","operator":"GT","value":"5"}]}]}`)
		if names(found, "dealname") != "Big Before" || num(found["total"]) != 2 {
			t.Errorf("found %v", found)
		}
		w.do(400, "PATCH", "/crm/v3/objects/deals/"+big, `{"properties":{"gross":"1"}}`)
		define(400, "bad", "number", "amount *")
		define(400, "bad", "number", "string(dealname)")
		define(400, "bad", "number", "nothing + 1")
		define(400, "bad", "number", "bad + 1")
		define(400, "bad", "number", "dealname + 1")
		define(400, "bad", "number", "")
		w.do(400, "PATCH", "/crm/v3/properties/deals/gross", `{"calculationFormula":"parse_number(string(size))"}`)
		if got := w.do(400, "DELETE", "/crm/v3/properties/deals/gross", ""); got["subCategory"] != "PropertyValidationError.CANNOT_DELETE_PROPERTY_IN_USE" ||
			got["message"] != "Property: gross of object type 0-3 is currently used in 1 places and cannot be deleted" || fmt.Sprint(got["context"]) != "map[calculatedProperties:[size] propertyName:[gross]]" {
			t.Errorf("%v", got)
		}
		w.do(200, "PATCH", "/crm/v3/properties/deals/gross", `{"calculationFormula":"amount * 2"}`)
		if got := w.values("deals", before, "gross"); got != "20" {
			t.Errorf("another formula: %s", got)
		}
		for i := range 12 { // each computes the one before it twice
			before := "amount"
			if i > 0 {
				before = fmt.Sprint("twice", i-1)
			}
			status, _, _ := w.send(w.token, "POST", "/crm/v3/properties/deals", fmt.Sprintf(`{"name":"twice%d","label":"twice%d","type":"number","fieldType":"calculation_equation","groupName":"dealinformation","calculationFormula":"%s + %s"}`, i, i, before, before))
			if wanted := map[bool]int{true: 201, false: 400}[i < 8]; status != wanted {
				t.Errorf("formula %d: %d", i, status)
			}
		}
		if got := w.values("deals", before, "twice7"); got != "2560" {
			t.Errorf("256 times ten: %s", got)
		}
		w.do(400, "PATCH", "/crm/v3/properties/deals/twice0", `{"calculationFormula":"amount + amount + amount + amount + amount + amount + amount"}`)
		w.do(204, "DELETE", "/crm/v3/properties/deals/size", "")
		w.do(204, "DELETE", "/crm/v3/properties/deals/gross", "")
	})
}

// Numbers are plain decimals, however they are written.
func TestNumbersArePlain(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		company := w.create("companies", `{"name":"C"}`)
		for in, out := range map[string]string{`5`: "5", `"5.00"`: "5.00", `"1e3"`: "1000", `1.5E-3`: "0.0015", `"+5"`: "5", `".5"`: "0.5", `"-.50"`: "-0.50", `"007"`: "7", `"-0"`: "0", `"12."`: "12"} {
			w.set("companies", company, `{"annualrevenue":`+in+`}`)
			if got := w.values("companies", company, "annualrevenue"); got != out {
				t.Errorf("%s: %s, want %s", in, got, out)
			}
		}
		for _, in := range []string{`"NaN"`, `"0x10"`, `"1,000"`, `" 5"`, `"1_000"`, `"Infinity"`, `"1e999"`} {
			w.do(400, "PATCH", "/crm/v3/objects/companies/"+company, `{"properties":{"annualrevenue":`+in+`}}`)
		}
	})
}

// The options of some standard properties are the portal's to change, and nothing else of them is.
func TestStandardOptionsCanBeEdited(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		path := "/crm/v3/properties/contacts/hs_lead_status"
		w.do(400, "POST", "/crm/v3/objects/contacts", `{"properties":{"hs_lead_status":"WARM"}}`)
		got := w.do(200, "PATCH", path, `{"options":[{"label":"New","value":"NEW"},{"label":"Warm","value":"WARM"}]}`)
		if got["hubspotDefined"] != true || len(got["options"].([]any)) != 2 {
			t.Errorf("%v", got)
		}
		contact := w.create("contacts", `{"hs_lead_status":"WARM"}`)
		if got := w.values("contacts", contact, "hs_lead_status"); got != "WARM" {
			t.Errorf("%s", got)
		}
		w.do(400, "PATCH", path, `{"label":"Status"}`)
		w.do(400, "PATCH", "/crm/v3/properties/contacts/numemployees", `{"options":[{"label":"Few","value":"few"}]}`)
		w.do(400, "PATCH", "/crm/v3/properties/contacts/email", `{"label":"Mail"}`)
		w.do(200, "PATCH", "/crm/v3/properties/contacts/lifecyclestage", `{"options":[{"label":"Lead","value":"lead"},{"label":"Fan","value":"fan"}]}`)
		fan := w.create("contacts", `{"lifecyclestage":"fan"}`)
		if got := w.values("contacts", fan, "hs_v2_date_entered_fan"); got == "-" {
			t.Error("a stage of the portal's own has no date")
		}
		w.as(w.other, 400, "POST", "/crm/v3/objects/contacts", `{"properties":{"hs_lead_status":"WARM"}}`)
	})
}

// A deal without a name and a ticket without a subject are refused in upstream's words.
func TestRequiredPropertiesAreMissed(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for objects, want := range map[string][2]string{"deals": {"DEAL", "dealname"}, "tickets": {"TICKET", "subject"}} {
			for _, values := range []string{`{}`, `{"` + want[1] + `":""}`} {
				got := w.do(400, "POST", "/crm/v3/objects/"+objects, `{"properties":`+values+`}`)
				e := got["errors"].([]any)[0].(map[string]any)
				if got["message"] != "Error creating "+want[0]+". Some required properties were not set." || got["category"] != "VALIDATION_ERROR" ||
					e["code"] != "REQUIRED_FIELD" || fmt.Sprint(e["context"]) != "map[properties:["+want[1]+"]]" {
					t.Errorf("%v", got)
				}
			}
			w.do(400, "POST", "/crm/v3/objects/"+objects+"/batch/create", `{"inputs":[{"properties":{"`+want[1]+`":"x"}},{"properties":{}}]}`)
		}
		w.create("contacts", `{}`)
		w.create("companies", `{}`)
	})
}
