package engine

// Page is a page of a connection. V is a pointer to the Go type of the nodes.
type Page[V comparable] struct {
	Nodes                        []V
	HasNextPage, HasPreviousPage bool
	Cursor                       func(V) string             // of a node; called only if selected
	Total                        func(*Call) (int64, error) // for payloads with a count; called only if selected
}

// pageInfo and edge are the parts of a Page with types in the schema.
type pageInfo struct {
	next, previous bool
	start, end     *string
}

type edge[V comparable] struct {
	node V
	page *Page[V]
}

func (p *Page[V]) info() *pageInfo {
	i := &pageInfo{next: p.HasNextPage, previous: p.HasPreviousPage}
	if n := len(p.Nodes); n > 0 {
		start, end := p.Cursor(p.Nodes[0]), p.Cursor(p.Nodes[n-1])
		i.start, i.end = &start, &end
	}
	return i
}

func (p *Page[V]) edges() []*edge[V] {
	all := make([]edge[V], len(p.Nodes))
	out := make([]*edge[V], len(p.Nodes))
	for i, n := range p.Nodes {
		all[i] = edge[V]{n, p}
		out[i] = &all[i]
	}
	return out
}

// Connection binds a connection type: nodes, pageInfo, and edges with node and
// cursor if the type has them. Fields of that type return *Page[V]. Further
// fields of the type can be bound on the result.
func Connection[V comparable](b *Builder, name string) *Type[Page[V]] {
	t := Object[Page[V]](b, name)
	Many(t, "nodes", func(p *Page[V]) []V { return notNil(p.Nodes) })
	One(t, "pageInfo", (*Page[V]).info)
	if b.objects["PageInfo"] == nil {
		bindPageInfo(b)
	}
	if f := t.o.def.Fields.ForName("edges"); f != nil {
		e := Object[edge[V]](b, f.Type.Name())
		One(e, "node", func(e *edge[V]) V { return e.node })
		e.Field("cursor", func(e *edge[V]) string { return e.page.Cursor(e.node) })
		Many(t, "edges", (*Page[V]).edges)
	}
	return t
}

func bindPageInfo(b *Builder) {
	t := Object[pageInfo](b, "PageInfo")
	t.Field("hasNextPage", func(i *pageInfo) bool { return i.next })
	t.Field("hasPreviousPage", func(i *pageInfo) bool { return i.previous })
	t.Field("startCursor", func(i *pageInfo) *string { return i.start })
	t.Field("endCursor", func(i *pageInfo) *string { return i.end })
}

func notNil[V any](s []V) []V {
	if s == nil {
		return []V{}
	}
	return s
}
