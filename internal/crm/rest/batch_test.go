package rest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Each input of a batch needs its id.
func TestInputsWithoutAnIDAreRefused(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for _, path := range []string{"objects/contacts/batch/read", "objects/contacts/batch/archive"} {
			got := w.do(400, "POST", "/crm/v3/"+path, `{"inputs":[{"id":"100001"},{}]}`)
			if m := got["message"].(string); !strings.HasSuffix(m, "Some required fields were not set: [id]") {
				t.Errorf("%s: %s", path, m)
			}
		}
	})
}

// The entry of the records that are missing names the inputs as the client did.
func TestMissingRecordsHaveTheirTraceIDs(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		there := w.create("contacts", `{"firstname":"Ann"}`)
		got := w.do(207, "POST", "/crm/v3/objects/contacts/batch/update", `{"inputs":[
			{"id":"`+there+`","properties":{"firstname":"Bob"},"objectWriteTraceId":"one"},
			{"id":"999999","properties":{"firstname":"Cy"},"objectWriteTraceId":"two"}]}`)
		if c := fmt.Sprint(field(t, got, "errors", 0, "context")); c != "map[ids:[999999] objectWriteTraceId:[two]]" {
			t.Errorf("the context is %s", c)
		}
	})
}

// A refused unique value names two records by their numbers, also at creation:
// clients read the second one.
func TestTakenValuesNameTwoRecords(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"code",`+textProperty+`,"hasUniqueValue":true}`)
		first := w.create("contacts", `{"code":"a"}`)
		got := w.do(400, "POST", "/crm/v3/objects/contacts", `{"properties":{"code":"a"}}`)["message"].(string)
		if !regexp.MustCompile(`propertyName=code, value=a\} on \d+\. ` + first + ` already has that value\.$`).MatchString(got) {
			t.Error(got)
		}
	})
}

// The header of a failure repeats the id in its body.
func TestFailuresHaveTheirCorrelationIDInAHeader(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		got := w.do(404, "GET", "/crm/v3/objects/contacts/999999", "")
		_, body, header := w.send(w.token, "GET", "/crm/v3/objects/contacts/999999", "")
		if id := header.Get("X-HubSpot-Correlation-Id"); id == "" || !strings.Contains(string(body), `"correlationId":"`+id+`"`) {
			t.Errorf("%q beside %s, after %v", id, body, got["correlationId"])
		}
	})
}

// The list of definitions may be asked for some of them, and accepts the names of
// members, of which a reply has all.
func TestDefinitionsAreSelectedByName(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		count := func(query string) int {
			return len(field(t, w.do(200, "GET", "/crm/v3/properties/companies"+query, ""), "results").([]any))
		}
		all := count("")
		for query, want := range map[string]int{"?properties=domain": 1, "?properties=name": 1, "?properties=name&properties=domain": 2,
			"?properties=name%2Clabel": all, "?properties=label,type": all, "?properties=nothing": 0} {
			if got := count(query); got != want {
				t.Errorf("%s: %d definitions, not %d", query, got, want)
			}
		}
	})
}

func TestABodyThatMustBeAnArrayIsAskedForOne(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		contact, company := w.create("contacts", `{}`), w.create("companies", `{}`)
		got := w.do(400, "PUT", "/crm/v4/objects/contacts/"+contact+"/associations/companies/"+company, `{}`)
		if m := got["message"].(string); !strings.HasSuffix(m, "The request body must be a JSON array.") {
			t.Error(m)
		}
	})
}
