package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// Bodies that share a document are read as they would be without what was cached of earlier ones.
func TestBodiesAreReadTheSameWithKnownDocuments(t *testing.T) {
	c := newBodyCache()
	documents := []string{`"{ a }"`, `"{ a(b: \"c\\\\\") }"`, `"\\\\"`, `"\\\""`, `"{ é \u00e9 }"`, `""`, `" "`, `"a\u0000"`, "\"\xff\"", `"{ a`, `1`, `null`}
	rests := []string{`}`, ` }`, `,}`, `,"variables":{"n":1}}`, `,"variables":{"n":"\u0000"}}`, `,"variables":{"n":1}} `, `,"variables":{"n":1}}x`,
		`,"variables":{"n":1}`, `,"query":"{ b }"}`, `,"Query":"{ b }"}`, `,"query":null}`, `,"query":1}`, `,"operationName":"o","variables":null}`,
		`,"operationName":1}`, ` ,"variables":{}}`, `, "variables":{}}`, `,"variables":"` + "\xff" + `"}`, `,"":{}}`, ``, `]`}
	for range 4 {
		for _, document := range documents {
			for _, rest := range rests {
				body := []byte(`{"query":` + document + rest)
				before := bytes.Clone(body)
				want, refused := readRequest(t.Context(), bytes.Clone(body))
				got, err := c.read(t.Context(), body)
				if fmt.Sprint(err) != fmt.Sprint(refused) || err == nil && (got.Query != want.Query || got.OperationName != want.OperationName ||
					!bytes.Equal(got.Variables, want.Variables)) {
					t.Errorf("%q is read as %+v, %v, want %+v, %v", body, got, err, want, refused)
				}
				if !bytes.Equal(body, before) {
					t.Errorf("%q was changed to %q", before, body)
				}
			}
		}
	}
	if n, _ := c.documents.Len(); n < 4 {
		t.Errorf("%d documents are cached", n)
	}
}

// A body is cached when it is sent again, a document when it comes in another body.
func TestBodiesAreCachedOnTheirSecondRequest(t *testing.T) {
	c := newBodyCache()
	send := func(n int) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"query": "{ a }", "variables": map[string]int{"n": n}})
		if err != nil {
			t.Fatal(err)
		}
		if _, known := c.get(body); !known {
			q, err := c.read(t.Context(), body)
			if err != nil {
				t.Fatal(err)
			}
			c.put(body, q)
		}
	}
	want := func(bodies, documents int) {
		t.Helper()
		b, _ := c.seen.Len()
		d, _ := c.documents.Len()
		if b != bodies || d != documents {
			t.Errorf("%d bodies and %d documents are cached, want %d and %d", b, d, bodies, documents)
		}
	}
	send(1)
	want(0, 0)
	send(2)
	want(0, 1)
	send(2)
	want(1, 1)
}
