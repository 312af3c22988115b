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
