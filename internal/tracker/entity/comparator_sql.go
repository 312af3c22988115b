package entity

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// never is a condition that is false for all rows.
const never = "1 = 0"

// allow counts a comparison with a number of values. It reports whether the
// filter may have that many.
func (c *compiler) allow(values int) bool {
	c.conds++
	c.values += values
	switch {
	case c.conds > maxConditions:
		c.fail(badInput("The filter has more than %d conditions.", maxConditions))
	case c.values > maxValues:
		c.fail(badInput("The filter has more than %d values.", maxValues))
	}
	return c.err == nil
}

// compare returns the condition of a comparator on a column: all its operators
// must be true.
func (c *compiler) compare(s *Shape, t Field, alias, name string, f Filter) string {
	var parts []string
	for _, op := range f {
		if c.err != nil {
			return ""
		}
		switch op.Name {
		case "and":
			for _, b := range branches(op.Value) {
				if cond := c.compare(s, t, alias, name, b); cond != "" {
					parts = append(parts, cond)
				}
			}
			continue
		case "or":
			if cond := c.either(branches(op.Value), func(b Filter) string { return c.compare(s, t, alias, name, b) }); cond != "" {
				parts = append(parts, cond)
			}
			continue
		}
		if t.Sort == ByID {
			if ids, ok := idValues(op.Value); ok {
				if cond := c.ids(s, t, alias, name, op.Name, ids); cond != "" {
					parts = append(parts, cond)
				}
				continue
			}
		}
		mark := len(c.args)
		column := c.place(t.Expr, alias, "")
		switch cond := c.operator(t.Sort, column, op); cond {
		case "", never: // these do not use the column or its arguments
			c.args = c.args[:mark]
			if cond == never {
				parts = append(parts, cond)
			}
		default:
			parts = append(parts, cond)
		}
	}
	return all(parts)
}

func idValues(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true
	case []any:
		out := make([]string, 0, len(v))
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out, true
	}
	return nil, false
}

