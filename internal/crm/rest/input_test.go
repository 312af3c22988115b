package rest_test

import (
	"fmt"
	"strings"
	"testing"
)

// The refusal of a body names the place of the mistake.
func TestMistakesInJSONHaveTheirPlace(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for body, place := range map[string]string{
			`{"properties":{"email":"a`:                 "line 1, column 26: unexpected end of JSON input",
			"{\n  \"properties\": {":                    "line 2, column 18: unexpected end of JSON input",
			`{"properties":{"email" "a"}}`:              "line 1, column 24: invalid character",
			"{\n\"properties\":{\"ä\":\"ö\",}}":         "line 2, column 23: invalid character",
			`{"properties":{}} x`:                       "line 1, column 19: invalid character",
			"{\"associations\":[],\n\"properties\":[]}": "line 2, column 14: The value of",
		} {
			got := w.do(400, "POST", "/crm/v3/objects/contacts", body)
			if m := got["message"].(string); !strings.HasPrefix(m, "Invalid input JSON on "+place) || got["category"] != "VALIDATION_ERROR" {
				t.Errorf("%s: %v", body, got)
			}
		}
	})
}

// Upstream's parser notices that a member is missing where the object ends.
func TestMissingMembersHaveTheirPlace(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ path, body, want string }{
			{"/crm/v3/objects/contacts", `{}`, "line 1, column 2. Some required fields were not set: [properties]"},
			{"/crm/v3/objects/contacts", "{\n  \"associations\": []\n }\n", "line 3, column 2. Some required fields were not set: [properties]"},
			{"/crm/v3/objects/contacts", `{"properties":{},"associations":[{"types":[]}]}`, "line 1, column 45. Some required fields were not set: [to]"},
			{"/crm/v3/objects/contacts/merge", `{}`, "line 1, column 2. Some required fields were not set: [primaryObjectId, objectIdToMerge]"},
			{"/crm/v3/objects/contacts/batch/read", `{}`, "line 1, column 2. Some required fields were not set: [inputs]"},
			{"/crm/v3/objects/contacts/batch/read", `{"properties":["a"],"inputs":[{"id":1},{},{}]}`, "line 1, column 41. Some required fields were not set: [id]"},
			{"/crm/v3/objects/contacts/batch/update", `{"inputs":[{"":"","id":"1","properties":{"":""}},{"id":"2"}]}`, "line 1, column 59. Some required fields were not set: [properties]"},
			{"/crm/v4/associations/contacts/companies/batch/create", `{"inputs":[{"to":{"id":"1"},"types":[]}]}`, "line 1, column 39. Some required fields were not set: [from]"},
			{"/crm/v3/properties/contacts", `{"name":"a","label":""}`, "line 1, column 23. Some required fields were not set: [label, type, fieldType, groupName]"},
			{"/crm/v3/properties/contacts/batch/create", `{"inputs":[{"name":"a"}]}`, "line 1, column 23. Some required fields were not set: [label, type, fieldType, groupName]"},
			{"/crm/v3/pipelines/deals", `{"label":"a","stages":[{"label":"b"},{}]}`, "line 1, column 39. Some required fields were not set: [label]"},
		} {
			got := w.do(400, "POST", c.path, c.body)
			if m := got["message"].(string); !strings.HasPrefix(m, "Invalid input JSON on "+c.want) || got["category"] != "VALIDATION_ERROR" {
				t.Errorf("%s %s: %v, want %s", c.path, c.body, got, c.want)
			}
		}
	})
}

// A body that is null is no object, also where every member may be left out.
func TestNullIsNoBody(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		id := w.create("contacts", `{"email":"a@example.com"}`)
		for path, method := range map[string]string{"/crm/v3/objects/contacts/search": "POST", "/crm/v3/objects/contacts/" + id: "PATCH",
			"/crm/v3/objects/contacts/batch/read": "POST", "/crm/v3/pipelines/deals/default": "PATCH"} {
			got := w.do(400, method, path, " null\n")
			if m := got["message"].(string); !strings.HasPrefix(m, "Invalid input JSON on line 1, column ") || got["category"] != "VALIDATION_ERROR" {
				t.Errorf("%s: %v", path, got)
			}
		}
		w.do(200, "POST", "/crm/v3/objects/contacts/search", "{}")
	})
}

// Clients that build bodies from text send numbers and booleans as text.
func TestScalarsInOtherForms(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		company, contact := w.create("companies", `{"name":"Mill"}`), w.create("contacts", `{"firstname":"5"}`)
		got := w.do(201, "PUT", "/crm/v4/objects/contacts/"+contact+"/associations/companies/"+company, `[{"associationCategory":"HUBSPOT_DEFINED","associationTypeId":"1"},{"associationTypeId":279.0}]`)
		if fmt.Sprint(got["labels"]) != "[Primary]" {
			t.Errorf("%v", got)
		}
		got = w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"year","label":"Year","type":"enumeration","fieldType":"select","groupName":"contactinformation","displayOrder":"3","hidden":"true",
			"hasUniqueValue":"false","formField":null,"options":[{"label":2024,"value":2024,"displayOrder":"0","hidden":"false"}]}`)
		if num(got["displayOrder"]) != 3 || got["hidden"] != true || fmt.Sprint(got["options"]) != "[map[displayOrder:0 hidden:false label:2024 value:2024]]" {
			t.Errorf("%v", got)
		}
		got = w.do(200, "PATCH", "/crm/v3/properties/contacts/year", `{"displayOrder":"4","hidden":"false"}`)
		if num(got["displayOrder"]) != 4 || got["hidden"] != false {
			t.Errorf("%v", got)
		}
		w.do(200, "POST", "/crm/v3/properties/contacts/batch/read", `{"inputs":[{"name":"year"}],"archived":"false"}`)
		w.do(201, "POST", "/crm/v3/properties/contacts/groups", `{"name":"g","label":"G","displayOrder":"3"}`)
		w.do(201, "POST", "/crm/v3/pipelines/deals", `{"label":"P","displayOrder":"1","stages":[{"label":"S","displayOrder":"0","metadata":{"probability":"0.5"}}]}`)
		if got := w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"limit":"1","after":"0"}`); num(got["total"]) != 1 {
			t.Errorf("%v", got)
		}
		for body, want := range map[string]string{
			`{"limit":"five"}`:          "line 1, column 2: The value of \"limit\" must be of type integer.",
			`{"limit":[1]}`:             "line 1, column 2: The value of \"limit\" must be of type integer.",
			`{"query":"a","after":[1]}`: "line 1, column 22: a single value was expected, not an array",
		} {
			if got := w.do(400, "POST", "/crm/v3/objects/contacts/search", body); got["message"] != "Invalid input JSON on "+want {
				t.Errorf("%s: %v", body, got)
			}
		}
		if got := w.do(400, "POST", "/crm/v3/objects/contacts", `{"properties":{"firstname":{"a":1}}}`); got["message"] != "Invalid input JSON on line 1, column 28: a single value was expected, not an object" {
			t.Errorf("%v", got)
		}
	})
}
