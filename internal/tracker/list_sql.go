package tracker

import (
	"strconv"
	"strings"

	"understudy/internal/platform/store"
)

// relation says how the rows of a kind hang on parents: what is joined, and the
// expression that gives the parent's id.
type relation struct {
	join   string
	parent string
	hint   string // repeats what a partial index is limited to
}

// sortKey is a key of the sort argument: the value, and when it is missing.
type sortKey struct {
	expr    string // of @
	missing string // condition on @, "" when it is always there
	zero    string // stands in for a missing value
	is      sortOf // aText, aNumber or aFloat
}

// orderTerm is one term of an order; its values are never NULL.
type orderTerm struct {
	expr string
	desc bool
	is   sortOf
}

// query is a compiled List.
type query struct {
	window
	order []orderTerm
	plain string // "created" or "updated" when that is the order
	conds []string
	args  []any
}

func (k *Kind[T]) compile(v *View, l List) (q query, err error) {
	if q.window, err = l.window(); err != nil {
		return q, err
	}
	if q.order, q.plain, err = k.order(l); err != nil {
		return q, err
	}
	q.conds, q.args = []string{"t.org = ?"}, []any{v.org}
	if !l.IncludeArchived {
		q.conds = append(q.conds, "t.archived = 0")
	}
	if k.Name == "User" && !l.Disabled {
		q.conds = append(q.conds, "t.active")
	}
	if cond, more := k.visible(v); cond != "" {
		q.conds, q.args = append(q.conds, cond), append(q.args, more...)
	}
	if len(l.Filter) > 0 {
		c := &compiler{v: v}
		cond := c.where(k.shape, "t", l.Filter)
		if c.err != nil {
			return q, c.err
		}
		if cond != "" {
			q.conds, q.args = append(q.conds, cond), append(q.args, c.args...)
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

func (k *Kind[T]) order(l List) (terms []orderTerm, plain string, err error) {
	if len(l.Sort) == 0 {
		plain = "created"
		if l.OrderBy == "updatedAt" {
			plain = "updated"
		}
		return []orderTerm{{"t." + plain, true, aNumber}, {"t.id", true, aText}}, plain, nil
	}
	if len(l.Sort) > maxSorts {
		return nil, "", badArgument("sort", "sort must contain no more than %d elements", maxSorts)
	}
	for _, s := range l.Sort {
		key, ok := k.sorts[s.Key]
		if !ok {
			return nil, "", badInput("%s cannot be sorted by %s.", k.Name, s.Key)
		}
		at := func(text string) string { return strings.ReplaceAll(text, "@", "t") }
		expr, first := at(key.expr), s.NullsFirst
		if s.Key == "priority" {
			first = s.NoPriorityFirst
		}
		if key.missing != "" {
			terms = append(terms, orderTerm{"CASE WHEN " + at(key.missing) + " THEN 1 ELSE 0 END", first, aNumber})
			expr = "COALESCE(" + expr + ", " + key.zero + ")"
		}
		terms = append(terms, orderTerm{expr, s.Descending, key.is})
		if s.PriorityTiebreak {
			terms = append(terms, orderTerm{"t.priority_sort_order", false, aFloat})
		}
	}
	return append(terms, orderTerm{"t.id", true, aText}), "", nil
}

// bound adds the condition that rows come after, or before, a cursor.
func (k *Kind[T]) bound(v *View, q *query, field, text string, before bool) error {
	at, id, err := cursor(field, text)
	if err != nil {
		return err
	}
	values := []any{}
	if q.plain != "" && strings.HasPrefix(at, q.plain[:1]) {
		n, err := strconv.ParseInt(at[1:], 36, 64)
		if err != nil {
			return badArgument(field, "%s is not a cursor that this server gave.", field)
		}
		values = append(values, n, id)
	} else if values, err = k.position(v, q.order, id); err != nil {
		return err
	} else if values == nil {
		return badArgument(field, "%s is not a cursor that this server gave.", field)
	}
	if q.plain != "" { // one direction: row values use the index
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

// position gives the values of an order for one row; nil when it is gone.
func (k *Kind[T]) position(v *View, order []orderTerm, id string) ([]any, error) {
	exprs := make([]string, len(order))
	dest := make([]any, len(order))
	for i, o := range order {
		exprs[i] = o.expr
		switch o.is {
		case aNumber:
			dest[i] = new(int64)
		case aFloat:
			dest[i] = new(float64)
		default:
			dest[i] = new(string)
		}
	}
	found, err := v.tx.Get("SELECT "+strings.Join(exprs, ", ")+" FROM "+k.table+" t WHERE t.org = ? AND t.id = ?", []any{v.org, id}, dest...)
	if err != nil || !found {
		return nil, err
	}
	values := make([]any, len(order))
	for i := range dest {
		values[i] = value(dest[i])
	}
	return values, nil
}

func (q *query) orderBy() string {
	parts := make([]string, len(q.order))
	for i, o := range q.order {
		parts[i] = o.expr + pick(o.desc != q.backward, " DESC", " ASC")
	}
	return strings.Join(parts, ", ")
}

// page puts rows, of which one too many may have been read, into a page.
func (k *Kind[T]) page(q *query, rows []*T) *Page[T] {
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

// List gives a page of all entities of the kind that the viewer may see. It
// returns BadArgument for a page size or cursor, BadInput for a filter or sort
// that cannot be.
func (k *Kind[T]) List(v *View, l List) (*Page[T], error) {
	return k.listOn(v, l, relation{}, "")
}

func (k *Kind[T]) listOn(v *View, l List, r relation, parent string) (*Page[T], error) {
	q, err := k.compile(v, l)
	if err != nil {
		return nil, err
	}
	if parent != "" {
		q.conds, q.args = append(q.conds, r.parent+" = ?"+r.hint), append(q.args, parent)
	}
	rows, _, err := k.rows(v, "FROM "+k.table+" t"+r.join+" WHERE "+strings.Join(q.conds, " AND ")+
		" ORDER BY "+q.orderBy()+" LIMIT "+strconv.Itoa(q.size+1), q.args, false)
	if err != nil {
		return nil, err
	}
	p := k.page(&q, rows)
	if k.complete != nil && len(p.Nodes) > 0 {
		err = k.complete(v, p.Nodes)
	}
	return p, err
}

// Of gives, for each parent, the page of the entities that hang on it by the
// named relation: one statement for all of them.
func (k *Kind[T]) Of(v *View, name string, parents []string, l List) (map[string]*Page[T], error) {
	r, ok := k.of[name]
	if !ok {
		panic("tracker: " + k.Name + " has no relation " + name)
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
	ids := padded(parents)
	q.conds, q.args = append(q.conds, r.parent+" IN "+store.In(len(ids))+r.hint), append(q.args, ids...)
	order := q.orderBy()
	inner := "t.*"
	if k.cache(v) != nil {
		inner = "t.id, t.version"
	}
	from := "FROM (SELECT " + inner + ", " + r.parent + " AS parent_key, ROW_NUMBER() OVER (PARTITION BY " +
		r.parent + " ORDER BY " + order + ") AS place FROM " + k.table + " t" + r.join + " WHERE " + strings.Join(q.conds, " AND ") +
		") t WHERE t.place <= " + strconv.Itoa(q.size+1) + " ORDER BY t.parent_key, t.place"
	found, keys, err := k.rows(v, from, q.args, true)
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
	if k.complete != nil && len(every) > 0 {
		err = k.complete(v, every)
	}
	return out, err
}

// Count tells how many entities a filter holds for.
func (k *Kind[T]) Count(v *View, l List) (n int64, err error) {
	l.After, l.Before = "", ""
	q, err := k.compile(v, l)
	if err != nil {
		return 0, err
	}
	_, err = v.tx.Get("SELECT COUNT(*) FROM "+k.table+" t WHERE "+strings.Join(q.conds, " AND "), q.args, &n)
	return n, err
}

// ByID gives the entities with these ids that the viewer may see.
func (k *Kind[T]) ByID(v *View, ids []string) (map[string]*T, error) { return k.byID(v, ids) }

// Get gives one entity by its id. It returns NotFound.
func (k *Kind[T]) Get(v *View, id string) (*T, error) {
	if !IsUUID(id) {
		return nil, notFound(k.Name)
	}
	got, err := k.byID(v, []string{strings.ToLower(id)})
	if err != nil {
		return nil, err
	}
	for _, t := range got {
		return t, nil
	}
	return nil, notFound(k.Name)
}
