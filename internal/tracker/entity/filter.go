package entity

import "slices"

// Filter is a condition on entities: all of its terms must be true. A term names
// a field, a relation, or "and", "or", "some", "every", "length", "null". The
// value of a field, relation or comparator is a Filter; that of an operator is a
// string, float64, bool, Moment, nil or []any of these.
type Filter []Term

// Term is one condition of a Filter.
type Term struct {
	Name  string
	Value any
}

// Only returns the filter with one term.
func Only(name string, value any) Filter { return Filter{{name, value}} }

// Asks reports whether a term is a condition, even one that is true for all rows.
// A term whose value is null is none.
func (t Term) Asks() bool {
	anything := func(f Filter) bool { return slices.ContainsFunc(f, Term.Asks) }
	if f, ok := t.Value.(Filter); ok {
		return t.Name == "some" || anything(f) // some of all is at least one
	}
	switch list := branches(t.Value); t.Name {
	case "and":
		return slices.ContainsFunc(list, anything)
	case "or": // an empty branch is always true
		return len(list) > 0 && !slices.ContainsFunc(list, func(f Filter) bool { return !anything(f) })
	}
	return t.Value != nil
}

// branches returns the filters of an "and" or an "or".
func branches(v any) []Filter {
	list, _ := v.([]any)
	out := make([]Filter, 0, len(list))
	for _, x := range list {
		if f, ok := x.(Filter); ok {
			out = append(out, f)
		}
	}
	return out
}
