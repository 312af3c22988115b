package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/tracker/entity"
)

// plain evaluates filters and sorts row by row, according to their documentation.
type plain struct {
	issues   map[string]*Issue
	all      []*Issue
	states   map[string]*WorkflowState
	users    map[string]*User
	projects map[string]*Project
	labels   map[string]*Label
	me       string
}

// holds reports whether all terms of a filter hold. get evaluates the terms on fields.
func (p *plain) holds(f entity.Filter, get func(name string, f entity.Filter) bool) bool {
	for _, t := range f {
		ok := true
		switch t.Name {
		case "and":
			for _, b := range branches(t.Value) {
				ok = ok && p.holds(b, get)
			}
		case "or":
			list := branches(t.Value)
			ok = len(list) == 0 || slices.ContainsFunc(list, func(b entity.Filter) bool { return p.holds(b, get) })
		default:
			sub, _ := t.Value.(entity.Filter)
			ok = get(t.Name, sub)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (p *plain) issue(i *Issue, f entity.Filter) bool {
	return p.holds(f, func(name string, f entity.Filter) bool {
		switch name {
		case "title":
			return text1(i.Title, f)
		case "description":
			return text1(i.Description, f)
		case "priority":
			return number1(float64(i.Priority), true, f)
		case "estimate":
			if i.Estimate == nil {
				return number1(0, false, f)
			}
			return number1(*i.Estimate, true, f)
		case "number":
			return number1(float64(i.Number), true, f)
		case "dueDate":
			return date1(i.DueDate, f)
		case "createdAt":
			return time1(i.Created, f)
		case "completedAt":
			return time1(i.Completed, f)
		case "assignee":
			u := p.users[i.Assignee]
			return p.one(u != nil, f, func(f entity.Filter) bool { return p.user(u, f) })
		case "state":
			s := p.states[i.State]
			return p.one(true, f, func(f entity.Filter) bool {
				return p.holds(f, func(name string, f entity.Filter) bool { return text1(pick(name == "type", s.Type, s.Name), f) })
			})
		case "parent":
			up := p.issues[i.Parent]
			return p.one(up != nil, f, func(f entity.Filter) bool { return p.issue(up, f) })
		case "project":
			q := p.projects[i.Project]
			return p.one(q != nil, f, func(f entity.Filter) bool {
				return p.holds(f, func(_ string, f entity.Filter) bool { return text1(q.Name, f) })
			})
		case "labels":
			var rows []func(entity.Filter) bool
			for _, id := range entity.Split(i.LabelIDs) {
				l := p.labels[id]
				rows = append(rows, func(f entity.Filter) bool {
					return p.holds(f, func(_ string, f entity.Filter) bool { return text1(l.Name, f) })
				})
			}
			return many1(rows, f)
		case "children":
			var rows []func(entity.Filter) bool
			for _, c := range p.all {
				if c.Parent == i.ID && c.Archived == 0 {
					rows = append(rows, func(f entity.Filter) bool { return p.issue(c, f) })
				}
			}
			return many1(rows, f)
		}
		panic(name)
	})
}

func (p *plain) user(u *User, f entity.Filter) bool {
	return p.holds(f, func(name string, f entity.Filter) bool {
		if name == "isMe" {
			return number1(pick(u.ID == p.me, 1.0, 0), true, flags(f))
		}
		return text1(u.Email, f)
	})
}

// flags returns a filter with numbers instead of booleans: 1 for true, 0 otherwise.
func flags(f entity.Filter) (out entity.Filter) {
	for _, t := range f {
		out = append(out, entity.Term{Name: t.Name, Value: pick(t.Value == true, 1.0, 0)})
	}
	return out
}

// one evaluates a filter on a relation to one row. Its term null is about the link, and
// all other terms are about the row.
func (p *plain) one(there bool, f entity.Filter, row func(entity.Filter) bool) bool {
	for _, t := range f {
		ok := false
		switch t.Name {
		case "null":
			ok = t.Value == !there
		case "and":
			ok = !slices.ContainsFunc(branches(t.Value), func(b entity.Filter) bool { return !p.one(there, b, row) })
		case "or":
			list := branches(t.Value)
			ok = len(list) == 0 || slices.ContainsFunc(list, func(b entity.Filter) bool { return p.one(there, b, row) })
		default:
			ok = there && row(entity.Filter{t}) || !t.Asks()
		}
		if !ok {
			return false
		}
	}
	return true
}

func many1(rows []func(entity.Filter) bool, f entity.Filter) bool {
	var own entity.Filter
	for _, t := range f {
		sub, _ := t.Value.(entity.Filter)
		ok := true
		switch t.Name {
		case "some":
			ok = slices.ContainsFunc(rows, func(r func(entity.Filter) bool) bool { return r(sub) })
		case "every":
			ok = !slices.ContainsFunc(rows, func(r func(entity.Filter) bool) bool { return !r(sub) })
		case "null":
			ok = t.Value == (len(rows) == 0)
		case "length":
			ok = number1(float64(len(rows)), true, sub)
		case "and":
			ok = !slices.ContainsFunc(branches(t.Value), func(b entity.Filter) bool { return !many1(rows, b) })
		case "or":
			list := branches(t.Value)
			ok = len(list) == 0 || slices.ContainsFunc(list, func(b entity.Filter) bool { return many1(rows, b) })
		default:
			own = append(own, t)
		}
		if !ok {
			return false
		}
	}
	return len(own) == 0 || slices.ContainsFunc(rows, func(r func(entity.Filter) bool) bool { return r(own) })
}

// compare1 evaluates a comparator. Only neq, nin, not… and null match missing values.
func compare1[T cmp.Ordered](v T, there bool, f entity.Filter, of func(any) T, more func(op string, want any) bool) bool {
	for _, t := range f {
		list, _ := t.Value.([]any)
		in := func() bool { return there && slices.ContainsFunc(list, func(x any) bool { return of(x) == v }) }
		ok := false
		switch t.Name {
		case "null":
			ok = t.Value == !there
		case "eq":
			ok = pick(t.Value == nil, !there, t.Value != nil && there && of(t.Value) == v)
		case "neq":
			ok = pick(t.Value == nil, there, !there || t.Value != nil && of(t.Value) != v)
		case "in":
			ok = in()
		case "nin":
			ok = !in()
		case "lt":
			ok = there && v < of(t.Value)
		case "lte":
			ok = there && v <= of(t.Value)
		case "gt":
			ok = there && v > of(t.Value)
		case "gte":
			ok = there && v >= of(t.Value)
		default:
			ok = more(t.Name, t.Value)
		}
		if !ok {
			return false
		}
	}
	return true
}

func number1(v float64, there bool, f entity.Filter) bool {
	return compare1(v, there, f, func(x any) float64 { n, _ := x.(float64); return n }, nil)
}

func date1(v string, f entity.Filter) bool {
	return compare1(v, v != "", f, func(x any) string { m, _ := x.(entity.Moment); return m.At.Format("2006-01-02") }, nil)
}

func time1(v int64, f entity.Filter) bool {
	return compare1(v/1000, v != 0, f, func(x any) int64 { m, _ := x.(entity.Moment); return m.At.UnixMilli() }, nil)
}

func text1(v string, f entity.Filter) bool {
	return compare1(v, v != "", f, func(x any) string { s, _ := x.(string); return s }, func(op string, want any) bool {
		a, b := v, want.(string)
		if strings.HasSuffix(op, "IgnoreCase") {
			a, b, op = strings.ToLower(a), strings.ToLower(b), strings.TrimSuffix(op, "IgnoreCase")
		}
		yes := map[string]bool{"eq": a == b, "contains": strings.Contains(a, b), "startsWith": strings.HasPrefix(a, b), "endsWith": strings.HasSuffix(a, b)}
		switch op {
		case "neq":
			return v == "" || a != b
		case "notContains", "notStartsWith", "notEndsWith":
			return v == "" || !yes[strings.ToLower(op[3:4])+op[4:]]
		}
		return v != "" && yes[op]
	})
}

// key returns a value in a form that can be compared as text, and whether the value is
// missing.
func (p *plain) key(i *Issue, name string) (string, bool) {
	at := func(n int64) string { return fmt.Sprintf("%020d", n) }
	switch name {
	case "title":
		return strings.ToLower(i.Title), false
	case "priority":
		return at(4 - i.Priority), i.Priority == 0
	case "estimate":
		if i.Estimate == nil {
			return "", true
		}
		return at(int64(*i.Estimate)), false
	case "dueDate":
		return i.DueDate, i.DueDate == ""
	case "createdAt":
		return at(i.Created), false
	case "completedAt":
		return at(i.Completed), i.Completed == 0
	case "assignee":
		if u := p.users[i.Assignee]; u != nil {
			return strings.ToLower(u.DisplayName), false
		}
		return "", true
	}
	if q := p.projects[i.Project]; q != nil {
		return q.Name, false
	}
	return "", true
}

// branches returns the filters of an "and" or "or".
func branches(v any) (out []entity.Filter) {
	list, _ := v.([]any)
	for _, x := range list {
		out = append(out, x.(entity.Filter))
	}
	return out
}
