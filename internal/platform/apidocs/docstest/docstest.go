// Package docstest reads the schemas of published API descriptions, for tests
// that compare replies with them.
package docstest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Strict returns a schema of an OpenAPI document in which objects with named
// members may have no others. components are the document's named schemas, nil
// for none.
func Strict(t testing.TB, schema any, components map[string]any) *jsonschema.Resolved {
	t.Helper()
	whole := map[string]any{"$defs": components}
	members, _ := schema.(map[string]any)
	maps.Copy(whole, members)
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	var closed any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), &closed); err != nil {
		t.Fatal(err)
	}
	closeObjects(closed)
	if text, err = json.Marshal(closed); err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// closeObjects closes the objects of a schema that name their members.
func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, named := v["properties"].(map[string]any); named && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeObjects(member)
		}
	case []any:
		for _, item := range v {
			closeObjects(item)
		}
	}
}
