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
	status, reply = s.Call("POST", "/admin/v1/environments/default/verdict", key, object{"expect": []any{object{"inserted": "tracker.issue", "whre": object{}}}})
	if e, _ := reply["error"].(object); status != 400 || e["line"] != 1.0 || e["did_you_mean"] != "where" || !strings.HasPrefix(e["message"].(string), "line 1, expect[0].whre: ") {
		t.Errorf("a misspelt member of a document: %d %v", status, reply)
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

// A list that is narrowed by a name that there is not would be empty, as if
// nothing had happened. What is open, as types of events are, is any text.
func TestListsRefuseValuesThatThereAreNot(t *testing.T) {
	s := apptest.Start(t)
	key := s.Credential("admin", "key")
	const services, states = "must be one of messaging, crm, tracker, ingest", "must be one of passed, failed, timeout, error"
	for address, want := range map[string]string{
		"/environments/default/requests?service=mesaging":    "service: " + services,
		"/environments/default/events?service=CRM":           "service: " + services,
		"/environments/default/events?service=%00":           "service: " + services,
		"/environments/default/deliveries?service=admin":     "service: " + services,
		"/environments/default/diff?service=x":               "service: " + services,
		"/environments/default/diff?service=x&summary=true":  "service: " + services,
		"/environments/default/people?service=mesaging":      "service: " + services,
		"/environments/default/people?service=ingest":        "",
		"/environments/default/diff?entity=contacts":         "entity: must be one of account, app, ",
		"/environments/default/diff?entity=x&summary=true":   "entity: must be one of account, app, ",
		"/environments/default/verdicts?state=pass":          "state: " + states,
		"/verdicts?state=unknown":                            "state: " + states,
		"/environments/default/requests?service=crm":         "",
		"/environments/default/requests?limit=1&limit=2":     "limit: is given twice",
		"/environments/default/events?type=no_such_type":     "",
		"/environments/default/diff?entity=contact":          "",
		"/environments/default/diff?service=crm&entity=user": "",
		"/verdicts?state=timeout&task=none":                  "",
		"/environments/default/requests?limit=1000":          "", // counts as the most that there is
	} {
		status, reply := s.Call("GET", "/admin/v1"+address, key, nil)
		e, _ := reply["error"].(object)
		message, _ := e["message"].(string)
		if want == "" && status != 200 || want != "" && (status != 400 || e["code"] != "invalid_value" || !strings.HasPrefix(message, want)) {
			t.Errorf("%s: %d %v", address, status, reply)
		}
	}
	status, reply := s.Call("POST", "/admin/v1/environments/default/deliveries/replay", key, object{"service": "mail"})
	if e, _ := reply["error"].(object); status != 400 || e["code"] != "invalid_value" || e["message"] != "service: "+services {
		t.Errorf("a replay: %d %v", status, reply)
	}
}

// A filter that can match no request is refused: an empty list would suggest that
// nothing was asked.
func TestFiltersOfRequestsCanMatch(t *testing.T) {
	s := apptest.Start(t)
	key := s.Credential("admin", "key")
	for query, field := range map[string]string{
		"operation=nope": "operation", "operation=messaging.chat.postMesage": "operation", "operation=chat.postMessage": "operation",
		"service=crm&operation=messaging.*": "operation", "operation=mcp.nope": "operation", "status=600": "status", "status=6xx": "status",
		"operation=messaging.chat.*": "", "operation=*": "", "service=messaging&operation=mcp.msg_post_message": "", "status=599": "", "operation=": "",
		"service=tracker&operation=*issueCreate": "",
	} {
		status, reply := s.Call("GET", "/admin/v1/environments/default/requests?"+query, key, nil)
		message, _ := apptest.Get(reply, "error", "message").(string)
		if field == "" && status != 200 || field != "" && (status != 400 || apptest.Get(reply, "error", "code") != "invalid_value" || !strings.HasPrefix(message, field+": ")) {
			t.Errorf("%s: %d %v", query, status, reply)
		}
	}
}
