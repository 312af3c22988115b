package entity

import (
	"fmt"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// compiler compiles a Filter to a condition of SQL.
type compiler struct {
	v       Viewer
	s       *Scope
	args    []any
	aliases int
	conds   int // comparisons so far
	values  int // values in lists so far
	depth   int
	err     error
}

// The bounds of one filter. A database bounds the number of parameters and the
// depth of an expression.
const (
	maxFilter     = 200    // relations
	maxConditions = 500    // comparisons
	maxValues     = 10_000 // values in lists
)

func (c *compiler) fail(err error) string {
	if c.err == nil {
		c.err = err
	}
	return ""
}

func (c *compiler) alias() string {
	if c.aliases++; c.aliases > maxFilter {
		c.fail(badInput("The filter has too many relations."))
	}
	return fmt.Sprintf("f%d", c.aliases)
}

// place returns a text of a Field or Shape with the aliases and arguments filled
// in.
func (c *compiler) place(text, at, hash string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "@", at), "#", hash) // no alias contains a "#"
	var b strings.Builder
	for {
		i := strings.IndexByte(text, ':')
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		b.WriteByte('?')
		switch name := text[i : i+3]; name {
		case ":me":
			c.args = append(c.args, c.s.Caller)
			text = text[i+3:]
		case ":no":
			c.args = append(c.args, c.s.Micros())
			text = text[i+4:]
		default:
			c.args = append(c.args, c.s.Tenant)
			text = text[i+4:]
		}
	}
}

// unseen returns the condition that excludes related rows that the viewer may not
// see.
func (c *compiler) unseen(s *Shape, inner string) string {
	if s.Hide == "" || !c.v.Restricted() {
		return ""
	}
	return c.place(s.Hide, "", inner)
}

// related returns the FROM clause and the condition of the rows of a collection.
func (c *compiler) related(t Field, to *Shape, alias, inner string) string {
	return c.place(t.From, alias, inner) + " WHERE " + c.place(t.Expr, alias, inner) + c.place(to.Live, alias, inner) + c.unseen(to, inner)
}

func all(parts []string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, " AND ") + ")"
}

// where returns the condition of a filter on the row alias; "" is always true.
func (c *compiler) where(s *Shape, alias string, f Filter) string {
	if c.depth++; c.depth > 40 {
		return c.fail(badInput("The filter nests too deeply."))
	}
	defer func() { c.depth-- }()
	var parts []string
	add := func(cond string) {
		if cond != "" {
			parts = append(parts, cond)
		}
	}
	for _, t := range f {
		if c.err != nil {
			return ""
		}
		switch t.Name {
		case "and":
			for _, sub := range branches(t.Value) {
				add(c.where(s, alias, sub))
			}
		case "or":
			add(c.either(branches(t.Value), func(sub Filter) string { return c.where(s, alias, sub) }))
		case "some", "every", "length", "null": // of the collection or relation, not of its rows
		default:
			if sub, ok := t.Value.(Filter); ok {
				add(c.term(s, alias, t.Name, sub))
			}
		}
	}
	return all(parts)
}

