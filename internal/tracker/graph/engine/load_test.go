package engine

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func loads(t *testing.T, query string) map[string][][]string {
	t.Helper()
	e := newLibrary(t, Options{})
	l := &library{}
	if out := e.Execute(context.Background(), Request{Query: query}, l); len(out.Errors) > 0 {
		t.Fatalf("%s", out.JSON)
	}
	return l.loads
}

// Each level asks a Loader once, for each key once, whatever fields ask.
func TestFieldsOfALevelShareALoad(t *testing.T) {
	got := loads(t, `{ authors { rival { id name } r2: rival { mentor { name } } } }`)
	want := map[string][][]string{"authors": {{"a2", "a1"}, {"a3"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

// A key that was loaded on one level is not asked for on the next.
func TestKeysAreLoadedOnce(t *testing.T) {
	got := loads(t, `{ author(id: "a1") { rival { rival { rival { rival { id } } } } } }`)
	want := map[string][][]string{"authors": {{"a2"}, {"a1"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

// Links that select only the id are peeked at; the others on the same level are loaded.
func TestPeek(t *testing.T) {
	got := loads(t, `{ books { author { __typename id } } }`)
	if want := (map[string][][]string{"peek": {{"a1", "a2"}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
	got = loads(t, `{ books { author { id } whole: author { id name } } }`)
	if want := (map[string][][]string{"peek": {{"a1", "a2"}}, "book authors": {{"a1", "a2"}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

// shop is a small schema for what the library does not show.
const shop = `
type Query { items: [Item!]!, one: Item, text: String!, sum(a: Int, b: Int): Int }
type Mutation { touch: Item }
type Item { id: ID!, owner: Owner, kin: [Item!]!, kind: Kind!, lazy: Owner }
type Owner { id: ID!, name: String }
enum Kind { A B }
`

type item struct{ id, owner string }

type owner struct{ id, name string }

type shopHooks struct {
	owners  func(c *Call, keys []string) (map[string]*owner, error)
	peek    func(c *Call, keys []string) (map[string]*owner, error)
	kin     func(c *Call, parents []*item) ([][]*item, error)
	text    func(c *Call, _ *Root) (string, error)
	options Options
}

func newShop(t testing.TB, h shopHooks) *Engine {
	t.Helper()
	b, err := NewBuilder(shop)
	if err != nil {
		t.Fatal(err)
	}
	if h.owners == nil {
		h.owners = func(_ *Call, keys []string) (map[string]*owner, error) {
			out := map[string]*owner{}
			for _, k := range keys {
				out[k] = &owner{k, "name of " + k}
			}
			return out, nil
		}
	}
	if h.kin == nil {
		h.kin = func(_ *Call, parents []*item) ([][]*item, error) { return make([][]*item, len(parents)), nil }
	}
	if h.text == nil {
		h.text = func(*Call, *Root) (string, error) { return "text", nil }
	}
	owners := &Loader[string, owner]{Load: h.owners, Peek: h.peek}
	it := Object[item](b, "Item")
	it.Field("id", func(i *item) string { return i.id })
	it.Const("A", "kind")
	Ref(it, "owner", owners, func(i *item) string { return i.owner })
	Ref(it, "lazy", owners, func(i *item) string { return i.owner })
	LinkList(it, "kin", h.kin)
	o := Object[owner](b, "Owner")
	o.Field("id", func(o *owner) string { return o.id })
	o.Field("name", func(o *owner) string { return o.name })
	stock := []*item{{"1", "x"}, {"2", "y"}, {"3", ""}, {"4", "x"}}
	QueryList(b, "items", func(*Call) ([]*item, error) { return stock, nil })
	Query(b, "one", func(*Call) (*item, error) { return stock[0], nil })
	ResolveField(b.Query, "text", h.text)
	ResolveField(b.Query, "sum", func(c *Call, _ *Root) (int, error) {
		a, _ := c.Args.Int("a")
		b, _ := c.Args.Int("b")
		return a + b, nil
	})
	Mutation(b, "touch", func(*Call) (*item, error) { return stock[0], nil })
	e, err := b.Build(h.options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Peek follows the rule of Load: a link that it does not return is null.
func TestPeekHidesWhatTheCallerMayNotSee(t *testing.T) {
	e := newShop(t, shopHooks{peek: func(_ *Call, keys []string) (map[string]*owner, error) {
		return map[string]*owner{"y": {id: "y"}}, nil
	}})
	out := e.Execute(context.Background(), Request{Query: `{ items { owner { id } } }`}, nil)
	want := `{"data":{"items":[{"owner":null},{"owner":{"id":"y"}},{"owner":null},{"owner":null}]}}`
	if string(out.JSON) != want {
		t.Errorf("have %s", out.JSON)
	}
}

// Every field of a mutation loads anew: the one before may have changed what a key stands for.
func TestMutationsDoNotShareLoads(t *testing.T) {
	n := 0
	e := newShop(t, shopHooks{owners: func(_ *Call, keys []string) (map[string]*owner, error) {
		n++
		return map[string]*owner{}, nil
	}})
	e.Execute(context.Background(), Request{Query: `mutation { a: touch { owner { name } } b: touch { owner { name } } }`}, nil)
	if n != 2 {
		t.Errorf("%d loads", n)
	}
}

func TestFailingBatches(t *testing.T) {
	failing := func(*Call, []string) (map[string]*owner, error) { return nil, errors.New("no owners") }
	panicking := func(*Call, []string) (map[string]*owner, error) { panic("no owners") }
	short := func(_ *Call, parents []*item) ([][]*item, error) { return nil, nil }
	some := func(_ *Call, parents []*item) ([][]*item, error) {
		return make([][]*item, len(parents)), Errors{2: errors.New("no kin")}
	}
	for _, test := range []struct {
		hooks shopHooks
		query string
		want  string
	}{
		{shopHooks{owners: failing}, `{ items { owner { name } } }`,
			`{"data":{"items":[{"owner":null},{"owner":null},{"owner":null},{"owner":null}]}`},
		{shopHooks{owners: panicking}, `{ one { owner { name } lazy { id } id } }`, `{"data":{"one":{"owner":null,"lazy":null,"id":"1"}}`},
		{shopHooks{kin: short}, `{ one { kin { id } } text }`, `{"data":{"one":null,"text":"text"}`},
		{shopHooks{kin: some}, `{ items { kin { id } } text }`, `{"data":null`},
		{shopHooks{kin: func(*Call, []*item) ([][]*item, error) { panic("kin") }}, `{ one { kin { id } } }`, `{"data":{"one":null}`},
		{shopHooks{text: func(*Call, *Root) (string, error) { panic("text") }}, `{ one { id } text }`, `{"data":null`},
	} {
		out := newShop(t, test.hooks).Execute(context.Background(), Request{Query: test.query}, nil)
		if !strings.HasPrefix(string(out.JSON), test.want) || len(out.Errors) == 0 || !json.Valid(out.JSON) {
			t.Errorf("%s: have %s", test.query, out.JSON)
		}
		for _, e := range out.Errors {
			if strings.Contains(e.Message, "panic") {
				t.Errorf("%s: the message shows the panic: %s", test.query, e.Message)
			}
		}
	}
}

func TestPresenterWritesTheErrors(t *testing.T) {
	cause := errors.New("secret")
	e := newShop(t, shopHooks{
		text: func(*Call, *Root) (string, error) { return "", cause },
		options: Options{Present: func(_ context.Context, e *Error) {
			if errors.Is(e.Cause, cause) {
				e.Message, e.Extensions = "hidden", map[string]any{"code": "X"}
			}
		}},
	})
	out := e.Execute(context.Background(), Request{Query: `{ text }`}, nil)
	want := `{"data":null,"errors":[{"message":"hidden","locations":[{"line":1,"column":3}],"path":["text"],"extensions":{"code":"X"}}]}`
	if string(out.JSON) != want {
		t.Errorf("have %s", out.JSON)
	}
}

// A cancelled request stops loading.
func TestCancelledRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	e := newShop(t, shopHooks{owners: func(_ *Call, keys []string) (map[string]*owner, error) {
		n++
		return nil, nil
	}})
	cancel()
	out := e.Execute(ctx, Request{Query: `{ one { id } }`}, nil)
	if n != 0 || len(out.Errors) != 1 || !errors.Is(out.Errors[0], context.Canceled) {
		t.Errorf("%d loads, %s", n, out.JSON)
	}
}

// Call.Selects sees through fragments and aliases.
func TestSelects(t *testing.T) {
	var got []bool
	e := newShop(t, shopHooks{kin: func(c *Call, parents []*item) ([][]*item, error) {
		got = append(got, c.Selects("owner"), c.Selects("owner", "name"), c.Selects("lazy"))
		return make([][]*item, len(parents)), nil
	}})
	e.Execute(context.Background(), Request{Query: `{ one { kin { o: owner { ...O } } } } fragment O on Owner { name }`}, nil)
	if !reflect.DeepEqual(got, []bool{true, true, false}) {
		t.Error(got)
	}
}

// Requests of one engine run side by side; the race detector watches.
func TestConcurrentRequests(t *testing.T) {
	e := newLibrary(t, Options{Cost: pointRule, CacheBytes: 100_000})
	cases := conformanceCases(t)
	want := map[string]string{}
	for _, c := range cases {
		want[c.Name] = string(e.Execute(context.Background(), Request{Query: c.Query, Variables: c.Variables, OperationName: c.Operation}, &library{}).JSON)
	}
	done := make(chan string)
	for range 4 {
		go func() {
			for _, c := range cases {
				got := e.Execute(context.Background(), Request{Query: c.Query, Variables: c.Variables, OperationName: c.Operation}, &library{})
				if string(got.JSON) != want[c.Name] {
					done <- c.Name
					return
				}
			}
			done <- ""
		}()
	}
	for range 4 {
		if name := <-done; name != "" {
			t.Errorf("%s: differs when run beside others", name)
		}
	}
}
