package rest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/platform/apidocs/docstest"
)

// asked contains an example request for each route of the document, in the order of
// sending. "{project}" and "{key}" are replaced by ids from earlier replies.
func asked() []struct{ route, path, body string } {
	day := fmt.Sprintf("from=%d&to=%d", at, at+86400000)
	return []struct{ route, path, body string }{
		{"POST /api/v1/capture-session", "", fmt.Sprintf(`{"session_id":"%s","user_data":{"user_id":"eve"}}`, id(20))},
		{"POST /api/v1/capture-event", "", row(21, fmt.Sprintf(`,"timestamp":%d`, at))},
		{"POST /api/v1/capture-events", "", `{"events":[` + row(22, fmt.Sprintf(`,"timestamp":%d`, at)) + `,7]}`},
		{"PUT /api/v1/prices", "", `{"prices":[{"model":"m1","input_per_million":2,"output_per_million":8,"currency":"EUR"}]}`},
		{"GET /api/v1/prices", "?project_id=", ""},
		{"GET /api/health", "", ""},
		{"POST /api/v1/scores", "", fmt.Sprintf(`{"event_id":"%s","name":"helpful","value":0.5,"comment":"yes"}`, id(1))},
		{"POST /api/v1/scores", "", fmt.Sprintf(`{"session_id":"%s","name":"mood","value":"good"}`, id(0))},
		{"GET /api/v1/scores", "", ""},
		{"GET /api/v1/sessions", "?view=summary", ""},
		{"GET /api/v1/sessions/{id}", "/api/v1/sessions/" + id(0) + "?tool=search", ""},
		{"GET /api/v1/sessions/{id}/tree", "/api/v1/sessions/" + id(0) + "/tree", ""},
		{"GET /api/v1/events", "?limit=2", ""},
		{"GET /api/v1/events", "?view=summary", ""},
		{"GET /api/v1/events/{id}", "/api/v1/events/" + id(2), ""},
		{"GET /api/v1/tools", "", ""},
		{"GET /api/v1/agents", "", ""},
		{"GET /api/v1/models", "", ""},
		{"GET /api/v1/customers", "", ""},
		{"GET /api/v1/timeseries", "?" + day + "&fill=zero&distinct=user_id", ""},
		{"GET /api/v1/timeseries", "?" + day + "&group_by=trait.plan&interval=minute&top=1", ""},
		{"GET /api/v1/overview", "?" + day, ""},
		{"GET /api/v1/tools/{tool}/timeline", "/api/v1/tools/search/timeline", ""},
		{"GET /api/v1/errors", "", ""},
		{"GET /api/v1/facets", "", ""},
		{"GET /api/v1/traits", "", ""},
		{"GET /api/v1/users", "", ""},
		{"PUT /api/v1/retention", "", `{"days":90}`},
		{"GET /api/v1/retention", "", ""},
		{"POST /api/v1/api-keys", "", `{"name":"reader","scope":"read"}`},
		{"GET /api/v1/api-keys", "", ""},
		{"GET /api/v1/projects", "", ""},
		{"DELETE /api/v1/api-keys/{id}", "/api/v1/api-keys/{key}", ""},
		{"DELETE /api/v1/sessions/{id}", "/api/v1/sessions/" + id(20), ""},
		{"DELETE /api/v1/users/{id}", "/api/v1/users/bob", ""},
	}
}

// unlike contains the routes whose replies are not JSON documents or that another
// package serves, with the tests that cover them.
var unlike = map[string]string{
	"GET /api/v1/export":              "TestExportHoldsEveryEvent",
	"GET /api/v1/live":                "TestFollowersSeeWhatIsStored",
	"POST /v1/traces":                 "package otlp",
	"POST /api/public/otel/v1/traces": "package otlp",
}

