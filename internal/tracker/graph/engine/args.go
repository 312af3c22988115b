package engine

import (
	"fmt"
	"iter"

	"understudy/internal/platform/opt"
)

// Args holds coerced arguments, or the fields of an input object. It
// distinguishes a value that is absent from null. Values are: string for String,
// ID and enums, int for Int, float64, bool, the result of Scalar.Parse for custom
// scalars, []any for lists, Args for input objects.
//
// Requests share Args: do not change the lists and maps in them. A name that the
// schema does not have causes a panic, so that a misspelt name fails the first
// test that uses it.
type Args struct {
	shape  *shapeOf
	values map[string]any // with defaults; absent ones are missing
}

// shapeOf describes an argument list or input object, by the schema.
type shapeOf struct {
	name   string // "Query.issues" or "IssueFilter"
	fields []inputField
	index  map[string]int
}

// Name returns the name of the input type, or "Type.field" for the arguments of a
// field.
func (a Args) Name() string {
	if a.shape == nil {
		return ""
	}
	return a.shape.name
}

// Value returns the value and whether there is one; null is nil, true.
func (a Args) Value(name string) (any, bool) {
	if a.shape == nil {
		panic("engine: these arguments have no schema")
	}
	if _, ok := a.shape.index[name]; !ok {
		panic(fmt.Sprintf("engine: %s has no argument or field %q", a.shape.name, name))
	}
	v, ok := a.values[name]
	return v, ok
}

// All returns the values that are not absent, nulls included, in the order of the
// schema.
func (a Args) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if len(a.values) == 0 {
			return
		}
		for i := range a.shape.fields {
			name := a.shape.fields[i].name
			if v, ok := a.values[name]; ok && !yield(name, v) {
				return
			}
		}
	}
}

// Len returns the number of values that are not absent, nulls included.
func (a Args) Len() int { return len(a.values) }

// Has reports whether a value is not absent; it may be null.
func (a Args) Has(name string) bool {
	_, ok := a.Value(name)
	return ok
}

// Null reports whether a value is null and not absent.
func (a Args) Null(name string) bool {
	v, ok := a.Value(name)
	return ok && v == nil
}

// Get returns the value as T; false when it is absent or null. It panics when the
// value is not a T.
func Get[T any](a Args, name string) (T, bool) {
	var zero T
	v, _ := a.Value(name)
	if v == nil {
		return zero, false
	}
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("engine: %s.%s is a %T, not a %T", a.shape.name, name, v, zero))
	}
	return t, true
}

// Opt returns the value as absent, null or T.
func Opt[T any](a Args, name string) opt.Opt[T] {
	if v, ok := Get[T](a, name); ok {
		return opt.Some(v)
	}
	if a.Has(name) {
		return opt.Null[T]()
	}
	return opt.Opt[T]{}
}

// OptStrings is Opt for a list of strings.
func OptStrings(a Args, name string) opt.Opt[[]string] {
	if !a.Has(name) {
		return opt.Opt[[]string]{}
	}
	if a.Null(name) {
		return opt.Null[[]string]()
	}
	return opt.Some(a.Strings(name))
}

// String returns a string, "" when absent or null.
func (a Args) String(name string) string { v, _ := Get[string](a, name); return v }

// Bool returns a boolean, false when absent or null.
func (a Args) Bool(name string) bool { v, _ := Get[bool](a, name); return v }

// Int returns an integer and whether there is one.
func (a Args) Int(name string) (int, bool) { return Get[int](a, name) }

// Float returns a number and whether there is one.
func (a Args) Float(name string) (float64, bool) { return Get[float64](a, name) }

// Object returns an input object and whether there is one.
func (a Args) Object(name string) (Args, bool) { return Get[Args](a, name) }

// Objects returns a list of input objects, nil when absent or null.
func (a Args) Objects(name string) []Args { return listOf[Args](a, name) }

// Strings returns a list of strings, nil when absent or null.
func (a Args) Strings(name string) []string { return listOf[string](a, name) }

func listOf[T any](a Args, name string) []T {
	list, ok := Get[[]any](a, name)
	if !ok {
		return nil
	}
	out := make([]T, 0, len(list))
	for _, v := range list {
		if t, ok := v.(T); ok {
			out = append(out, t)
		}
	}
	return out
}
