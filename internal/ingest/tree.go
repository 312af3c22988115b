package ingest

// Node is an event in its session's tree.
type Node struct {
	Event
	Cut      *Lengths // set if the long texts are previews
	Children []*Node
	Size     int // about its size in a reply, if it was read for one

	seq           int64
	Matches       bool // it matches the filter of the request
	ParentMissing bool // its parent is not in this session (yet): it is a root
	Cycle         bool // its parents form a cycle, cut here
	ClockSkew     bool // it starts before its parent
	Folded        bool // it is deeper than shown here; parent_id names its parent
}

// maxDepth is the depth to which a tree is shown. Deeper events are shown as
// siblings of their ancestor at that depth.
const maxDepth = 64

// Tree returns the events of one session as trees. No event is lost: one whose
// parent is missing is a root, and a cycle of parents is cut at its earliest
// event. Siblings are ordered by start, then by arrival.
func Tree(events []Listed) []*Node {
	var t branches
	for i := range events {
		e := &events[i]
		t.add(&e.Event, e.Seq, 0).node = &Node{Event: e.Event, Cut: e.Cut, seq: e.Seq}
	}
	t.link()
	order := t.order()
	for i := range t.all {
		t.mark(int32(i))
	}
	return t.nodes(order)
}
