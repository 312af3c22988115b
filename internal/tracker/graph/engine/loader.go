package engine

import "reflect"

// Loader returns objects by key. The fields of a level that share a Loader share
// its calls: each key is loaded once in a request (once in each field of a
// mutation), and all new keys of a level are loaded together.
//
// Load returns the objects of those keys that the caller may see; a key that is
// missing from its result is null. Peek, unless it is nil, is called instead for
// links that select nothing but PeekFields. It may return objects that hold only
// those fields, without reading a row, but the same rule applies: it must leave
// out what Load would leave out.
type Loader[K comparable, V any] struct {
	Load       func(c *Call, keys []K) (map[K]*V, error)
	Peek       func(c *Call, keys []K) (map[K]*V, error)
	PeekFields []string // beside __typename; "id" when empty
}

// Ref binds an object field to the object that a Loader returns for the parent's
// key; the zero key is null.
func Ref[T any, K comparable, V any](t *Type[T], name string, l *Loader[K, V], key func(*T) K) {
	f := t.add(name)
	if f == nil {
		return
	}
	f.goType = reflect.TypeFor[*V]()
	f.ref = &ref[T, K, V]{loader: l, key: key}
}

// refLoader is a Ref without its type parameters.
type refLoader interface {
	id() any                  // the loader; refs with one id share batches
	peeks(sel []string) bool  // whether Peek can serve a selection of these fields
	newBatch(peek bool) batch // an empty batch of that loader
}

// batch collects the keys of one level, loads them, and returns the objects.
type batch interface {
	gather(r refLoader, parents []any)
	load(c *Call)
	give(r refLoader, parents []any, out *children)
}

type ref[T any, K comparable, V any] struct {
	loader *Loader[K, V]
	key    func(*T) K
}

func (r *ref[T, K, V]) id() any { return r.loader }

func (r *ref[T, K, V]) peeks(fields []string) bool {
	if r.loader.Peek == nil {
		return false
	}
	allowed := r.loader.PeekFields
	if len(allowed) == 0 {
		allowed = []string{"id"}
	}
	for _, f := range fields {
		if f != "__typename" && !contains(allowed, f) {
			return false
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (r *ref[T, K, V]) keyOf(parent any) K { return r.key(parent.(*T)) }

func (r *ref[T, K, V]) newBatch(peek bool) batch {
	load := r.loader.Load
	if peek {
		load = r.loader.Peek
	}
	return &keyBatch[K, V]{fetch: load, found: map[K]*V{}}
}

type keyer[K comparable] interface{ keyOf(parent any) K }

// keyBatch belongs to one request. found holds every key loaded so far, with nil
// for those that the loader did not return.
type keyBatch[K comparable, V any] struct {
	fetch func(*Call, []K) (map[K]*V, error)
	found map[K]*V
	err   map[K]error
	want  []K
}

func (b *keyBatch[K, V]) gather(r refLoader, parents []any) {
	var zero, last K
	keys := r.(keyer[K])
	for _, p := range parents {
		k := keys.keyOf(p)
		if k == last || k == zero { // neighbours often refer to the same object
			continue
		}
		last = k
		if _, known := b.found[k]; !known {
			b.found[k] = nil
			b.want = append(b.want, k)
		}
	}
}

func (b *keyBatch[K, V]) load(c *Call) {
	want := b.want
	b.want = nil
	if len(want) == 0 {
		return
	}
	err := c.Err()
	if err == nil {
		err = protect(func() error {
			got, err := b.fetch(c, want)
			for _, k := range want {
				b.found[k] = got[k]
			}
			return err
		})
	}
	if err == nil {
		return
	}
	if b.err == nil {
		b.err = map[K]error{}
	}
	for _, k := range want {
		b.err[k] = err
	}
}

func (b *keyBatch[K, V]) give(r refLoader, parents []any, out *children) {
	var zero K
	keys := r.(keyer[K])
	var at map[K]int32 // parents with one key share one child, where that saves loads
	if out.linked() {
		at = make(map[K]int32, len(parents))
	}
	last, found := zero, (*V)(nil)
	for _, p := range parents {
		k := keys.keyOf(p)
		if k != last {
			last, found = k, b.found[k]
		}
		if k == zero {
			out.null()
		} else if err := b.err[k]; err != nil {
			out.fail(err)
		} else if v := found; v != nil {
			if place, ok := at[k]; ok {
				out.again(place)
			} else if place := out.one(v); at != nil {
				at[k] = place
			}
		} else {
			out.null()
		}
	}
}
