package engine

import "runtime/debug"

// batchKey is the key of a batch: its Loader, and whether it peeks or loads.
type batchKey struct {
	loader any
	peek   bool
}

// load loads the children of root and everything below, level by level. All
// fields at one depth with the same Loader share one call of it.
func (x *execution) load(root *level) {
	batches := map[batchKey]batch{}
	loaders := &Call{Context: x.ctx, x: x}
	frontier := []*level{root}
	for len(frontier) > 0 {
		x.loadRefs(frontier, batches, loaders)
		var next []*level
		for _, l := range frontier {
			x.points += float64(len(l.objects)) * l.sel.points
			l.kids = make([]*children, len(l.sel.links))
			for i, f := range l.sel.links {
				k := newChildren(f, len(l.objects), &x.meter)
				l.kids[i] = k
				x.fill(k, l.objects, batches)
				if f.list {
					x.points += f.own * float64(len(k.all))
				} else {
					x.points += f.own * float64(len(l.objects))
				}
				for t := range k.levels {
					if len(k.levels[t].objects) > 0 {
						next = append(next, &k.levels[t])
					}
				}
			}
		}
		frontier = next
	}
}

// loadRefs calls each Loader that the levels need once.
func (x *execution) loadRefs(levels []*level, batches map[batchKey]batch, c *Call) {
	var used []batch
	for _, l := range levels {
		for _, f := range l.sel.links {
			if f.ref == nil {
				continue
			}
			key := batchKey{f.ref.id(), f.peek}
			b := batches[key]
			if b == nil {
				b = f.ref.newBatch(f.peek)
				batches[key] = b
			}
			b.gather(f.ref, l.objects)
			used = append(used, b)
		}
	}
	for _, b := range used {
		b.load(c) // does nothing for a batch that is already loaded
	}
}

// fill loads the values of a field for its parents. A panic becomes an error of
// the field.
func (x *execution) fill(k *children, parents []any, batches map[batchKey]batch) {
	f := k.field
	if f.ref != nil {
		batches[batchKey{f.ref.id(), f.peek}].give(f.ref, parents, k)
		return
	}
	failed := x.ctx.Err()
	var c *Call
	if failed == nil && (f.calls || f.dynamic >= 0) {
		c = x.call(f)
		failed = c.err
	}
	if failed == nil {
		failed = protect(func() error {
			f.load(c, parents, k)
			return nil
		})
	}
	if failed != nil {
		k.rest(len(parents), failed)
	}
}

// protect calls do and returns a panic as an error.
func protect(do func() error) (err error) {
	defer func() {
		v := recover()
		if _, ok := v.(*stop); ok {
			panic(v)
		}
		if v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return do()
}