// ids returns the condition of an operator on an id. The values must be UUIDs or,
// where identifiers are allowed, identifiers, which it looks up.
func (c *compiler) ids(s *Shape, t Field, alias, name, op string, values []string) string {
	if !c.allow(len(values)) {
		return ""
	}
	var known, other []string
	for _, id := range values {
		switch {
		case ids.IsUUID(id):
			known = append(known, strings.ToLower(id))
		case t.Alias:
			other = append(other, id)
		default:
			return c.fail(badArgument(op, "%s must be a UUID.", op))
		}
	}
	not := op == "neq" || op == "nin"
	var parts []string
	if len(known) > 0 {
		args := Padded(known)
		parts = append(parts, c.place(t.Expr, alias, "")+" IN "+store.In(len(args)))
		c.args = append(c.args, args...)
	}
	if len(other) > 0 {
		found, err := s.Aliases(c.s, other)
		if err != nil {
			return c.fail(err)
		}
		if len(found) == 0 {
			parts = append(parts, never)
		} else {
			args := Padded(found)
			parts = append(parts, alias+".id IN "+store.In(len(args)))
			c.args = append(c.args, args...)
		}
	}
	switch {
	case len(parts) == 0:
		return pick(not, "", never)
	case not:
		return "NOT (" + strings.Join(parts, " OR ") + ")"
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// operator returns the condition of one operator of a comparator on an
// expression.
func (c *compiler) operator(s Sort, x string, op Term) string {
	if values, _ := op.Value.([]any); !c.allow(len(values)) {
		return ""
	}
	null := map[Sort]string{ByFloat: " IS NULL", ByTime: " = 0", ByDate: " = ''", ByText: " = ''", ByID: " = ''"}[s]
	present := map[Sort]string{ByFloat: " IS NOT NULL", ByTime: " <> 0", ByDate: " <> ''", ByText: " <> ''", ByID: " <> ''"}[s]
	switch op.Name {
	case "null":
		if op.Value == nil {
			return ""
		}
		if null == "" { // a value that is never missing
			return pick(op.Value == true, never, "")
		}
		return x + pick(op.Value == true, null, present)
	case "eq", "neq":
		if from, to, ok := c.shownAs(s, op.Value); ok {
			c.args = append(c.args, from, to)
			return pick(op.Name == "eq", "(", "NOT (") + x + " >= ? AND " + x + " < ?)"
		}
		if op.Value == nil {
			if null == "" {
				return pick(op.Name == "eq", never, "")
			}
			return x + pick(op.Name == "eq", null, present)
		}
		if s == ByFlag {
			return pick((op.Name == "eq") == (op.Value == true), "(", "NOT (") + x + ")"
		}
		if op.Name == "neq" && s == ByFloat {
			x, v := c.operand(s, x, op.Value)
			return "(" + x + " IS NULL OR " + x + " <> " + v + ")"
		}
		x, v := c.operand(s, x, op.Value)
		return x + pick(op.Name == "eq", " = ", " <> ") + v
	case "in", "nin":
		if s == ByTime {
			return c.amongTimes(x, op)
		}
		return c.among(s, x, op, null)
	}
	if op.Value == nil {
		return ""
	}
	switch op.Name {
	case "lt", "lte", "gt", "gte":
		sign := map[string]string{"lt": " < ", "lte": " <= ", "gt": " > ", "gte": " >= "}[op.Name]
		y, v := c.operand(s, x, op.Value)
		if from, to, ok := c.shownAs(s, op.Value); ok { // all times with the same shown value are on the same side
			sign = map[string]string{"lt": " < ", "lte": " < ", "gt": " >= ", "gte": " >= "}[op.Name]
			c.args[len(c.args)-1] = pick(op.Name == "lt" || op.Name == "gte", from, to)
		}
		if present != "" && s != ByFloat {
			return "(" + y + sign + v + " AND " + x + present + ")"
		}
		return y + sign + v
	}
	return c.textual(x, op)
}

// shownAs returns the range of times that are shown as a value: callers see
// milliseconds, and must find a time by its shown form. ok is false for a
// duration from now and for a more precise time.
func (c *compiler) shownAs(s Sort, value any) (from, to int64, ok bool) {
	m, isMoment := value.(Moment)
	if s != ByTime || !isMoment || m.Relative {
		return 0, 0, false
	}
	from = m.At.UnixMicro()
	return from, from + 1000, from%1000 == 0
}

// amongTimes returns the condition that a time is in a list, each element of
// which is compared as eq compares.
func (c *compiler) amongTimes(x string, op Term) string {
	if op.Value == nil {
		return ""
	}
	var parts []string
	values, _ := op.Value.([]any)
	for _, v := range values {
		parts = append(parts, c.operator(ByTime, x, Term{"eq", v}))
	}
	switch {
	case len(parts) == 0:
		return pick(op.Name == "in", never, "")
	case op.Name == "in":
		return "(" + strings.Join(parts, " OR ") + ")"
	}
	return "NOT (" + strings.Join(parts, " OR ") + ")"
}

// textual returns the condition of an operator that only texts have.
func (c *compiler) textual(x string, op Term) string {
	want, ok := op.Value.(string)
	if !ok {
		return ""
	}
	name := op.Name
	d := c.s.Tx.Dialect()
	switch {
	case strings.HasSuffix(name, "AndAccent"):
		x, want, name = d.Fold(x), store.Fold(want), strings.TrimSuffix(name, "IgnoreCaseAndAccent")
	case strings.HasSuffix(name, "IgnoreCase"):
		x, want, name = d.Lower(x), strings.ToLower(want), strings.TrimSuffix(name, "IgnoreCase")
	}
	arg := func() string {
		c.args = append(c.args, want)
		return "?"
	}
	switch name {
	case "eq":
		return x + " = " + arg()
	case "neq":
		return x + " <> " + arg()
	case "contains":
		return d.Contains(x, arg()) + " > 0"
	case "notContains":
		return d.Contains(x, arg()) + " = 0"
	}
	// The number of characters is known here, so one argument is enough.
	n := strconv.Itoa(utf8.RuneCountInString(want))
	switch name {
	case "startsWith":
		return "substr(" + x + ", 1, " + n + ") = " + arg()
	case "notStartsWith":
		return "substr(" + x + ", 1, " + n + ") <> " + arg()
	case "endsWith", "notEndsWith":
		if want == "" {
			return pick(name == "endsWith", "", never)
		}
		tail := d.Pick("substr("+x+", -"+n+")", "right("+x+", "+n+")")
		return tail + pick(name == "endsWith", " = ", " <> ") + arg()
	}
	return c.fail(badInput("There is no operator %s.", op.Name))
}

func (c *compiler) among(s Sort, x string, op Term, null string) string {
	if op.Value == nil {
		return ""
	}
	values, _ := op.Value.([]any)
	if len(values) == 0 {
		return pick(op.Name == "in", never, "")
	}
	var marks []string
	column := x
	for i := 0; i < len(values) || len(marks)&(len(marks)-1) != 0; i++ {
		var v string
		column, v = c.operand(s, x, values[min(i, len(values)-1)])
		marks = append(marks, v)
	}
	if s == ByNumber {
		column = "CAST(" + x + " AS DOUBLE PRECISION)"
	}
	cond := column + pick(op.Name == "in", " IN (", " NOT IN (") + strings.Join(marks, ",") + ")"
	if op.Name == "nin" && s == ByFloat {
		return "(" + x + null + " OR " + cond + ")"
	}
	return cond
}

// operand binds a value, and returns the expression to compare it with.
func (c *compiler) operand(s Sort, x string, v any) (string, string) {
	switch s {
	case ByTime:
		m, _ := v.(Moment)
		c.args = append(c.args, m.Resolve(c.s.Now).UnixMicro())
	case ByDate:
		m, _ := v.(Moment)
		c.args = append(c.args, m.Resolve(c.s.Now).UTC().Format("2006-01-02"))
	case ByNumber:
		f, _ := v.(float64)
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			c.args = append(c.args, int64(f))
			return x, "CAST(? AS BIGINT)"
		}
		c.args = append(c.args, f)
		return "CAST(" + x + " AS DOUBLE PRECISION)", "CAST(? AS DOUBLE PRECISION)"
	case ByFloat:
		f, _ := v.(float64)
		c.args = append(c.args, f)
	default:
		text, _ := v.(string)
		c.args = append(c.args, text)
	}
	return x, "?"
}