// either returns the condition that at least one branch is true; an empty branch
// always is.
func (c *compiler) either(subs []Filter, one func(Filter) string) string {
	var parts []string
	mark := len(c.args)
	for _, sub := range subs {
		cond := one(sub)
		if cond == "" {
			c.args = c.args[:mark]
			return ""
		}
		parts = append(parts, cond)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

func (c *compiler) term(s *Shape, alias, name string, f Filter) string {
	t, ok := s.Fields[name]
	if !ok {
		return c.fail(badInput("%s cannot be filtered by %s.", s.Name, name))
	}
	switch t.Sort {
	case ToOne:
		return c.one(t, alias, f)
	case ToMany:
		return c.many(t, alias, f)
	}
	return c.compare(s, t, alias, name, f)
}

// one returns the condition of a term on a relation to one row. With keys other
// than null, the row must exist. Branches that contain null are compiled
// separately.
func (c *compiler) one(t Field, alias string, f Filter) string {
	column := c.place(t.Expr, alias, "")
	var parts []string
	var plain Filter
	for _, x := range f {
		if c.err != nil {
			return ""
		}
		cond := ""
		switch {
		case x.Name == "null" && x.Value != nil:
			cond = c.linked(t.To(), column, x.Value == false)
		case !saysNull(x):
			plain = append(plain, x)
		case x.Name == "and":
			for _, b := range branches(x.Value) {
				if one := c.one(t, alias, b); one != "" {
					parts = append(parts, one)
				}
			}
		case x.Name == "or":
			cond = c.either(branches(x.Value), func(b Filter) string { return c.one(t, alias, b) })
		}
		if cond != "" {
			parts = append(parts, cond)
		}
	}
	if len(plain) == 0 {
		return all(parts)
	}
	to := t.To()
	inner := c.alias()
	mark := len(c.args)
	c.args = append(c.args, c.s.Tenant)
	if cond := c.where(to, inner, plain); cond != "" && c.err == nil {
		cond += c.unseen(to, inner)
		if alias == "t" {
			if only := c.single(to, inner, cond, mark); only != "" {
				c.args = c.args[:mark]
				return all(append(parts, c.equals(column, only)))
			}
		}
		parts = append(parts, column+" IN (SELECT "+inner+".id FROM "+to.Table+" "+inner+" WHERE "+inner+".org = ? AND "+cond+")")
	} else if c.args = c.args[:mark]; slices.ContainsFunc(plain, Term.Asks) {
		parts = append(parts, c.linked(to, column, true))
	}
	return all(parts)
}

// linked returns the condition that a column refers to a row that the viewer may
// see or, without yes, to none.
func (c *compiler) linked(to *Shape, column string, yes bool) string {
	if to.Hide == "" || !c.v.Restricted() {
		return column + pick(yes, " <> ''", " = ''")
	}
	inner := c.alias()
	c.args = append(c.args, c.s.Tenant)
	row := "EXISTS (SELECT 1 FROM " + to.Table + " " + inner + " WHERE " + inner + ".org = ? AND " + inner + ".id = " + column + c.unseen(to, inner) + ")"
	return "(" + column + pick(yes, " <> '' AND ", " = '' OR NOT ") + row + ")"
}

// saysNull reports whether a branch of a term contains null.
func saysNull(t Term) bool {
	return (t.Name == "and" || t.Name == "or") && slices.ContainsFunc(branches(t.Value), func(b Filter) bool {
		return slices.ContainsFunc(b, func(x Term) bool { return x.Name == "null" && x.Value != nil || saysNull(x) })
	})
}

// nobody is an id that no row has.
const nobody = "-"

// single runs a condition before the query: when it is true for one row or none,
// it returns a comparison with the id of that row, for which the query can use an
// index in the order of the list. It returns "" when there are more rows.
func (c *compiler) single(to *Shape, alias, cond string, mark int) string {
	var ids []string
	err := c.s.Tx.Each("SELECT "+alias+".id FROM "+to.Table+" "+alias+" WHERE "+alias+".org = ? AND "+cond+" LIMIT 2", c.args[mark:], func(r store.Row) error {
		ids = append(ids, "")
		return r.Scan(&ids[len(ids)-1])
	})
	switch {
	case err != nil:
		c.fail(err)
		return nobody
	case len(ids) == 0:
		return nobody
	case len(ids) == 1:
		return ids[0]
	}
	return ""
}

// equals returns a comparison of a column with an id. It also requires that the
// column is not empty, so that partial indexes can be used.
func (c *compiler) equals(column, id string) string {
	c.args = append(c.args, id)
	return "(" + column + " = ? AND " + column + " <> '')"
}

// many returns the condition of a term on a collection: some, every, length,
// null, and plain keys, which mean some.
func (c *compiler) many(t Field, alias string, f Filter) string {
	to := t.To()
	var parts []string
	sub := func(inner string, cond func() string, before, after string) {
		text := "(SELECT 1 FROM " + c.related(t, to, alias, inner)
		mark := len(c.args)
		if got := cond(); got != "" {
			parts = append(parts, before+text+" AND "+strings.Replace(after, "%", got, 1)+")")
		} else {
			c.args = c.args[:mark]
			if !strings.HasPrefix(before, "NOT") {
				parts = append(parts, before+text+")")
			} else {
				c.args = c.args[:mark-placeholders(text)]
			}
		}
	}
	for _, x := range f {
		if c.err != nil {
			return ""
		}
		v, _ := x.Value.(Filter)
		switch {
		case x.Value == nil:
		case x.Name == "some":
			inner := c.alias()
			sub(inner, func() string { return c.where(to, inner, v) }, "EXISTS ", "%")
		case x.Name == "every":
			inner := c.alias()
			sub(inner, func() string { return c.where(to, inner, v) }, "NOT EXISTS ", "(%) IS NOT TRUE")
		case x.Name == "null":
			inner := c.alias()
			text := "EXISTS (SELECT 1 FROM " + c.related(t, to, alias, inner) + ")"
			parts = append(parts, pick(x.Value == true, "NOT ", "")+text)
		case x.Name == "length":
			inner := c.alias()
			count := "(SELECT COUNT(*) FROM " + c.related(t, to, alias, inner) + ")"
			parts = append(parts, c.length(count, v)...)
		case x.Name == "and":
			for _, b := range branches(x.Value) {
				if cond := c.many(t, alias, b); cond != "" {
					parts = append(parts, cond)
				}
			}
		case x.Name == "or":
			if cond := c.either(branches(x.Value), func(b Filter) string { return c.many(t, alias, b) }); cond != "" {
				parts = append(parts, cond)
			}
		}
	}
	var plain Filter
	for _, x := range f {
		switch x.Name {
		case "some", "every", "length", "null", "and", "or":
		default:
			plain = append(plain, x)
		}
	}
	if len(plain) > 0 {
		inner := c.alias()
		sub(inner, func() string { return c.where(to, inner, plain) }, "EXISTS ", "%")
	}
	return all(parts)
}

func placeholders(sql string) int { return strings.Count(sql, "?") }

// length returns the comparisons of a count, one for each operator. Each contains
// the count once, because the arguments of the count are in place once.
func (c *compiler) length(count string, f Filter) []string {
	n := placeholders(count)
	own := append([]any(nil), c.args[len(c.args)-n:]...)
	c.args = c.args[:len(c.args)-n]
	var parts []string
	for _, op := range f {
		if op.Value == nil {
			continue
		}
		mark := len(c.args)
		c.args = append(c.args, own...)
		cond := c.operator(ByNumber, count, op)
		if cond == "" || cond == never { // these do not use the count
			c.args = c.args[:mark]
		}
		if cond != "" {
			parts = append(parts, cond)
		}
	}
	return parts
}

func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
