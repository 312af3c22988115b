package engine

import (
	"encoding/json"
	"reflect"

	"github.com/vektah/gqlparser/v2/ast"
)

// Type binds the fields of one object type to Go values of type *T.
type Type[T any] struct {
	b *Builder
	o *objectType
}

// Object begins to bind the object type with a name to *T. One Go type may serve
// several object types.
func Object[T any](b *Builder, name string) *Type[T] {
	o := &objectType{goType: reflect.TypeFor[*T](), fields: map[string]*binding{}}
	if o.def = b.schema.Types[name]; o.def == nil || o.def.Kind != ast.Object {
		b.fail("%s is no object type of the schema", name)
		o.def = &ast.Definition{Name: name}
	} else if b.objects[name] != nil {
		b.fail("%s is bound twice", name)
	}
	b.objects[name] = o
	return &Type[T]{b: b, o: o}
}

// add returns the binding of a field; nil when the schema has no such field.
func (t *Type[T]) add(name string) *binding {
	def := t.o.def.Fields.ForName(name)
	if def == nil {
		t.b.fail("%s.%s: no such field in the schema", t.o.def.Name, name)
		return nil
	}
	if t.o.fields[name] != nil {
		t.b.fail("%s.%s: bound twice", t.o.def.Name, name)
	}
	f := &binding{def: def}
	t.o.fields[name] = f
	return f
}

// Field binds a scalar or enum field, or a list of these. get is a
//
//	func(*T) V
//
// with V one of string, bool, int, int64, float64, time.Time, json.RawMessage,
// or a pointer to or a slice of one of them. A nil pointer is null. A nil slice
// is null where the list may be null and [] where it may not. Strings serve
// String, ID, enums and custom scalars; integers Int, Float, ID and custom
// scalars; times and raw JSON custom scalars only. ResolveField binds a getter that
// needs the Call or can fail.
func (t *Type[T]) Field(name string, get any) *Type[T] {
	f := t.add(name)
	if f == nil {
		return t
	}
	l, err := leafOf[T](t.b, f.def.Type, get)
	if err != nil {
		t.b.fail("%s.%s: %s: %w", t.o.def.Name, name, f.def.Type, err)
		l = nullLeaf
	}
	f.leaf = l
	return t
}

// Const binds scalar or enum fields to one value.
func (t *Type[T]) Const(value any, names ...string) *Type[T] {
	raw, err := json.Marshal(value)
	for _, name := range names {
		f := t.add(name)
		if f == nil {
			continue
		}
		if err == nil {
			err = checkConst(t.b.schema, f.def.Type, value)
		}
		if err != nil {
			t.b.fail("%s.%s: constant: %w", t.o.def.Name, name, err)
		}
		f.fix(raw)
	}
	return t
}

// fix binds a field to one JSON value.
func (f *binding) fix(raw []byte) {
	f.fixed = raw
	f.leaf = func(buf []byte, _ *Call, _ any) ([]byte, error) { return append(buf, raw...), nil }
}

// Null binds fields that are always null.
func (t *Type[T]) Null(names ...string) *Type[T] {
	for _, name := range names {
		f := t.add(name)
		if f == nil {
			continue
		}
		if f.def.Type.NonNull {
			t.b.fail("%s.%s: %s cannot be always null", t.o.def.Name, name, f.def.Type)
		}
		f.fix([]byte("null"))
	}
	return t
}

// Empty binds list fields that are always empty.
func (t *Type[T]) Empty(names ...string) *Type[T] {
	for _, name := range names {
		f := t.add(name)
		if f == nil {
			continue
		}
		if f.def.Type.Elem == nil {
			t.b.fail("%s.%s: %s is no list", t.o.def.Name, name, f.def.Type)
		}
		f.list = true
		f.fix([]byte("[]"))
	}
	return t
}

func nullLeaf(buf []byte, _ *Call, _ any) ([]byte, error) { return buf, errNull }
