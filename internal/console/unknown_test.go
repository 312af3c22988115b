package console_test

import (
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// Every route of the admin plane refuses a query parameter that it does not
// have, and a member of the body; a seed document has its own refusal, with lines.
func TestTheAdminPlaneRefusesUnknownNames(t *testing.T) {
	s := apptest.Start(t)
	key := s.Credential("admin", "key")
	_, spec := s.Call("GET", "/admin/v1/openapi.json", "", nil)
	const name = "no_such_thing"
	routes := 0
	for path, item := range spec["paths"].(object) {
		for method := range item.(object) {
			method, routes = strings.ToUpper(method), routes+1
			at := "/admin/v1" + strings.NewReplacer("{env}", "default", "{service}", "messaging", "{user}", "admin", "{", "", "}", "").Replace(strings.TrimPrefix(path, "/admin/v1"))
			refused := func(what, query string, body any) {
				t.Helper()
				status, reply := s.Call(method, at+query, key, body)
				e, _ := reply["error"].(object)
				message, _ := e["message"].(string)
				if status != 400 || e["code"] != "unknown_member" || e["field"] != name || message == "" {
					t.Errorf("%s %s, %s: %d %v", method, path, what, status, reply)
				}
			}
			if refused("an unknown parameter", "?"+name+"=1", nil); method == "GET" {
				continue
			}
			if method == "POST" && strings.HasSuffix(path, "/seed") {
				if status, reply := s.Call(method, at, key, object{name: 1}); status != 422 || reply["error"].(object)["field"] != name {
					t.Errorf("a seed document: %d %v", status, reply)
				}
				continue
			}
			refused("an unknown member", "", object{name: 1})
		}
	}
	if routes < 20 {
		t.Errorf("%d routes", routes)
	}
	// A name is a name letter by letter, and a query that cannot be read is not skipped.
	status, reply := s.Call("POST", "/admin/v1/environments", key, object{"Name": "x"})
	if e, _ := reply["error"].(object); status != 400 || e["code"] != "unknown_member" || e["field"] != "Name" || e["did_you_mean"] != "name" {
		t.Errorf("a name in another case: %d %v", status, reply)
	}
	if status, reply = s.Call("GET", "/admin/v1/environments?limit=1;q=x", key, nil); status != 400 || reply["error"].(object)["code"] != "invalid_value" {
		t.Errorf("a query that cannot be read: %d %v", status, reply)
	}
}

// Parameters that are true or false are refused otherwise: counts=no would show the counts.
func TestParametersThatAreTrueOrFalse(t *testing.T) {
	s := apptest.Start(t)
	key := s.Credential("admin", "key")
	for _, address := range []string{"?counts=no", "/default/people?admin=1", "/default/requests?counts=yes", "/default/diff?cause=no", "/default/diff?summary=1"} {
		status, reply := s.Call("GET", "/admin/v1/environments"+address, key, nil)
		if e, _ := reply["error"].(object); status != 400 || e["code"] != "invalid_value" || !strings.HasSuffix(e["message"].(string), "must be true or false") {
			t.Errorf("%s: %d %v", address, status, reply)
		}
	}
}