// The test calls each route of the published document at least once. Replies and
// errors have exactly the members and the types of the document.
func TestRepliesAreWhatTheDocumentSays(t *testing.T) {
	w := dashboard(t)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(w.ask("GET", "/api/openapi.json", "").Body.Bytes(), &doc); err != nil || len(doc.Paths) < 20 {
		t.Fatal(len(doc.Paths), err)
	}
	left := map[string]bool{}
	for path, item := range doc.Paths {
		for method := range item {
			left[strings.ToUpper(method)+" "+path] = true
		}
	}
	fits := func(route, query string, status int, body []byte) {
		t.Helper()
		method, path, _ := strings.Cut(route, " ")
		reply, ok := doc.Paths[path][strings.ToLower(method)].Responses[fmt.Sprint(status)]
		if !ok {
			t.Errorf("%s%s answers %d, which the document does not have: %.200s", route, query, status, body)
			return
		}
		schema := reply.Content["application/json"].Schema
		if schema == nil {
			if len(body) > 0 {
				t.Errorf("%s%s: %d has no reply in the document and answers %.200s", route, query, status, body)
			}
			return
		}
		var v any
		err := json.Unmarshal(body, &v)
		if err == nil {
			err = docstest.Strict(t, schema, doc.Components.Schemas).Validate(v)
		}
		if err != nil {
			t.Errorf("%s%s: %v\n%.600s", route, query, err, body)
		}
	}
	scoped := map[string]string{}
	for _, scope := range []string{"read", "write"} {
		var made struct{ Token string }
		rec := w.ask("POST", "/api/v1/api-keys", `{"name":"`+scope+`","scope":"`+scope+`"}`, "x-api-key", admin)
		if err := json.Unmarshal(rec.Body.Bytes(), &made); err != nil || made.Token == "" {
			t.Fatal(rec.Body)
		}
		scoped[scope] = made.Token
	}
	key := ""
	for _, a := range asked() {
		delete(left, a.route)
		method, path, _ := strings.Cut(a.route, " ")
		if !strings.HasPrefix(a.path, "/") {
			path += a.path
		} else {
			path = strings.Replace(a.path, "{key}", key, 1)
		}
		var headers []string
		if strings.Contains(path, "api-keys") || strings.Contains(path, "projects") {
			headers = []string{"x-api-key", "", "Authorization", "Bearer " + admin}
		}
		rec := w.ask(method, path, a.body, headers...)
		if rec.Code >= 300 {
			t.Errorf("%s %s: %d %s", method, path, rec.Code, rec.Body)
		}
		fits(a.route, path, rec.Code, rec.Body.Bytes())
		if a.route == "POST /api/v1/api-keys" {
			var made struct{ ID string }
			_ = json.Unmarshal(rec.Body.Bytes(), &made)
			key = made.ID
		}
		rec = w.ask(method, strings.SplitN(path, "?", 2)[0], `{`, "x-api-key", "sk_unknown", "Authorization", "")
		fits(a.route, " without a key", rec.Code, rec.Body.Bytes())
		for scope, key := range scoped {
			if rec = w.ask(method, path, a.body, "x-api-key", key); rec.Code == 403 {
				fits(a.route, " with a key of scope "+scope, rec.Code, rec.Body.Bytes())
			}
		}
		if a.body != "" {
			rec = w.ask(method, path, a.body, append(headers, "Content-Type", "text/plain")...)
			fits(a.route, " with another type of body", rec.Code, rec.Body.Bytes())
		}
		if method == "GET" && headers == nil && a.route != "GET /api/health" {
			rec = w.ask(method, strings.SplitN(path, "?", 2)[0]+"?unheard=1", "")
			if rec.Code != 400 || !strings.Contains(rec.Body.String(), "unheard") {
				t.Errorf("%s with an unknown parameter: %d %s", a.route, rec.Code, rec.Body)
			}
			fits(a.route, " with an unknown parameter", rec.Code, rec.Body.Bytes())
		}
	}
	for route := range left {
		if unlike[route] == "" {
			t.Errorf("%s is in the document and is not asked", route)
		}
	}
}
