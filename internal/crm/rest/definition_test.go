package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func field(t *testing.T, reply map[string]any, path ...any) any {
	t.Helper()
	var v any = reply
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

const textProperty = `"label":"L","type":"string","fieldType":"text","groupName":"contactinformation"`

// One request can make no more unique properties than several requests.
func TestUniquePropertiesAreLimitedWithinABatch(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		var inputs []string
		for i := range 12 {
			inputs = append(inputs, fmt.Sprintf(`{"name":"u%d",%s,"hasUniqueValue":true}`, i, textProperty))
		}
		got := w.do(207, "POST", "/crm/v3/properties/contacts/batch/create", `{"inputs":[`+strings.Join(inputs, ",")+`]}`)
		if made := len(field(t, got, "results").([]any)); made != 10 {
			t.Errorf("%d unique properties were made", made)
		}
	})
}

// A name whose old values are not unique cannot come back as a unique property.
func TestPropertyComesBackUniqueOnlyWithUniqueValues(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		plain, unique := `{"name":"code",`+textProperty+`}`, `{"name":"code",`+textProperty+`,"hasUniqueValue":true}`
		w.do(201, "POST", "/crm/v3/properties/contacts", plain)
		w.create("contacts", `{"code":"Same"}`)
		second := w.create("contacts", `{"code":"same"}`)
		w.do(204, "DELETE", "/crm/v3/properties/contacts/code", "")
		w.do(400, "POST", "/crm/v3/properties/contacts", unique)
		w.do(404, "GET", "/crm/v3/properties/contacts/code", "")
		w.do(201, "POST", "/crm/v3/properties/contacts", plain)
		w.do(200, "PATCH", "/crm/v3/objects/contacts/"+second, `{"properties":{"code":"other"}}`)
		w.do(204, "DELETE", "/crm/v3/properties/contacts/code", "")
		w.do(201, "POST", "/crm/v3/properties/contacts", unique)
		if got := w.do(200, "GET", "/crm/v3/objects/contacts/OTHER?idProperty=code", ""); got["id"] != second {
			t.Errorf("found %v", got)
		}
	})
}

// Values whose option was removed stay, also when another is appended.
func TestAppendingToASetKeepsRemovedOptions(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"tags","label":"T","type":"enumeration","fieldType":"checkbox","groupName":"contactinformation",
			"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}]}`)
		id := w.create("contacts", `{"tags":"a"}`)
		w.do(200, "PATCH", "/crm/v3/properties/contacts/tags", `{"options":[{"label":"B","value":"b"},{"label":"C","value":"c"}]}`)
		got := w.do(200, "PATCH", "/crm/v3/objects/contacts/"+id, `{"properties":{"tags":";c"}}`)
		if v := field(t, got, "properties", "tags"); v != "a;c" {
			t.Errorf("the set is %v", v)
		}
		w.do(400, "PATCH", "/crm/v3/objects/contacts/"+id, `{"properties":{"tags":";a;x"}}`)
		w.do(400, "PATCH", "/crm/v3/objects/contacts/"+id, `{"properties":{"tags":"a;b"}}`)
	})
}

