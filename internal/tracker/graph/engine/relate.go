package engine

import (
	"errors"
	"fmt"
	"reflect"
)

// One binds an object field to a value in the parent; the zero value is null. V
// is a pointer, or an interface for GraphQL interfaces and unions.
func One[T any, V comparable](t *Type[T], name string, get func(*T) V) {
	relate[V](t, name, false, false, func(_ *Call, parents []any, out *children) {
		for _, p := range parents {
			addOne(out, get(p.(*T)))
		}
	})
}

// Many binds a list of objects in the parent. A nil slice is null where the list
// may be null, and empty otherwise.
func Many[T any, V comparable](t *Type[T], name string, get func(*T) []V) {
	relate[V](t, name, true, false, func(_ *Call, parents []any, out *children) {
		for _, p := range parents {
			addList(out, get(p.(*T)))
		}
	})
}

// Link binds an object field to a function that loads it for all parents of a
// level. The function returns one value for each, in order; the zero value is
// null. An error is the error of the field for every parent, an Errors only for
// those in it.
func Link[T any, V comparable](t *Type[T], name string, load func(c *Call, parents []*T) ([]V, error)) {
	relate[V](t, name, false, true, func(c *Call, parents []any, out *children) {
		values, err := load(c, typed[T](parents))
		each(parents, len(values), err, out, func(i int) { addOne(out, values[i]) })
	})
}

// LinkList is Link for a field that is a list of objects.
func LinkList[T any, V comparable](t *Type[T], name string, load func(c *Call, parents []*T) ([][]V, error)) {
	relate[V](t, name, true, true, func(c *Call, parents []any, out *children) {
		values, err := load(c, typed[T](parents))
		each(parents, len(values), err, out, func(i int) { addList(out, values[i]) })
	})
}

// Resolve binds an object field to a function that is called once for each
// parent. It is for fields of root types and for single parents; elsewhere Link
// saves one call a row.
func Resolve[T any, V comparable](t *Type[T], name string, get func(c *Call, parent *T) (V, error)) {
	relate[V](t, name, false, true, func(c *Call, parents []any, out *children) {
		for _, p := range parents {
			if v, err := get(c, p.(*T)); err != nil {
				out.fail(err)
			} else {
				addOne(out, v)
			}
		}
	})
}

// ResolveList is Resolve for a field that is a list of objects.
func ResolveList[T any, V comparable](t *Type[T], name string, get func(c *Call, parent *T) ([]V, error)) {
	relate[V](t, name, true, true, func(c *Call, parents []any, out *children) {
		for _, p := range parents {
			if vs, err := get(c, p.(*T)); err != nil {
				out.fail(err)
			} else {
				addList(out, vs)
			}
		}
	})
}

// Query binds a field of the query root that is an object.
func Query[V comparable](b *Builder, name string, get func(c *Call) (V, error)) {
	Resolve(b.Query, name, func(c *Call, _ *Root) (V, error) { return get(c) })
}

// QueryList binds a field of the query root that is a list of objects.
func QueryList[V comparable](b *Builder, name string, get func(c *Call) ([]V, error)) {
	ResolveList(b.Query, name, func(c *Call, _ *Root) ([]V, error) { return get(c) })
}

// Mutation binds a field of the mutation root. Mutations of one document run one
// after another, each with everything that it selects. After one whose null
// reached the root, no other runs.
func Mutation[V comparable](b *Builder, name string, do func(c *Call) (V, error)) {
	Resolve(b.Mutation, name, func(c *Call, _ *Root) (V, error) { return do(c) })
}

// Errors are the errors of single parents of a batch, by index. The values for
// these parents are ignored.
type Errors map[int]error

func (e Errors) Error() string { return fmt.Sprintf("%d of the batch failed", len(e)) }

func relate[V comparable, T any](t *Type[T], name string, list, calls bool, load loadFunc) {
	if f := t.add(name); f != nil {
		f.load, f.list, f.calls, f.goType = load, list, calls, reflect.TypeFor[V]()
	}
}

func typed[T any](parents []any) []*T {
	out := make([]*T, len(parents))
	for i, p := range parents {
		out[i] = p.(*T)
	}
	return out
}

// each adds the results of a batch for all parents, or its error.
func each(parents []any, n int, err error, out *children, add func(i int)) {
	var some Errors
	if err == nil && n != len(parents) {
		err = fmt.Errorf("a batch of %d parents got %d values", len(parents), n)
	}
	if err != nil && (!errors.As(err, &some) || n != len(parents)) {
		for range parents {
			out.fail(err)
		}
		return
	}
	for i := range parents {
		if e := some[i]; e != nil {
			out.fail(e)
		} else {
			add(i)
		}
	}
}

func addOne[V comparable](out *children, v V) {
	var zero V
	if v == zero {
		out.null()
		return
	}
	out.one(v)
}

func addList[V comparable](out *children, vs []V) {
	var zero V
	if vs == nil {
		out.nilList()
		return
	}
	out.startList()
	out.expect(len(vs))
	for _, v := range vs {
		if v == zero {
			out.nullItem()
		} else {
			out.item(v)
		}
	}
	out.endList()
}
