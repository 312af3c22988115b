package rest_test

import (
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