// A stage that stays through a replacement is as old as it was, places of
// stages are never shared, and what is archived says so.
func TestPipelineRepliesTellWhatIsKept(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		const path = "/crm/v3/pipelines/deals/"
		made := w.do(201, "POST", path, `{"label":"P","pipelineId":"p","stages":[{"label":"A","stageId":"a","displayOrder":3,"metadata":{"probability":"0.5"}},
			{"label":"B","stageId":"b","displayOrder":3,"metadata":{"probability":"0.6"}},{"label":"C","stageId":"c","displayOrder":0,"metadata":{"probability":0}}]}`)
		for i, id := range []string{"c", "a", "b"} {
			if got := fmt.Sprint(field(t, made, "stages", i, "id"), field(t, made, "stages", i, "displayOrder")); got != fmt.Sprint(id, i) {
				t.Errorf("stage %d is %s", i, got)
			}
		}
		w.clock.Advance(time.Hour)
		replaced := w.do(200, "PUT", path+"p", `{"label":"Q","stages":[{"label":"A","metadata":{"probability":"0.7"}},{"label":"New","metadata":{"probability":"1"}}]}`)
		if was, is := field(t, made, "stages", 1, "createdAt"), field(t, replaced, "stages", 0, "createdAt"); was != is {
			t.Errorf("the stage was made at %v, not %v", is, was)
		}
		if got := w.do(200, "GET", path+"p", ""); fmt.Sprint(got) != fmt.Sprint(replaced) {
			t.Errorf("%v was replaced as %v", got, replaced)
		}
		if got := w.do(200, "PATCH", path+"p/stages/a", `{"archived":true}`); got["archived"] != true || got["archivedAt"] == nil {
			t.Errorf("an archived stage is %v", got)
		}
		if got := w.do(200, "PATCH", path+"p", `{"archived":true}`); got["archived"] != true || got["archivedAt"] == nil {
			t.Errorf("an archived pipeline is %v", got)
		}
	})
}

// When a stage changes what it means, the deals in it follow; a probability of
// their own stays.
func TestDealsFollowTheirStage(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		plain := w.create("deals", `{"dealname":"D","dealstage":"contractsent","amount":"200"}`)
		own := w.create("deals", `{"dealname":"D","dealstage":"contractsent","amount":"200","hs_deal_stage_probability":"0.1"}`)
		w.clock.Advance(time.Minute)
		w.do(200, "PATCH", "/crm/v3/pipelines/deals/default/stages/contractsent", `{"metadata":{"probability":"1"}}`)
		for _, c := range []struct{ id, want string }{{plain, "true true 1 200 200"}, {own, "true true 0.1 20 200"}} {
			got := w.do(200, "GET", "/crm/v3/objects/deals/"+c.id+"?properties=hs_is_closed,hs_is_closed_won,hs_deal_stage_probability,hs_projected_amount,hs_closed_amount", "")
			var values []string
			for _, name := range []string{"hs_is_closed", "hs_is_closed_won", "hs_deal_stage_probability", "hs_projected_amount", "hs_closed_amount"} {
				values = append(values, fmt.Sprint(field(t, got, "properties", name)))
			}
			if text := strings.Join(values, " "); text != c.want {
				t.Errorf("deal %s has %s, not %s", c.id, text, c.want)
			}
		}
		won := w.do(200, "POST", "/crm/v3/objects/deals/search", `{"filterGroups":[{"filters":[{"propertyName":"hs_is_closed_won","operator":"EQ","value":"true"}]}]}`)
		if num(won["total"]) != 2 {
			t.Errorf("%v deals are found won", won["total"])
		}
		w.do(200, "PUT", "/crm/v3/pipelines/deals/default", `{"label":"Sales Pipeline","stages":[{"label":"Contract Sent","stageId":"contractsent","metadata":{"probability":"0.5"}}]}`)
		open := w.do(200, "POST", "/crm/v3/objects/deals/search", `{"filterGroups":[{"filters":[{"propertyName":"hs_is_closed","operator":"EQ","value":"false"}]}]}`)
		if num(open["total"]) != 2 {
			t.Errorf("%v deals are found open", open["total"])
		}
	})
}

// The words of a ticket are also its number.
func TestTicketsAreFoundByNumber(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		id := w.create("tickets", `{"subject":"Printer on fire"}`)
		w.create("tickets", `{"subject":"Printer on fire"}`)
		got := w.do(200, "POST", "/crm/v3/objects/tickets/search", `{"query":"print `+id+`"}`)
		if num(got["total"]) != 1 || field(t, got, "results", 0, "id") != id {
			t.Errorf("found %v", got)
		}
	})
}

