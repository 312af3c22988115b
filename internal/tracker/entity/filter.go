package entity

import "slices"

// Filter is a condition on entities: all of its terms must hold. A term names a
// field, a relation, or "and", "or", "some", "every", "length", "null"; its
// value is a Filter for fields, relations and comparators, and for operators a
// string, float64, bool, Moment, nil or []any of these.
type Filter []Term

// Term is one condition of a Filter.
type Term struct {
	Name  string
	Value any
}

// Only returns the filter of one term.
func Only(name string, value any) Filter { return Filter{{name, value}} }

// Asks reports whether a term asks for anything, if only for what holds for all
// rows. Null in the place of a value asks for nothing.
func (t Term) Asks() bool {
	anything := func(f Filter) bool { return slices.ContainsFunc(f, Term.Asks) }
	if f, ok := t.Value.(Filter); ok {
		return t.Name == "some" || anything(f) // some of all is one at least
	}
	switch list := branches(t.Value); t.Name {
	case "and":
		return slices.ContainsFunc(list, anything)
	case "or": // an empty branch always holds
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
