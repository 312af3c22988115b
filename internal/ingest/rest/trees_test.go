package rest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"understudy/internal/ingest"
)

// Two goroutines write the same text of a tree as one, wherever the tree is divided
// and whatever the capacity is.
func TestTreesAreWrittenInHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	for _, n := range []int{0, 1, 2, manyNodes - 1, manyNodes, manyNodes + 1, 3 * manyNodes} {
		for _, width := range []int{1, 2, 50} { // a smaller width makes a deeper tree
			var roots, all []*ingest.Node
			size := 0
			for i := range n {
				node := &ingest.Node{Event: ingest.Event{ID: fmt.Sprint("event ", i), Args: strings.Repeat("x\"", r.IntN(100))}, Folded: i%7 == 0}
				node.Size = node.Event.Size() * r.IntN(3) // a wrong estimate
				size += node.Size
				if above := len(all) - 1 - r.IntN(width); i > 0 && above >= 0 && i%40 != 0 {
					all[above].Children = append(all[above].Children, node)
				} else {
					roots = append(roots, node)
				}
				all = append(all, node)
			}
			want := string(appendRecursively(nil, roots))
			if !json.Valid([]byte(want)) {
				t.Fatal("no JSON")
			}
			for _, room := range []int{0, 100, size / 2, size + 4096, 4 * size} {
				if got := string(appendTrees(append(make([]byte, 0, room), "begun"...), roots)); got != "begun"+want {
					t.Fatalf("%d events, width %d, room for %d bytes: %d bytes, want %d, the first difference at %d",
						n, width, room, len(got)-5, len(want), difference(got[5:], want))
				}
			}
		}
	}
}

func appendRecursively(b []byte, nodes []*ingest.Node) []byte {
	b = append(b, '[')
	for i, n := range nodes {
		b = appendNode(append(comma(b, i), '{'), n)
		b = append(b, `,"children":`...)
		b = append(appendRecursively(b, n.Children), '}')
	}
	return append(b, ']')
}

func difference(a, b string) (at int) {
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return at
}
