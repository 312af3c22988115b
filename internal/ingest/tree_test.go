package ingest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// shape writes a tree as text, to compare and to read.
func shape(nodes []*Node) (s string) {
	for _, n := range nodes {
		s += "(" + n.ID
		if n.ParentMissing {
			s += " missing"
		}
		if n.Cycle {
			s += " cycle"
		}
		if n.Folded {
			s += " folded"
		}
		s += shape(n.Children) + ")"
	}
	return s
}

func at(id, parent string, time, seq int64) Listed {
	return Listed{Event: Event{ID: id, Parent: parent, Time: time, Latency: Absent}, Position: Position{time, seq}}
}

func TestTree(t *testing.T) {
	for name, c := range map[string]struct {
		events []Listed
		want   string
	}{
		"children first":       {[]Listed{at("c", "b", 3, 1), at("b", "a", 2, 2), at("a", "", 1, 3)}, "(a(b(c)))"},
		"siblings by start":    {[]Listed{at("a", "", 1, 1), at("x", "a", 5, 2), at("y", "a", 4, 3)}, "(a(y)(x))"},
		"then by arrival":      {[]Listed{at("a", "", 1, 1), at("x", "a", 5, 3), at("y", "a", 5, 2)}, "(a(y)(x))"},
		"a parent is missing":  {[]Listed{at("a", "", 1, 1), at("b", "nowhere", 2, 2)}, "(a)(b missing)"},
		"a circle of three":    {[]Listed{at("a", "c", 1, 1), at("b", "a", 2, 2), at("c", "b", 3, 3)}, "(a cycle(b(c)))"},
		"a tail on the circle": {[]Listed{at("t", "a", 0, 4), at("a", "b", 2, 1), at("b", "a", 1, 2)}, "(b cycle(a(t)))"},
	} {
		if got := shape(Tree(c.events)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// oracle is the tree by the plainest means: each event is followed up its
// parents, and its place is the path to it.
func oracle(events []Listed) map[string][]string {
	byID := map[string]Listed{}
	for _, e := range events {
		byID[e.ID] = e
	}
	earlier := func(a, b Listed) bool {
		return a.Event.Time < b.Event.Time || a.Event.Time == b.Event.Time && (a.Seq < b.Seq)
	}
	cut := func(e Listed) bool { // whether e lies on a circle and is its earliest
		first := e
		at := e
		for range len(events) {
			p, ok := byID[at.Parent]
			if !ok {
				return false
			}
			if p.ID == e.ID {
				return first.ID == e.ID
			}
			if earlier(p, first) {
				first = p
			}
			at = p
		}
		return false
	}
	paths := map[string][]string{}
	for _, e := range events {
		path := []string{e.ID}
		for at := e; !cut(at); {
			p, ok := byID[at.Parent]
			if !ok {
				break
			}
			path = append(path, p.ID)
			at = p
		}
		slices.Reverse(path)
		paths[e.ID] = path
	}
	return paths
}

func TestTreeAgreesWithThePlainWay(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(14)
		events := make([]Listed, n)
		for i := range events {
			parent := ""
			if p := r.IntN(n + 2); p < n && p != i {
				parent = fmt.Sprint("e", p)
			} else if p > n {
				parent = "nowhere"
			}
			events[i] = at(fmt.Sprint("e", i), parent, int64(1+r.IntN(4)), int64(i))
		}
		want := oracle(events)
		r.Shuffle(n, func(i, j int) { events[i], events[j] = events[j], events[i] })
		got := map[string][]string{}
		var walk func(nodes []*Node, path []string)
		walk = func(nodes []*Node, path []string) {
			for i, m := range nodes {
				if i > 0 && (Place{nodes[i-1].Start(), nodes[i-1].seq}).Compare(Place{m.Start(), m.seq}) >= 0 {
					t.Fatalf("seed %d: siblings out of order", seed)
				}
				here := append(slices.Clone(path), m.ID)
				got[m.ID] = here
				walk(m.Children, here)
			}
		}
		walk(Tree(events), nil)
		for id, path := range want {
			if !slices.Equal(got[id], path) {
				t.Fatalf("seed %d: %s is at %v, want %v", seed, id, got[id], path)
			}
		}
		if len(got) != n {
			t.Fatalf("seed %d: %d events, want %d", seed, len(got), n)
		}
	}
}

func TestADeepTreeIsFoldedAndWhole(t *testing.T) {
	var events []Listed
	for i := range 10_000 {
		parent := ""
		if i > 0 {
			parent = fmt.Sprint(i - 1)
		}
		events = append(events, at(fmt.Sprint(i), parent, int64(i+1), int64(i)))
	}
	depth, count, folded := 0, 0, 0
	var walk func(nodes []*Node, level int)
	walk = func(nodes []*Node, level int) {
		depth = max(depth, level)
		for _, n := range nodes {
			count++
			if n.Folded {
				folded++
			}
			walk(n.Children, level+1)
		}
	}
	walk(Tree(events), 0)
	if count != 10_000 || depth != maxDepth+1 || folded != 10_000-maxDepth {
		t.Errorf("%d events, depth %d, %d folded", count, depth, folded)
	}
}

// Many events below the greatest depth take no longer than as many beside each other.
func TestAWideTreeIsFoldedAtOnce(t *testing.T) {
	const wide = 100_000
	var events []Listed
	for i := range maxDepth + 10 {
		events = append(events, at(fmt.Sprint(i), fmt.Sprint(i-1), int64(i+1), int64(i)))
	}
	last := events[len(events)-1].ID
	for i := range wide {
		events = append(events, at(fmt.Sprint("w", i), last, int64(1000+i), int64(1000+i)))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	roots := Tree(events)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 300 {
		t.Errorf("%d MiB were allocated for %d events", n, len(events))
	}
	n := roots[0]
	for range maxDepth - 1 {
		n = n.Children[0]
	}
	if len(n.Children) != wide+10 || n.Children[0].ID != fmt.Sprint(maxDepth) || n.Children[wide+9].ID != fmt.Sprint("w", wide-1) {
		t.Errorf("%d events stand below the greatest depth", len(n.Children))
	}
}

func TestTimeline(t *testing.T) {
	e := Event{Time: 1_700_000_000_000, Latency: 100,
		Metadata:    `{"checkpoint.b":50,"checkpoint.a":"20.5","checkpoint.o":{"ms":30,"metadata":{"k":1}},"checkpoint.e":1700000000090,"checkpoint.late":120,"checkpoint.no":true,"checkpoint.neg":-1,"other":5}`,
		Checkpoints: `[{"name":"b","timestamp":60}]`}
	var got string
	for _, c := range e.Timeline() {
		got += fmt.Sprintf("%s=%v%s%v ", c.Name, c.Offset, c.Metadata, c.Late)
	}
	if want := `a=20.5false o=30{"k":1}false b=50false b=60false e=90false late=120true `; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
