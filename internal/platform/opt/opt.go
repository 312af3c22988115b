// Package opt tells apart what was left out, what was set to null and what has a value.
package opt

import "encoding/json"

// Opt is a field of an update: absent (the zero value), null, or a value.
type Opt[T any] struct {
	Value T
	Set   bool // present in the input, as null or as a value
	Null  bool
}

// Some gives a value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Set: true} }

// Null gives an explicit null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Get gives the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.Value, o.Set && !o.Null }

// Or gives the value, or other when there is none.
func (o Opt[T]) Or(other T) T {
	if o.Set && !o.Null {
		return o.Value
	}
	return other
}

// UnmarshalJSON reads null as Null and everything else as a value; a member
// that is missing never comes here and stays absent.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}
