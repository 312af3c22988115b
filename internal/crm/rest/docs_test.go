package rest_test

import (
	"fmt"
	"testing"

	"understudy/internal/platform/store/storetest"
)

// Every body and every reply of the description names its members.
func TestTheDescriptionNamesTheMembersOfBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t, schemas), 0)
	doc := w.do(200, "GET", "/openapi.json", "")
	var check func(v any, at string)
	check = func(v any, at string) {
		s, _ := v.(map[string]any)
		if s["$ref"] != nil || s == nil {
			return
		}
		if s["type"] == "array" {
			check(s["items"], at+"[]")
			if s["items"] == nil {
				t.Errorf("%s: an array of what?", at)
			}
		}
		if s["type"] != "object" {
			return
		}
		if s["properties"] == nil && s["additionalProperties"] == nil {
			t.Errorf("%s: an object without members", at)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			check(p, at+"."+name)
		}
	}
	operations := 0
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			o, ok := op.(map[string]any)
			if !ok {
				continue
			}
			operations++
			content := func(v any, at string) {
				m, _ := v.(map[string]any)
				types, _ := m["content"].(map[string]any)
				for _, c := range types {
					check(c.(map[string]any)["schema"], fmt.Sprintf("%s %s %s", method, path, at))
				}
			}
			content(o["requestBody"], "body")
			for status, r := range o["responses"].(map[string]any) {
				content(r, status)
			}
		}
	}
	if operations < 100 {
		t.Errorf("%d operations", operations)
	}
}
