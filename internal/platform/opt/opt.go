// Package opt distinguishes a field that is absent, one that is null and one that
// has a value.
package opt

import "encoding/json"

// Opt is a field of an update: absent (the zero value), null, or a value.
type Opt[T any] struct {
	Value T
	Set   bool // present in the input, as null or as a value
	Null  bool
}

// Some returns a field with a value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Set: true} }

// Null returns a field that is null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Get returns the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.Value, o.Set && !o.Null }

// Or returns the value, or other when there is none.
func (o Opt[T]) Or(other T) T {
	if o.Set && !o.Null {
		return o.Value
	}
	return other
}

// UnmarshalJSON decodes null as Null and anything else as a value. It is not
// called for an absent member.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}
