package console

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// Every route of the admin plane is described, with its query parameters, and
// the description needs no key.
func TestTheDocsDescribeEveryRoute(t *testing.T) {
	c := New(Deps{})
	for pattern, known := range c.accepted {
		if _, ok := shapes[pattern]; !ok {
			t.Errorf("%s has no shape in docs.go", pattern)
		}
		for _, name := range known {
			if parameterTexts[name] == "" {
				t.Errorf("%s: the query parameter %s is not described", pattern, name)
			}
		}
	}
	for pattern := range shapes {
		if _, ok := c.accepted[pattern]; !ok {
			t.Errorf("%s is described but not served", pattern)
		}
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest("GET", "/admin/v1/openapi.json", nil))
	var doc struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 || doc.OpenAPI != "3.1.0" || len(doc.Paths) < 15 {
		t.Errorf("%d %v: %.300s", w.Code, err, w.Body)
	}
	for path := range doc.Paths {
		if !strings.HasPrefix(doc.Servers[0].URL+path, "/admin/v1/") && !strings.HasPrefix(path, "/admin/v1/") {
			t.Errorf("%s is below %s", path, doc.Servers[0].URL)
		}
	}
	w = httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest("GET", "/admin/v1/docs", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "openapi.json") {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}
