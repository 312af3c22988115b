package engine

import (
	"strings"
	"testing"
	"time"
)

// The start-up check names every mistake, all at once.
func TestStartUpCheck(t *testing.T) {
	b, err := NewBuilder(`
		scalar Moment
		type Query { a: A!, list: [A!]!, grid: [[A!]!], word: String!, u: U, at: Moment, ghost: Ghost, ghost2: Ghost, missing: Int }
		type A { id: ID!, n: Int!, f: Float, on: Boolean!, kind: Kind!, words: [String!]!, b: B }
		type B { id: ID! }
		type C { id: ID! }
		type Ghost { id: ID! }
		union U = B | C
		enum Kind { X }
	`)
	if err != nil {
		t.Fatal(err)
	}
	type goA struct{}
	type goB struct{}
	a := Object[goA](b, "A")
	a.Field("id", func(*goA) bool { return false })
	a.Field("n", func(*goA) float64 { return 0 })
	a.Field("f", func(*goA) string { return "" })
	a.Field("on", func(*goA) int { return 1 })
	a.Field("words", func(*goA) string { return "" })
	a.Field("nope", func(*goA) string { return "" })
	a.Const("Y", "kind")
	a.Field("b", func(*goA) string { return "" })
	Object[goB](b, "B").Field("id", func(*goB) string { return "" }).Field("id", func(*goB) string { return "" })
	Object[goB](b, "C").Field("id", func(*goA) string { return "" })
	Object[goB](b, "D")
	b.Stub("Ghost")
	Query(b, "a", func(*Call) (*goB, error) { return nil, nil })
	Query(b, "list", func(*Call) (*goA, error) { return nil, nil })
	QueryList(b, "grid", func(*Call) ([]*goA, error) { return nil, nil })
	b.Query.Null("word")
	Query(b, "u", func(*Call) (any, error) { return nil, nil })
	ResolveField(b.Query, "at", func(*Call, *Root) (time.Time, error) { return time.Time{}, nil })
	b.Query.Null("ghost")
	Query(b, "ghost2", func(*Call) (*goA, error) { return nil, nil })
	_, err = b.Build(Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"A.id:", "A.n:", "A.f:", "A.on:", "A.words:", "A.nope: no such field", "A.kind: constant", "A.b:",
		"B.id: bound twice", "C.id: ", "D is no object type",
		"Query.a: returns *engine.goB", "Query.list: a list where", "Query.grid: lists of lists",
		"Query.word: String! cannot be always null", "U: B and C are both bound", "Query.ghost2:", "Query.missing: no binding",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the check does not report %q", want)
		}
	}
	for _, innocent := range []string{"Query.at", "Query.ghost:", "Query.u:"} {
		if strings.Contains(err.Error(), innocent) {
			t.Errorf("the check complains of %s", innocent)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}
