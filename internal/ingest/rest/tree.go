package rest

import (
	"understudy/internal/ingest"
	"understudy/internal/platform/background"
)

// placed is an event in a list of trees, with its depth: 1 for a root.
type placed struct {
	*ingest.Node
	depth int
}

// inOrder appends the events of trees to out in the order of a reply. nodes are at
// depth. The trees are folded, so their depth is bounded.
func inOrder(out []placed, nodes []*ingest.Node, depth int) []placed {
	for _, n := range nodes {
		out = inOrder(append(out, placed{n, depth}), n.Children, depth+1)
	}
	return out
}

// manyNodes is the number of events from which two goroutines write a tree.
const manyNodes = 1000

// appendTrees appends a list of trees. Two goroutines write a long list: each writes
// one half into its own part of the capacity of b.
func appendTrees(b []byte, roots []*ingest.Node) []byte {
	all := inOrder(nil, roots, 1)
	b = append(b, '[')
	switch {
	case len(all) == 0:
		return append(b, ']')
	case len(all) < manyNodes:
		b = appendNodes(b, all, 0)
	default:
		cut, size := halfOf(all)
		b = inHalves(b, size, func(b []byte) []byte { return appendNodes(b, all[:cut], 0) },
			func(b []byte) []byte { return appendNodes(b, all[cut:], all[cut-1].depth) })
	}
	for range all[len(all)-1].depth {
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

// inHalves appends the output of first, and then that of second. The two functions
// can run at the same time: they write into separate parts of the capacity of b. The
// part of first has size bytes, or fewer if b has less capacity.
func inHalves(b []byte, size int, first, second func([]byte) []byte) []byte {
	middle := min(len(b)+size, cap(b))
	parts := [...][]byte{b[:len(b):middle], b[middle:middle]}
	write := func(_ int, which <-chan int) {
		for i := range which {
			if i == 0 {
				parts[i] = first(parts[i])
			} else {
				parts[i] = second(parts[i])
			}
		}
	}
	_ = background.Share(len(parts), write, func(do func(int)) error {
		for i := range parts {
			do(i)
		}
		return nil
	})
	begun := parts[0]
	if len(begun) <= middle { // first did not reallocate: second's output is moved up to it
		begun = b[:len(begun)]
	}
	return append(begun, parts[1]...)
}

// halfOf returns the number of events at the beginning of all that have about half
// of its bytes, and their size in bytes. It leaves at least one event for the rest.
func halfOf(all []placed) (n, size int) {
	whole := 0
	for i := range all {
		whole += all[i].Size
	}
	for n < len(all)-1 && (n == 0 || 2*size < whole) {
		size += all[n].Size
		n++
	}
	return n, size
}

// appendNodes appends consecutive events of a list of trees. last is the depth of
// the event before them, 0 if there is none. The last event and its ancestors stay
// open: the caller closes them.
func appendNodes(b []byte, nodes []placed, last int) []byte {
	for _, n := range nodes {
		if n.depth <= last {
			for ; last >= n.depth; last-- {
				b = append(b, ']', '}')
			}
			b = append(b, ',')
		}
		b = appendNode(append(b, '{'), n.Node)
		b = append(b, `,"children":[`...)
		last = n.depth
	}
	return b
}
