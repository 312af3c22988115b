package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
)

// whole checks what holds of every reply: valid JSON, data or errors, never an
// empty list of errors, null data only with an error.
func whole(t *testing.T, r Request, out Result) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(out.JSON, &members); err != nil {
		t.Fatalf("%q: %v: %s", r.Query, err, out.JSON)
	}
	data, hasData := members["data"]
	list, hasErrors := members["errors"]
	if !hasData && !hasErrors || hasErrors && (string(list) == "[]" || len(out.Errors) == 0) || string(data) == "null" && !hasErrors {
		t.Fatalf("%q: %s", r.Query, out.JSON)
	}
}

// Any text gets a reply, and the same one the second time, from the cache or
// not.
func FuzzDocument(f *testing.F) {
	for _, c := range conformanceCases(f) {
		f.Add(c.Query, string(c.Variables), c.Operation)
	}
	e := newLibrary(f, Options{Cost: pointRule})
	f.Fuzz(func(t *testing.T, query, variables, operation string) {
		r := Request{Query: query, Variables: json.RawMessage(variables), OperationName: operation}
		first := e.Execute(context.Background(), r, &library{})
		whole(t, r, first)
		if second := e.Execute(context.Background(), r, &library{}); !bytes.Equal(first.JSON, second.JSON) {
			t.Errorf("%q: first %s, then %s", query, first.JSON, second.JSON)
		}
	})
}

// Any variables are coerced or refused, and what is coerced holds to the types.
func FuzzVariables(f *testing.F) {
	const query = `query ($i: Int, $f: Float, $s: String, $b: Boolean, $d: ID, $g: Genre, $t: Instant, $x: Anything, $l: [Int!], $m: [[Int]], $o: Deep, $q: BookFilter) {
		a: echoInt(v: $i) b: echoFloat(v: $f) c: echoString(v: $s) d: echoBool(v: $b) e: echoID(v: $d) f: echoGenre(v: $g)
		g: echoInstant(v: $t) h: echoAnything(v: $x) i: echoInts(v: $l) j: echoGrid(v: $m) k: echoDeep(v: $o) l: echoFilter(v: $q) }`
	for _, v := range []string{
		`{}`, `null`, ``, `{"i":1,"f":2.5,"s":"x","b":true,"d":7,"g":"ESSAY","t":"2024-05-01T10:00:00.000Z"}`,
		`{"i":1e400,"f":-1e400,"d":1e3,"s":null}`, `{"l":[1,2],"m":[[1],null,2],"x":{"a":[{}]}}`,
		`{"o":{"must":"m","may":null,"list":[[1]],"inner":{"must":"i"}}}`, `{"o":{"inner":{}}}`, `{"q":{"and":[{"genre":null,"pages":[null]}],"title":{"in":[]}}}`,
	} {
		f.Add(v)
	}
	e := newLibrary(f, Options{})
	f.Fuzz(func(t *testing.T, variables string) {
		r := Request{Query: query, Variables: json.RawMessage(variables)}
		out := e.Execute(context.Background(), r, &library{})
		whole(t, r, out)
		p, rejection := e.Prepare(r)
		if (rejection == nil) == (len(out.Errors) > 0) {
			t.Fatalf("%q: %s", variables, out.JSON)
		}
		if rejection != nil {
			return
		}
		for name, v := range p.vars {
			ok := v == nil
			switch name {
			case "i":
				_, is := v.(int)
				ok = ok || is
			case "f":
				_, is := v.(float64)
				ok = ok || is
			case "s", "d", "g":
				_, is := v.(string)
				ok = ok || is
			case "l", "m":
				_, is := v.([]any)
				ok = ok || is
			case "o", "q":
				_, is := v.(Args)
				ok = ok || is
			default:
				ok = true
			}
			if !ok {
				t.Errorf("%q: $%s is a %T", variables, name, v)
			}
		}
	})
}
