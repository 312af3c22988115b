package blockstore

import (
	"fmt"
	"testing"
)

// A table finds each of its texts and no other, whatever their number and length, also
// where slots are shared.
func TestTextsAreFoundByTheirNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 5, 100, 20_000} {
		var texts []string
		for i := range n {
			texts = append(texts, fmt.Sprintf("%0*d", 1+i%40, i))
		}
		table := newTextTable(texts)
		for i, text := range texts {
			if at := table.find(text); at < 0 || table.texts[at] != text || at > i {
				t.Fatalf("%d texts: %q is %d, want %d", n, text, at, i)
			}
		}
		for i := range 1000 {
			if text := fmt.Sprint("other ", i); table.find(text) != none {
				t.Errorf("%d texts: found %q", n, text)
			}
		}
		if n > 0 {
			before := table.texts[n/2]
			table.texts[n/2] = "another with the same hash"
			if table.find(before) != none {
				t.Errorf("%d texts: a text was found by its hash alone", n)
			}
		}
		if n < 100 && n > 0 && table.find("") != none {
			t.Errorf("%d texts: found the empty one", n)
		}
	}
}
