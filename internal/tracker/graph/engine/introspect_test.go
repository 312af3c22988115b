package engine

import (
	"context"
	"testing"
)

// What code generators read out of the engine is the schema it was made from.
func TestIntrospectionRebuildsTheSchema(t *testing.T) {
	query := askNode(t, nil, "introspect.mjs", "query")
	e := newLibrary(t, Options{})
	out := e.Execute(context.Background(), Request{Query: string(query)}, &library{})
	if len(out.Errors) > 0 {
		t.Fatalf("%s", out.JSON)
	}
	if verdict := askNode(t, out.JSON, "introspect.mjs", "check", conformance+"/schema.graphql"); string(verdict) != "same" {
		t.Errorf("%s", verdict)
	}
}
