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
	b.Query.Field("at", func(*Call, *Root) (time.Time, error) { return time.Time{}, nil })
	b.Query.Null("ghost")
	Query(b, "ghost2", func(*Call) (*goA, error) { return nil, nil })
	_, err = b.Build(Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"A.id:", "A.n:", "A.f:", "A.on:", "A.words:", "A.nope: no such field", "A.kind: constant", "A.b:",
		"B.id: bound twice", "C.id: ", "D is no object type",
		"Query.a: gives *engine.goB", "Query.list: a list where", "Query.grid: lists of lists",
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

func TestLikeAndResolve(t *testing.T) {
	b, err := NewBuilder(`
		type Query { all: [Thing!]! }
		union Thing = Full | Brief
		type Full { id: ID!, name: String!, extra: Int! }
		type Brief { id: ID!, name: String! }
	`)
	if err != nil {
		t.Fatal(err)
	}
	type thing struct {
		id   string
		full bool
	}
	full := Object[thing](b, "Full")
	full.Field("id", func(v *thing) string { return v.id })
	full.Field("name", func(v *thing) string { return "full " + v.id })
	full.Const(1, "extra")
	brief := Object[thing](b, "Brief")
	brief.Field("name", func(v *thing) string { return "brief " + v.id })
	brief.Like(full)
	b.Resolve("Thing", func(v any) string {
		if v.(*thing).full {
			return "Full"
		}
		return "Brief"
	})
	QueryList(b, "all", func(*Call) ([]*thing, error) { return []*thing{{"1", true}, {"2", false}}, nil })
	e, err := b.Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, e, `{ all { __typename ... on Full { id name extra } ... on Brief { id name } } }`, "")
	want := `{"data":{"all":[{"__typename":"Full","id":"1","name":"full 1","extra":1},{"__typename":"Brief","id":"2","name":"brief 2"}]}}`
	if string(out.JSON) != want {
		t.Errorf("have %s", out.JSON)
	}
}
