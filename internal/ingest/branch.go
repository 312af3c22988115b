package ingest

import (
	"cmp"
	"hash/maphash"
	"slices"
)

// Place is the position of an event among its siblings in a tree: they are
// ordered by start, then by arrival.
type Place struct{ Start, Seq int64 }

// Compare returns a negative number if p precedes o, a positive one if it follows
// o.
func (p Place) Compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Start, o.Start), cmp.Compare(p.Seq, o.Seq))
}

// branch is an event in the tree of its session.
type branch struct {
	Place
	id, parent uint64 // hashes of its id and its parent's, 0 without a parent
	group      int64  // in which it is stored
	up         int32  // the index of its parent, -1 for a root
	shown      int32  // the index of the event below which it is shown, -1 for a root
	depth      int32  // 1 for a root
	size       int32  // about its size in a reply, after it was read
	missing    bool   // its parent is not in the session
	cycle      bool   // its parents led back to it
	node       *Node  // the event, after it was read
}

// branchBytes is the approximate size of a branch in memory, with its links.
const branchBytes = 128

// branches are the events of a session as a tree. They use a small part of the
// memory of the events, so that a page of a long session can be found.
type branches struct {
	all   []branch // in the order of siblings, after link
	begin []int32  // for each branch the index of its first child in kids
	kids  []int32  // the indexes of children, those of one parent together and in order
	roots []int32
}

var branchSeed = maphash.MakeSeed()

func branchHash(id string) uint64 {
	if id == "" {
		return 0
	}
	return max(maphash.String(branchSeed, id), 1)
}

// add adds an event, before the branches are linked.
func (t *branches) add(e *Event, seq, group int64) *branch {
	t.all = append(t.all, branch{Place: Place{e.Start(), seq}, id: branchHash(e.ID), parent: branchHash(e.Parent), group: group, up: -1, shown: -1})
	return &t.all[len(t.all)-1]
}

// link finds the parents. No event is lost: one whose parent is missing is a
// root, and a cycle of parents is cut at its earliest event.
func (t *branches) link() {
	slices.SortFunc(t.all, func(a, b branch) int { return a.Compare(b.Place) })
	byID := make(map[uint64]int32, len(t.all))
	for i := range t.all {
		byID[t.all[i].id] = int32(i)
	}
	for i := range t.all {
		if b := &t.all[i]; b.parent != 0 {
			up, found := byID[b.parent]
			if b.missing = !found; found {
				b.up = up
			}
		}
	}
	t.cutCycles()
	t.begin = make([]int32, len(t.all)+1)
	for i := range t.all {
		if up := t.all[i].up; up >= 0 {
			t.begin[up+1]++
		} else {
			t.roots = append(t.roots, int32(i))
		}
	}
	for i := range t.all {
		t.begin[i+1] += t.begin[i]
	}
	next := slices.Clone(t.begin)
	t.kids = make([]int32, len(t.all)-len(t.roots))
	for i := range t.all {
		if up := t.all[i].up; up >= 0 {
			t.kids[next[up]] = int32(i)
			next[up]++
		}
	}
}

// cutCycles removes the parent of the earliest event of each cycle.
func (t *branches) cutCycles() {
	walk := make([]int32, len(t.all)) // the number of the pass that reached a branch first
	for i := range t.all {
		at := int32(i)
		for at >= 0 && walk[at] == 0 {
			walk[at] = int32(i) + 1
			at = t.all[at].up
		}
		if at < 0 || walk[at] != int32(i)+1 {
			continue
		}
		first := at
		for m := t.all[at].up; m != at; m = t.all[m].up {
			first = min(first, m)
		}
		t.all[first].up, t.all[first].cycle = -1, true
	}
}

// children returns the indexes of the children of a branch, in order.
func (t *branches) children(i int32) []int32 { return t.kids[t.begin[i]:t.begin[i+1]] }

// find returns the index of the event with an id, or -1.
func (t *branches) find(id string) int32 {
	hash := branchHash(id)
	return int32(slices.IndexFunc(t.all, func(b branch) bool { return b.id == hash }))
}

// order returns all branches in depth-first order, parents first. It sets the
// event below which each is shown: those deeper than maxDepth are shown as
// siblings, below their ancestor at that depth.
func (t *branches) order() []int32 {
	out := make([]int32, 0, len(t.all))
	todo := slices.Clone(t.roots) // the next one is the last
	slices.Reverse(todo)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		out = append(out, i)
		b := &t.all[i]
		b.shown, b.depth = b.up, 1
		if b.up >= 0 {
			above := &t.all[b.up]
			if b.depth = above.depth + 1; above.depth > maxDepth {
				b.shown = above.shown
			}
		}
		children := t.children(i)
		for c := range children {
			todo = append(todo, children[len(children)-1-c])
		}
	}
	return out
}

// path returns the places of a branch and of its shown ancestors, from the root
// on.
func (t *branches) path(i int32) (path []Place) {
	for ; i >= 0; i = t.all[i].shown {
		path = append(path, t.all[i].Place)
	}
	slices.Reverse(path)
	return path
}

// after returns the events of an order that follow an event, given by its path.
// If the event was removed, they begin at its position; events that are shown
// deeper than maxDepth may then be repeated.
func (t *branches) after(order []int32, last []Place) []int32 {
	if len(last) == 0 {
		return order
	}
	if at := slices.IndexFunc(order, func(i int32) bool { return t.all[i].Seq == last[len(last)-1].Seq }); at >= 0 {
		return order[at+1:]
	}
	at := slices.IndexFunc(order, func(i int32) bool {
		path := t.path(i)
		if len(path) > maxDepth && len(last) > maxDepth && slices.Equal(path[:maxDepth], last[:maxDepth]) {
			return true
		}
		return slices.CompareFunc(path, last, Place.Compare) > 0
	})
	if at < 0 {
		return nil
	}
	return order[at:]
}

// nodes returns branches that were read, in the order of a tree, as trees. One
// that is shown below none of them is a root.
func (t *branches) nodes(some []int32) (roots []*Node) {
	for _, i := range some {
		b := &t.all[i]
		b.node.Folded = b.depth > maxDepth
		if b.shown >= 0 && t.all[b.shown].node != nil {
			above := t.all[b.shown].node
			above.Children = append(above.Children, b.node)
		} else {
			roots = append(roots, b.node)
		}
	}
	return roots
}

// mark copies the position of a branch in the tree to its node.
func (t *branches) mark(i int32) {
	b := &t.all[i]
	b.node.ParentMissing, b.node.Cycle = b.missing, b.cycle
	if b.up >= 0 {
		b.node.ClockSkew = b.Start < t.all[b.up].Start
	}
}