// A pipeline cannot go while records are in it, with or without a stage.
func TestPipelinesOfRecordsWithoutAStageStay(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.do(201, "POST", "/crm/v3/pipelines/deals", `{"label":"P","pipelineId":"p","stages":[{"label":"A","metadata":{"probability":"0.5"}}]}`)
		deal := w.create("deals", `{"dealname":"D","pipeline":"p"}`)
		if got := w.do(400, "DELETE", "/crm/v3/pipelines/deals/p", ""); fmt.Sprint(field(t, got, "context", "objectIds")) != "["+deal+"]" {
			t.Errorf("refused with %v", got)
		}
		w.do(204, "DELETE", "/crm/v3/objects/deals/"+deal, "")
		w.do(204, "DELETE", "/crm/v3/pipelines/deals/p", "")
	})
}

// An additional address that becomes the primary one is no longer an additional
// one.
func TestAdditionalEmailBecomesTheFirst(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		kept, gone := w.create("contacts", `{"email":"a@example.com"}`), w.create("contacts", `{"email":"b@example.com"}`)
		w.do(200, "POST", "/crm/v3/objects/contacts/merge", `{"primaryObjectId":"`+kept+`","objectIdToMerge":"`+gone+`"}`)
		got := w.do(200, "PATCH", "/crm/v3/objects/contacts/"+kept, `{"properties":{"email":"b@example.com"}}`)
		if v, there := field(t, got, "properties").(map[string]any)["hs_additional_emails"]; there {
			t.Errorf("the additional addresses are %v", v)
		}
		w.do(200, "PATCH", "/crm/v3/objects/contacts/"+kept, `{"properties":{"email":""}}`)
		w.create("contacts", `{"email":"b@example.com"}`)
	})
}

// An expired token says how long ago that was, as clients expect.
func TestExpiredTokensSayWhen(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		r := w.do(200, "POST", "/oauth/v1/token", `{"grant_type":"client_credentials","client_id":"client","client_secret":"secret"}`)
		w.clock.Advance(1807 * time.Second)
		got := w.as(r["access_token"].(string), 401, "GET", "/crm/v3/objects/contacts", "")
		if want := "The OAuth token used to make this call expired 7 second(s) ago."; got["message"] != want {
			t.Errorf("the message is %v", got["message"])
		}
	})
}

// Values from before the type of a property changed, which the new type cannot
// read, are in no range.
func TestValuesOfAnotherTypeAreInNoRange(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"code",`+textProperty+`}`)
		for _, v := range []string{"5", "abc", "true", "2026-01-02"} {
			w.create("contacts", `{"code":"`+v+`"}`)
		}
		search := func(filter string) string {
			return names(w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"properties":["code"],"filterGroups":[{"filters":[{"propertyName":"code",`+filter+`}]}]}`), "code")
		}
		w.do(200, "PATCH", "/crm/v3/properties/contacts/code", `{"type":"number","fieldType":"number"}`)
		if got := search(`"operator":"LTE","value":"5"`); got != "5" {
			t.Errorf("numbers to 5 are %s", got)
		}
		w.do(200, "PATCH", "/crm/v3/properties/contacts/code", `{"type":"date","fieldType":"date"}`)
		if got := search(`"operator":"GT","value":"2020-01-01"`) + search(`"operator":"LT","value":"2030-01-01"`); got != "2026-01-022026-01-02" {
			t.Errorf("dates are %s", got)
		}
		if got := search(`"operator":"HAS_PROPERTY"`); len(strings.Fields(got)) != 4 {
			t.Errorf("values are %s", got)
		}
	})
}

// A list of definitions has those of one sensitivity, and none here is sensitive.
func TestDefinitionsOfASensitivity(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for sensitivity, want := range map[string]bool{"": true, "non_sensitive": true, "sensitive": false, "highly_sensitive": false} {
			got := w.do(200, "GET", "/crm/v3/properties/contacts?dataSensitivity="+sensitivity, "")["results"].([]any)
			if len(got) > 0 != want {
				t.Errorf("%q: %d definitions", sensitivity, len(got))
			}
		}
	})
}
