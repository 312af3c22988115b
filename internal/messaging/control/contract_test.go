package control_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/platform/apidocs/docstest"
	"understudy/internal/platform/store/storetest"
)

// contract is the published description of the 27 methods, read as a client
// would read it, and what of it a walk has seen.
type contract struct {
	t         *testing.T
	replies   map[string]*jsonschema.Resolved   // by method and status
	shapes    map[string][]*jsonschema.Resolved // of replies with status 200
	arguments map[string][]string
	codes     map[string][]string
	common    []string // codes that every method documents
	succeeded map[string]bool
	refused   map[string]bool // method and code
	used      map[string]bool // method and argument of a success
}

// readContract reads the description that the service serves. Objects that
// name their members have no others.
func readContract(s *site) *contract {
	c := &contract{t: s.t.(*testing.T), replies: map[string]*jsonschema.Resolved{}, shapes: map[string][]*jsonschema.Resolved{}, arguments: map[string][]string{}, codes: map[string][]string{},
		succeeded: map[string]bool{}, refused: map[string]bool{}, used: map[string]bool{}}
	doc := s.call("GET", "/api/openapi.json", "", nil).is(200).body
	for path, item := range doc["paths"].(object) {
		method, ok := strings.CutPrefix(path, "/api/")
		if !ok || !strings.Contains(method, ".") || strings.Contains(method, "/") || method == "openapi.json" {
			continue
		}
		op := item.(object)["post"].(object)
		for status, r := range op["responses"].(object) {
			schema := r.(object)["content"].(object)["application/json"].(object)["schema"]
			c.replies[method+" "+status] = docstest.Strict(c.t, schema, nil)
			if shapes, ok := schema.(object)["oneOf"].([]any); ok {
				for _, shape := range shapes {
					c.shapes[method] = append(c.shapes[method], docstest.Strict(c.t, shape, nil))
				}
				for _, code := range shapes[len(shapes)-1].(object)["properties"].(object)["error"].(object)["enum"].([]any) {
					c.codes[method] = append(c.codes[method], code.(string))
				}
			}
		}
		body := op["requestBody"].(object)["content"].(object)["application/json"].(object)["schema"].(object)
		properties, _ := body["properties"].(object)
		for name := range properties {
			c.arguments[method] = append(c.arguments[method], name)
		}
	}
	c.common = append(c.common, c.codes["auth.test"]...)
	return c
}

// check compares one exchange with the description.
func (c *contract) check(path, body string, r reply) {
	c.t.Helper()
	method, query, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "?")
	schema := c.replies[fmt.Sprint(method, " ", r.status)]
	if schema == nil {
		if c.codes[method] != nil {
			c.t.Errorf("%s: the status %d is not described: %s", method, r.status, r.raw)
		}
		return
	}
	if err := schema.Validate(r.body); err != nil {
		c.t.Errorf("%s %s\n  %s\n  %v", method, body+query, r.raw, err)
		for _, shape := range c.shapes[method] {
			c.t.Logf("  %v", shape.Validate(r.body))
		}
	}
	if r.body["ok"] != true {
		c.refused[method+" "+r.at("error")] = true
		return
	}
	c.succeeded[method] = true
	var in object
	_ = json.Unmarshal([]byte(body), &in)
	for name := range in {
		c.used[method+" "+name] = true
	}
}

// The replies of all 27 methods, with each argument and each refusal that their
// descriptions name, have the published shapes.
func TestRepliesFitTheDescription(t *testing.T) {
	t.Parallel()
	world := storetest.SQLite(t, schemas)
	s := newSite(t, world, "lineage")
	c := readContract(s)
	if len(c.codes) != 27 {
		t.Fatalf("%d methods are described", len(c.codes))
	}
	s.seen = c.check
	walkMethods(s, world)
	for method, codes := range c.codes {
		if !c.succeeded[method] {
			t.Errorf("%s was not called with success", method)
		}
		for _, code := range codes {
			if !slices.Contains(c.common, code) && !c.refused[method+" "+code] {
				t.Errorf("%s did not refuse a call with %s", method, code)
			}
		}
		for _, name := range c.arguments[method] {
			if name != "file" && name != "file_comment" && !c.used[method+" "+name] {
				t.Errorf("%s was not called with the argument %s", method, name)
			}
		}
	}
	// What every method answers is the same code for all of them.
	rare := []string{"internal_error", "service_unavailable", "request_timeout", "token_expired"} // other tests break the server for them
	for _, code := range c.common {
		if !slices.Contains(rare, code) && !slices.ContainsFunc(slices.Collect(keys(c.refused)), func(k string) bool { return strings.HasSuffix(k, " "+code) }) {
			t.Errorf("no method refused a call with %s", code)
		}
	}
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
