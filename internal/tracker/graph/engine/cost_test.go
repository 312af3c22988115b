package engine

import (
	"context"
	"encoding/json"
	"testing"
)

// pointRule is a rule of the kind that APIs publish: a tenth for a leaf, one for
// an object, connections times their page size.
func pointRule(f CostField) Cost {
	switch {
	case f.Leaf:
		return Cost{Own: 0.1}
	case f.Name == "nodes" || f.Name == "edges" || f.Name == "pageInfo" || f.OnlyID:
		return Cost{}
	case f.Type == "ReviewConnection":
		return Cost{Own: 1, Times: func(a Args) float64 {
			if n, ok := a.Int("first"); ok {
				return float64(n)
			}
			return 50
		}}
	}
	return Cost{Own: 1}
}

func TestCost(t *testing.T) {
	e := newLibrary(t, Options{Cost: pointRule})
	for _, test := range []struct {
		query, variables string
		want             float64
	}{
		{`{ counter }`, "", 0.1},
		{`{ counter __typename }`, "", 0.1},
		{`{ book(id: "b1") { id title } }`, "", 1.2},
		{`{ book(id: "b1") { author { id } } }`, "", 1.1},
		{`{ book(id: "b1") { reviews(first: 10) { nodes { id stars } } } }`, "", 1 + 1 + 10*0.2},
		{`{ book(id: "b1") { reviews { nodes { id stars } } } }`, "", 1 + 1 + 50*0.2},
		{`query($n: Int) { book(id: "b1") { reviews(first: $n) { nodes { id } edges { node { id stars } } } } }`, `{"n":20}`, 1 + 1 + 20*(0.1+0.2+1)},
		{`query($n: Int) { book(id: "b1") { reviews(first: $n) { nodes { id } } } }`, `{}`, 1 + 1 + 50*0.1},
		{`query($n: Int) { book(id: "b1") { reviews(first: $n) { nodes { book { reviews(first: $n) { nodes { id } } } } } } }`, `{"n":3}`, 1 + 1 + 3*(1+1+3*0.1)},
		{`{ nodes(ids: []) { ... on Book { id title pages } ... on Author { id } } }`, "", 0.3},
		{`{ __schema { types { name fields { name } } } }`, "", 0},
		{`mutation { a: add(n: 1) s: state(n: 1) { counter } }`, "", 0.1 + 1.1},
	} {
		p, r := e.Prepare(Request{Query: test.query, Variables: json.RawMessage(test.variables)})
		if r != nil {
			t.Fatal(r)
		}
		if got := p.Cost(); got < test.want-1e-9 || got > test.want+1e-9 {
			t.Errorf("%s %s: %v points, want %v", test.query, test.variables, got, test.want)
		}
	}
}

// Points counts what was loaded, not what was asked for.
func TestPointsOfWhatWasLoaded(t *testing.T) {
	e := newLibrary(t, Options{Cost: func(f CostField) Cost {
		if f.Leaf {
			return Cost{Own: 1}
		}
		return Cost{Own: 10}
	}})
	for query, want := range map[string]float64{
		`{ book(id: "b1") { reviews { nodes { id } } } }`:             10 + 10 + 3*10 + 3,
		`{ book(id: "b2") { reviews { nodes { id } total } } }`:       10 + 10 + 1,
		`{ book(id: "zz") { reviews { nodes { id } total } title } }`: 10,
		`{ books { title sequel { title } } }`:                        3*10 + 3 + 3*10 + 2,
		`mutation { a: add(n: 1) s: state(n: 1) { counter } }`:        1 + 10 + 1,
	} {
		p, r := e.Prepare(Request{Query: query})
		if r != nil {
			t.Fatal(r)
		}
		if got := p.Execute(context.Background(), &library{}, nil).Points; got != want {
			t.Errorf("%s: %v points, want %v", query, got, want)
		}
	}
}

func TestPreparedTellsWhatItIs(t *testing.T) {
	e := newLibrary(t, Options{})
	p, r := e.Prepare(Request{Query: `query A { counter } mutation B { x: add(n: 1) state(n: 1) { counter } }`, OperationName: "B"})
	if r != nil || !p.Mutates() || p.Name() != "B" || p.Introspects() || len(p.RootFields()) != 2 || p.RootFields()[0] != "add" {
		t.Errorf("%v %v", p.RootFields(), r)
	}
	if p, _ := e.Prepare(Request{Query: `{ __type(name: "Book") { name } }`}); !p.Introspects() || p.Mutates() {
		t.Error("introspection is not seen")
	}
	for query, stage := range map[string]Stage{`{`: Parsing, `{ x }`: Validating, `query A { counter } query B { counter }`: Choosing, `query($x: Int!) { echoInt(v: $x) }`: Coercing} {
		if _, r := e.Prepare(Request{Query: query}); r == nil || r.Stage != stage {
			t.Errorf("%s: %v", query, r)
		}
	}
}
