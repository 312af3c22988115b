package engine

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// The library of testdata/conformance, bound in Go; test/graphql/judge.mjs
// serves the same one with graphql-js.

type author struct {
	ID, Name      string
	Born          *int
	Rival, Mentor string
}

type book struct {
	ID, Title, Genre      string
	Pages                 int
	Price                 *float64
	InPrint               bool
	Tags                  []string
	Extra                 json.RawMessage
	Published             *time.Time
	Author, Sequel        string
	Reviews, Related      []string
	Gaps, Strict          []*string
	hasRelated, hasStrict bool
}

type magazine struct {
	ID, Name  string
	Issue     int
	Publisher *string
}

type review struct {
	ID    string
	Stars int
	Text  *string
	Book  string
}

type libraryData struct {
	Authors   []*author
	Books     []*book
	Magazines []*magazine
	Reviews   []*review
	byID      map[string]any
}

// library is a Go type for State: what a request works on.
type library struct {
	counter int
	mu      sync.Mutex
	loads   map[string][][]string // by loader, the keys of each call
}

func (l *library) note(loader string, keys []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loads == nil {
		l.loads = map[string][][]string{}
	}
	l.loads[loader] = append(l.loads[loader], slices.Clone(keys))
}

func loadLibrary(t testing.TB) (sdl string, d *libraryData) {
	t.Helper()
	raw, err := os.ReadFile("testdata/conformance/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile("testdata/conformance/data.json")
	if err != nil {
		t.Fatal(err)
	}
	d = &libraryData{byID: map[string]any{}}
	if err := json.Unmarshal(rows, d); err != nil {
		t.Fatal(err)
	}
	for _, a := range d.Authors {
		d.byID[a.ID] = a
	}
	for _, b := range d.Books {
		b.hasRelated, b.hasStrict = b.Related != nil, b.Strict != nil
		if string(b.Extra) == "null" {
			b.Extra = nil
		}
		d.byID[b.ID] = b
	}
	for _, m := range d.Magazines {
		d.byID[m.ID] = m
	}
	for _, r := range d.Reviews {
		d.byID[r.ID] = r
	}
	return string(raw), d
}

func find[V any](d *libraryData, id string) *V {
	v, _ := d.byID[id].(*V)
	return v
}

func loaderOf[V any](d *libraryData, name string) func(*Call, []string) (map[string]*V, error) {
	return func(c *Call, ids []string) (map[string]*V, error) {
		State[*library](c).note(name, ids)
		out := map[string]*V{}
		for _, id := range ids {
			if v := find[V](d, id); v != nil {
				out[id] = v
			}
		}
		return out, nil
	}
}

func boom(where string) error { return errors.New("boom in " + where) }

var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func newLibrary(t testing.TB, o Options) *Engine {
	t.Helper()
	sdl, d := loadLibrary(t)
	b, err := NewBuilder(sdl)
	if err != nil {
		t.Fatal(err)
	}
	bindLibrary(b, d)
	e, err := b.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func bindLibrary(b *Builder, d *libraryData) {
	b.Scalar("Instant", Scalar{Parse: func(v any) (any, error) {
		s, ok := v.(string)
		if !ok || !instantForm.MatchString(s) {
			return nil, errors.New("not an instant")
		}
		return time.Parse(time.RFC3339, s)
	}})
	bindAuthor(b, d)
	bindBook(b, d)
	bindSmall(b, d)
	bindRoots(b, d)
}

func bindAuthor(b *Builder, d *libraryData) {
	authors := &Loader[string, author]{Load: loaderOf[author](d, "authors")}
	t := Object[author](b, "Author")
	t.Field("id", func(a *author) string { return a.ID })
	t.Field("name", func(a *author) string { return a.Name })
	t.Field("born", func(a *author) *int { return a.Born })
	t.Const("goose", "pen")
	Ref(t, "rival", authors, func(a *author) string { return a.Rival })
	Ref(t, "mentor", authors, func(a *author) string { return a.Mentor })
	LinkList(t, "books", func(c *Call, parents []*author) ([][]*book, error) {
		out := make([][]*book, len(parents))
		for i, a := range parents {
			first, limited := c.Args.Int("first")
			for _, bk := range d.Books {
				genre := c.Args.String("genre")
				if bk.Author == a.ID && (genre == "" || bk.Genre == genre) && (!limited || len(out[i]) < first) {
					out[i] = append(out[i], bk)
				}
			}
		}
		return out, nil
	})
}

func bindBook(b *Builder, d *libraryData) {
	authors := &Loader[string, author]{
		Load: loaderOf[author](d, "book authors"),
		Peek: func(c *Call, ids []string) (map[string]*author, error) {
			State[*library](c).note("peek", ids)
			out := map[string]*author{}
			for _, id := range ids {
				out[id] = &author{ID: id}
			}
			return out, nil
		},
	}
	t := Object[book](b, "Book")
	t.Field("id", func(b *book) string { return b.ID })
	t.Field("title", func(b *book) string { return b.Title })
	t.Field("genre", func(b *book) *string { return text(b.Genre) })
	t.Field("pages", func(b *book) int { return b.Pages })
	t.Field("price", func(b *book) *float64 { return b.Price })
	t.Field("inPrint", func(b *book) bool { return b.InPrint })
	t.Field("tags", func(b *book) []string { return b.Tags })
	t.Field("extra", func(b *book) json.RawMessage { return b.Extra })
	t.Field("published", func(b *book) *time.Time { return b.Published })
	Ref(t, "author", authors, func(b *book) string { return b.Author })
	Link(t, "sequel", func(_ *Call, parents []*book) ([]*book, error) {
		out := make([]*book, len(parents))
		for i, p := range parents {
			out[i] = find[book](d, p.Sequel)
		}
		return out, nil
	})
	Link(t, "reviews", func(c *Call, parents []*book) ([]*Page[*review], error) {
		out := make([]*Page[*review], len(parents))
		for i, p := range parents {
			out[i] = reviewPage(c, d, p)
		}
		return out, nil
	})
	ResolveField(t, "broken", func(*Call, *book) (string, error) { return "", boom("broken") })
	ResolveField(t, "brokenHard", func(*Call, *book) (string, error) { return "", boom("brokenHard") })
	t.Field("nothing", func(*book) *string { return nil })
	One(t, "hollow", func(*book) *review { return nil })
	t.Field("wrongGenre", func(*book) string { return "COOKERY" })
	t.Field("hugeInt", func(*book) int { return 3_000_000_000 })
	Many(t, "related", func(b *book) []any {
		if !b.hasRelated {
			return nil
		}
		out := []any{}
		for _, id := range b.Related {
			out = append(out, d.byID[id])
		}
		return out
	})
	maybe := func(ids []*string) []*book {
		out := []*book{}
		for _, id := range ids {
			if id == nil {
				out = append(out, nil)
			} else {
				out = append(out, find[book](d, *id))
			}
		}
		return out
	}
	Many(t, "gaps", func(b *book) []*book { return maybe(b.Gaps) })
	Many(t, "strict", func(b *book) []*book {
		if !b.hasStrict {
			return nil
		}
		return maybe(b.Strict)
	})
	LinkList(t, "failing", func(_ *Call, parents []*book) ([][]*book, error) { return nil, boom("failing") })
}

func reviewPage(c *Call, d *libraryData, p *book) *Page[*review] {
	start, end := 0, len(p.Reviews)
	if after := c.Args.String("after"); after != "" {
		start = slices.Index(p.Reviews, after) + 1
	}
	if first, ok := c.Args.Int("first"); ok {
		end = min(end, start+first)
	}
	page := &Page[*review]{
		HasNextPage: end < len(p.Reviews), HasPreviousPage: start > 0,
		Total: func(*Call) (int64, error) { return int64(len(p.Reviews)), nil }, Cursor: func(r *review) string { return r.ID },
	}
	for _, id := range p.Reviews[start:end] {
		page.Nodes = append(page.Nodes, find[review](d, id))
	}
	return page
}

func bindSmall(b *Builder, d *libraryData) {
	m := Object[magazine](b, "Magazine")
	m.Field("id", func(m *magazine) string { return m.ID })
	m.Field("name", func(m *magazine) string { return m.Name })
	m.Field("issue", func(m *magazine) int { return m.Issue })
	m.Field("publisher", func(m *magazine) *string { return m.Publisher })
	r := Object[review](b, "Review")
	r.Field("id", func(r *review) string { return r.ID })
	r.Field("stars", func(r *review) int { return r.Stars })
	r.Field("text", func(r *review) *string { return r.Text })
	Link(r, "book", func(_ *Call, parents []*review) ([]*book, error) {
		out := make([]*book, len(parents))
		for i, p := range parents {
			out[i] = find[book](d, p.Book)
		}
		return out, nil
	})
	c := Connection[*review](b, "ReviewConnection")
	ResolveField(c, "total", func(c *Call, p *Page[*review]) (int64, error) { return p.Total(c) })
}

func bindRoots(b *Builder, d *libraryData) {
	Query(b, "author", func(c *Call) (*author, error) { return find[author](d, c.Args.String("id")), nil })
	QueryList(b, "authors", func(*Call) ([]*author, error) { return d.Authors, nil })
	Query(b, "book", func(c *Call) (*book, error) { return find[book](d, c.Args.String("id")), nil })
	Query(b, "needBook", func(c *Call) (*book, error) {
		id := c.Args.String("id")
		if bk := find[book](d, id); bk != nil {
			return bk, nil
		}
		return nil, &Error{Message: "no such book", Extensions: map[string]any{"code": "MISSING", "id": id}}
	})
	QueryList(b, "books", func(c *Call) ([]*book, error) {
		out := slices.Clone(d.Books)
		if c.Args.String("order") == "DESC" {
			slices.Reverse(out)
		}
		return out, nil
	})
	Query(b, "node", func(c *Call) (any, error) { return d.byID[c.Args.String("id")], nil })
	QueryList(b, "nodes", func(c *Call) ([]any, error) {
		var out []any
		for _, id := range c.Args.Strings("ids") {
			out = append(out, d.byID[id])
		}
		return out, nil
	})
	QueryList(b, "named", func(*Call) ([]any, error) { return append(anys(d.Authors), anys(d.Magazines)...), nil })
	QueryList(b, "items", func(*Call) ([]any, error) { return append(anys(d.Books), anys(d.Magazines)...), nil })
	Query(b, "oddItem", func(*Call) (any, error) { return d.Reviews[0], nil })
	b.Query.Null("nobody", "noList")
	ResolveField(b.Query, "counter", func(c *Call, _ *Root) (int, error) { return State[*library](c).counter, nil })
	ResolveField(b.Query, "fail", func(*Call, *Root) (string, error) { return "", boom("fail") })
	ResolveField(b.Query, "failHard", func(*Call, *Root) (string, error) { return "", boom("failHard") })
	for _, name := range []string{"Int", "Float", "String", "Bool", "ID", "Genre", "Instant", "Anything", "Ints", "Grid", "Deep", "Filter", "Many", "Need"} {
		ResolveField(b.Query, "echo"+name, func(c *Call, _ *Root) (string, error) {
			raw, err := json.Marshal(canonical(c.Args))
			return string(raw), err
		})
	}
	ResolveField(b.Mutation, "add", func(c *Call, _ *Root) (int, error) { return addTo(c), nil })
	ResolveField(b.Mutation, "addOrFail", addOrFail)
	ResolveField(b.Mutation, "addOrFailHard", addOrFail)
	Mutation(b, "state", func(c *Call) (*library, error) { addTo(c); return State[*library](c), nil })
	s := Object[library](b, "State")
	s.Field("counter", func(l *library) int { return l.counter })
	One(s, "self", func(l *library) *library { return l })
}

func addTo(c *Call) int {
	n, _ := c.Args.Int("n")
	l := State[*library](c)
	l.counter += n
	return l.counter
}

func addOrFail(c *Call, _ *Root) (int, error) {
	sum := addTo(c)
	if n, _ := c.Args.Int("n"); n < 0 {
		return 0, boom("addOrFail")
	}
	return sum, nil
}

func anys[V any](list []V) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// canonical turns Args into maps, whose keys encoding/json sorts.
func canonical(v any) any {
	switch x := v.(type) {
	case Args:
		m := map[string]any{}
		for k, v := range x.All() {
			m[k] = canonical(v)
		}
		return m
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = canonical(x[i])
		}
		return out
	case time.Time:
		return x.UTC().Format("2006-01-02T15:04:05.000Z")
	case float64:
		return json.RawMessage(appendFloat(nil, x))
	}
	return v
}
