package entity

import (
	"strconv"
	"strings"

	"understudy/internal/platform/store"
)

// Relation describes how the rows of a kind belong to parents.
type Relation struct {
	Join   string // joined to t
	Parent string // expression of the parent's id
	Hint   string // repeats the condition of a partial index
}

// SortKey is a key of Query.Sort. "@" in its texts is the row.
type SortKey struct {
	Expr     string
	Missing  string // condition for rows without a value; "" when all have one
	Zero     string // replaces a missing value
	By       Sort   // ByText, ByNumber or ByFloat
	Tiebreak string // number that orders rows with the same value when Ordering.Tiebreak is set
}

// orderTerm is one term of an order; its values are never NULL.
type orderTerm struct {
	expr string
	desc bool
	by   Sort
}

// plan is a compiled Query.
type plan struct {
	window
	order []orderTerm
	plain string // "created" or "updated" when that is the order
	conds []string
	args  []any
}

func (k *Kind[V, T]) compile(v V, l Query) (q plan, err error) {
	if q.window, err = l.window(); err != nil {
		return q, err
	}
	if q.order, q.plain, err = k.order(v.Scoped().Tx.Dialect(), l); err != nil {
		return q, err
	}
	q.conds, q.args = []string{"t.org = ?"}, []any{v.Scoped().Tenant}
	if !l.IncludeArchived {
		q.conds = append(q.conds, "t.archived = 0")
	}
	if k.Enabled != "" && !l.Disabled {
		q.conds = append(q.conds, k.Enabled)
	}
	if cond, more := k.visible(v); cond != "" {
		q.conds, q.args = append(q.conds, cond), append(q.args, more...)
	}
	for _, part := range []func() (string, []any, error){
		func() (string, []any, error) { return k.Condition(v, l.Filter) },
		func() (string, []any, error) { return l.Cond, l.CondArgs, nil },
	} {
		cond, args, err := part()
		if err != nil {
			return q, err
		}
		if cond != "" {
			q.conds, q.args = append(q.conds, cond), append(q.args, args...)
		}
	}
	for _, edge := range []struct {
		name, cursor string
		before       bool
	}{{"after", q.after, false}, {"before", q.before, true}} {
		if edge.cursor == "" {
			continue
		}
		if err := k.bound(v, &q, edge.name, edge.cursor, edge.before); err != nil {
			return q, err
		}
	}
	return q, nil
}

// Condition returns the condition of a filter on t, with its arguments; "" for a
// filter that every row matches. It returns BadArgument and BadInput for an
// invalid filter.
func (k *Kind[V, T]) Condition(v V, f Filter) (cond string, args []any, err error) {
	if len(f) == 0 {
		return "", nil, nil
	}
	c := &compiler{v: v, s: v.Scoped()}
	cond = c.where(k.Shape, "t", f)
	return cond, c.args, c.err
}

// order returns the terms of an order, and the column when it is "created" or
// "updated" alone.
func (k *Kind[V, T]) order(d *store.Dialect, l Query) (terms []orderTerm, plain string, err error) {
	if len(l.Sort) == 0 {
		plain = "created"
		if l.OrderBy == "updatedAt" {
			plain = "updated"
		}
		return []orderTerm{{"t." + plain, true, ByNumber}, {"t.id", true, ByText}}, plain, nil
	}
	if len(l.Sort) > maxSorts {
		return nil, "", badArgument("sort", "sort must contain no more than %d elements", maxSorts)
	}
	for _, s := range l.Sort {
		key, ok := k.Sorts[s.Key]
		if !ok {
			return nil, "", badInput("%s cannot be sorted by %s.", k.Name, s.Key)
		}
		at := func(text string) string { return strings.ReplaceAll(text, "@", "t") }
		expr := at(key.Expr)
		if key.Missing != "" {
			terms = append(terms, orderTerm{"CASE WHEN " + at(key.Missing) + " THEN 1 ELSE 0 END", s.NullsFirst, ByNumber})
			expr = "COALESCE(" + expr + ", " + key.Zero + ")"
		}
		if key.By == ByText {
			expr = d.Lower(expr)                          // as people sort names
			expr = d.Pick(expr, "("+expr+`) COLLATE "C"`) // by code point, as SQLite orders
		}
		terms = append(terms, orderTerm{expr, s.Descending, key.By})
		if s.Tiebreak && key.Tiebreak != "" {
			terms = append(terms, orderTerm{at(key.Tiebreak), false, ByFloat})
		}
	}
	return append(terms, orderTerm{"t.id", true, ByText}), "", nil
}

// bound adds the condition that rows come after a cursor, or before it.
func (k *Kind[V, T]) bound(v V, q *plan, field, text string, before bool) error {
	at, id, err := DecodeCursor(field, text)
	if err != nil {
		return err
	}
	values := []any{}
	if q.plain != "" && strings.HasPrefix(at, q.plain[:1]) {
		n, err := strconv.ParseInt(at[1:], 36, 64)
		if err != nil {
			return badArgument(field, "%s is not a cursor of this server.", field)
		}
		values = append(values, n, id)
	} else if values, err = k.position(v, q.order, id); err != nil {
		return err
	} else if values == nil {
		return badArgument(field, "%s is not a cursor of this server.", field)
	}
	if q.plain != "" { // a single direction, so that row values can use the index
		q.conds = append(q.conds, "(t."+q.plain+", t.id)"+pick(before, " > ", " < ")+"(?, ?)")
		q.args = append(q.args, values...)
		return nil
	}
	var alternatives []string
	for i, o := range q.order {
		var parts []string
		for j, equal := range q.order[:i] {
			parts = append(parts, equal.expr+" = ?")
			q.args = append(q.args, values[j])
		}
		parts = append(parts, o.expr+pick(o.desc != before, " < ", " > ")+"?")
		q.args = append(q.args, values[i])
		alternatives = append(alternatives, "("+strings.Join(parts, " AND ")+")")
	}
	q.conds = append(q.conds, "("+strings.Join(alternatives, " OR ")+")")
	return nil
}

