package engine

import (
	"fmt"
	"slices"
)

// loadFunc appends to out the value of the field for every parent, in order.
type loadFunc func(c *Call, parents []any, out *children)

// level holds all objects of one type that one field returned, for all its
// parents.
type level struct {
	sel     *selection
	objects []any
	kids    []*children // by link of the selection
}

// child is the index of an object in children.levels, or the reason why there is
// none.
type child struct{ level, index int32 }

const (
	isNull   = -1
	isFailed = -2
)

// span is the list of one parent in children.all; start may be isNull or isFailed.
type span struct{ start, end int32 }

// children holds the values of a field for the parents of a level.
type children struct {
	field  *field
	levels []level         // one for each target of the field
	all    []child         // one for each parent, or the lists one after another
	lists  []span          // one for each parent of a list field
	errs   map[int32]error // by index of lists for list fields, of all for others
	items  map[int32]error // by index of all, for items of lists
	meter  *meter
}

func newChildren(f *field, parents int, m *meter) *children {
	k := &children{field: f, meter: m, levels: make([]level, len(f.targets))}
	for i, t := range f.targets {
		k.levels[i].sel = t
	}
	if f.list {
		k.lists = make([]span, 0, parents)
	} else {
		k.all = make([]child, 0, parents)
	}
	return k
}

// one adds an object and returns its index, for again.
func (k *children) one(v any) int32 {
	k.meter.object()
	target := 0
	if a := k.field.abstract; a != nil {
		i, ok := a.indexOf(v)
		if !ok {
			err := fmt.Errorf("a %T is of no object type that %s may be", v, a.def.Name)
			if k.field.list {
				k.failItem(err)
			} else {
				k.fail(err)
			}
			return int32(len(k.all) - 1)
		}
		target = i
	}
	l := &k.levels[target]
	if l.objects == nil && len(k.levels) == 1 { // most links of most pages are null
		l.objects = make([]any, 0, cap(k.all)-len(k.all))
	}
	l.objects = append(l.objects, v)
	k.all = append(k.all, child{int32(target), int32(len(l.objects) - 1)})
	return int32(len(k.all) - 1)
}

// again adds an object again, by the index from one.
func (k *children) again(place int32) {
	k.meter.object()
	k.all = append(k.all, k.all[place])
}

// linked reports whether something is loaded below the field.
func (k *children) linked() bool {
	for i := range k.levels {
		if len(k.levels[i].sel.links) > 0 {
			return true
		}
	}
	return false
}

// null sets the value for a parent to null.
func (k *children) null() {
	if k.field.list {
		k.lists = append(k.lists, span{start: isNull})
		return
	}
	k.all = append(k.all, child{index: isNull})
}

// fail sets an error for a parent.
func (k *children) fail(err error) {
	if k.errs == nil {
		k.errs = map[int32]error{}
	}
	if k.field.list {
		k.errs[int32(len(k.lists))] = err
		k.lists = append(k.lists, span{start: isFailed})
		return
	}
	k.errs[int32(len(k.all))] = err
	k.all = append(k.all, child{index: isFailed})
}

// expect reserves memory for n more objects.
func (k *children) expect(n int) {
	k.all = slices.Grow(k.all, n)
	if len(k.levels) == 1 {
		k.levels[0].objects = slices.Grow(k.levels[0].objects, n)
	}
}

func (k *children) startList() {
	k.lists = append(k.lists, span{start: int32(len(k.all))})
}

func (k *children) item(v any) { k.one(v) }

func (k *children) nullItem() { k.all = append(k.all, child{index: isNull}) }

func (k *children) failItem(err error) {
	if k.items == nil {
		k.items = map[int32]error{}
	}
	k.items[int32(len(k.all))] = err
	k.all = append(k.all, child{index: isFailed})
}

func (k *children) endList() { k.lists[len(k.lists)-1].end = int32(len(k.all)) }

func (k *children) emptyList() {
	k.startList()
	k.endList()
}

// nilList adds null where the list may be null, and [] otherwise.
func (k *children) nilList() {
	if k.field.def.Type.NonNull {
		k.emptyList()
		return
	}
	k.null()
}

// rest sets an error for the parents without a value.
func (k *children) rest(parents int, err error) {
	if k.field.list && len(k.lists) > 0 && k.lists[len(k.lists)-1].end == 0 {
		k.endList() // a list that a panic left open
	}
	for k.answered() < parents {
		k.fail(err)
	}
}

func (k *children) answered() int {
	if k.field.list {
		return len(k.lists)
	}
	return len(k.all)
}
