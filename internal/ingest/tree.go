package ingest

import (
	"cmp"
	"slices"
)

// Node is an event in its session's tree.
type Node struct {
	Event
	Cut      *Lengths // set when the long texts are previews
	Children []*Node

	seq           int64
	order         int  // among the events of a page
	Matches       bool // it passes the filter of the question
	ParentMissing bool // its parent is not in this session (yet): it stands at the root
	Cycle         bool // its parents lead back to itself: broken here
	ClockSkew     bool // it starts before its parent
	Folded        bool // it stands deeper than shown here; parent_id tells where
}

// maxDepth is how deep a tree is shown. Deeper events are shown as siblings of
// their ancestor at that depth.
const maxDepth = 64

// Tree puts the events of one session under their parents. No event is lost: one
// whose parent is missing is a root, and a circle of parents is cut at its
// earliest event. Siblings are ordered by start, then by arrival, then by id.
func Tree(events []Listed) []*Node {
	roots := link(events)
	fold(roots)
	return roots
}

// link puts events under their parents, at any depth.
func link(events []Listed) []*Node {
	nodes := make([]Node, len(events))
	byID := make(map[string]*Node, len(events))
	for i := range events {
		nodes[i] = Node{Event: events[i].Event, Cut: events[i].Cut, seq: events[i].Seq}
		byID[events[i].ID] = &nodes[i]
	}
	order := make([]*Node, len(nodes))
	for i := range nodes {
		order[i] = &nodes[i]
	}
	slices.SortFunc(order, before)
	parents := make(map[*Node]*Node, len(nodes))
	for _, n := range order {
		if n.Parent == "" {
			continue
		}
		p := byID[n.Parent]
		n.ParentMissing = p == nil
		if p != nil {
			parents[n] = p
			n.ClockSkew = n.Start() < p.Start()
		}
	}
	cutCycles(order, parents)
	var roots []*Node
	for _, n := range order {
		if p := parents[n]; p != nil {
			p.Children = append(p.Children, n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots
}

func before(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.Start(), b.Start()), cmp.Compare(a.seq, b.seq), cmp.Compare(a.ID, b.ID))
}

// cutCycles removes the parent of the earliest event of each circle.
func cutCycles(order []*Node, parents map[*Node]*Node) {
	walk := make(map[*Node]int, len(order)) // the number of the walk that reached a node first
	for i, n := range order {
		at := n
		for at != nil && walk[at] == 0 {
			walk[at] = i + 1
			at = parents[at]
		}
		if at == nil || walk[at] != i+1 {
			continue
		}
		first := at
		for m := parents[at]; m != at; m = parents[m] {
			if before(m, first) < 0 {
				first = m
			}
		}
		first.Cycle = true
		delete(parents, first)
	}
}

// fold flattens what lies below maxDepth.
func fold(level []*Node) {
	for depth := 1; depth < maxDepth && len(level) > 0; depth++ {
		var next []*Node
		for _, n := range level {
			next = append(next, n.Children...)
		}
		level = next
	}
	for _, n := range level {
		var deep []*Node
		todo := n.Children
		for len(todo) > 0 {
			m := todo[0]
			todo = append(slices.Clone(m.Children), todo[1:]...)
			m.Folded, m.Children = true, nil
			deep = append(deep, m)
		}
		n.Children = deep
	}
}