// position returns the values of an order for one row, or nil when the row does
// not exist any more.
func (k *Kind[V, T]) position(v V, order []orderTerm, id string) ([]any, error) {
	exprs := make([]string, len(order))
	dest := make([]any, len(order))
	for i, o := range order {
		exprs[i] = o.expr
		switch o.by {
		case ByNumber:
			dest[i] = new(int64)
		case ByFloat:
			dest[i] = new(float64)
		default:
			dest[i] = new(string)
		}
	}
	found, err := v.Scoped().Tx.Get("SELECT "+strings.Join(exprs, ", ")+" FROM "+k.Table+" t WHERE t.org = ? AND t.id = ?", []any{v.Scoped().Tenant, id}, dest...)
	if err != nil || !found {
		return nil, err
	}
	values := make([]any, len(order))
	for i := range dest {
		values[i] = value(dest[i])
	}
	return values, nil
}

func (q *plan) orderBy() string {
	parts := make([]string, len(q.order))
	for i, o := range q.order {
		parts[i] = o.expr + pick(o.desc != q.backward, " DESC", " ASC")
	}
	return strings.Join(parts, ", ")
}

// page returns a page of rows. One row more than fits indicates a further page.
func (k *Kind[V, T]) page(q *plan, rows []*T) *Page[T] {
	more := len(rows) > q.size
	if more {
		rows = rows[:q.size]
	}
	p := &Page[T]{Nodes: rows, order: q.plain, base: k.base, HasNext: more, HasPrevious: q.after != ""}
	if q.backward {
		for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
			rows[i], rows[j] = rows[j], rows[i]
		}
		p.HasPrevious, p.HasNext = more, q.before != ""
	}
	return p
}

// List returns a page of the rows of the kind that the caller may see. It returns
// BadArgument for a page size or a cursor, and BadInput for an impossible filter
// or order.
func (k *Kind[V, T]) List(v V, l Query) (*Page[T], error) {
	return k.listOn(v, l, Relation{}, "")
}

func (k *Kind[V, T]) listOn(v V, l Query, r Relation, parent string) (*Page[T], error) {
	q, err := k.compile(v, l)
	if err != nil {
		return nil, err
	}
	if parent != "" {
		q.conds, q.args = append(q.conds, r.Parent+" = ?"+r.Hint), append(q.args, parent)
	}
	rows, _, err := k.rows(v.Scoped(), listed{from: "FROM " + k.Table + " t" + r.Join + " WHERE " + strings.Join(q.conds, " AND ") +
		" ORDER BY " + q.orderBy() + " LIMIT " + strconv.Itoa(q.size+1), args: q.args, most: q.size + 1, remember: l.Cond == "", whole: q.plain != ""})
	if err != nil {
		return nil, err
	}
	p := k.page(&q, rows)
	return p, k.complete(v, p.Nodes)
}

// Of returns, for each parent, the page of the rows that belong to it by the
// named relation. It runs one statement for all parents, and returns the refusals
// of List.
func (k *Kind[V, T]) Of(v V, name string, parents []string, l Query) (map[string]*Page[T], error) {
	r, ok := k.Relations[name]
	if !ok {
		panic("entity: " + k.Name + " has no relation " + name)
	}
	out := make(map[string]*Page[T], len(parents))
	if len(parents) == 1 {
		p, err := k.listOn(v, l, r, parents[0])
		out[parents[0]] = p
		return out, err
	}
	q, err := k.compile(v, l)
	if err != nil {
		return nil, err
	}
	ids := Padded(parents)
	q.conds, q.args = append(q.conds, r.Parent+" IN "+store.In(len(ids))+r.Hint), append(q.args, ids...)
	order := q.orderBy()
	inner := "t.*"
	if k.cache(v.Scoped()) != nil {
		inner = "t.id, t.version"
	}
	from := "FROM (SELECT " + inner + ", " + r.Parent + " AS parent_key, ROW_NUMBER() OVER (PARTITION BY " +
		r.Parent + " ORDER BY " + order + ") AS place FROM " + k.Table + " t" + r.Join + " WHERE " + strings.Join(q.conds, " AND ") +
		") t WHERE t.place <= " + strconv.Itoa(q.size+1) + " ORDER BY t.parent_key, t.place"
	found, keys, err := k.rows(v.Scoped(), listed{from: from, args: q.args, most: len(parents) * (q.size + 1), parented: true, remember: l.Cond == ""})
	if err != nil {
		return nil, err
	}
	rows := map[string][]*T{}
	for i, t := range found {
		rows[keys[i]] = append(rows[keys[i]], t)
	}
	var every []*T
	for _, parent := range parents {
		p := k.page(&q, rows[parent])
		out[parent] = p
		every = append(every, p.Nodes...)
	}
	return out, k.complete(v, every)
}

// Count returns the number of rows on all pages of a query.
func (k *Kind[V, T]) Count(v V, l Query) (n int64, err error) {
	l.After, l.Before = "", ""
	q, err := k.compile(v, l)
	if err != nil {
		return 0, err
	}
	_, err = v.Scoped().Tx.Get("SELECT COUNT(*) FROM "+k.Table+" t WHERE "+strings.Join(q.conds, " AND "), q.args, &n)
	return n, err
}
