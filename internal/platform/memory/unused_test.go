package memory

import (
	"slices"
	"testing"
)

// What cannot be returned, because objects are spread over the heap, is asked for again
// when more is unused, and else after pauses that get longer.
func TestUnusedHeapIsNotReturnedAgainAndAgain(t *testing.T) {
	const mib = 1 << 20
	var h heap
	for _, c := range []struct {
		name       string
		live, held uint64
		want       bool
		left       uint64 // held after it was returned
	}{
		{"garbage of a request", 100 * mib, 200 * mib, true, 180 * mib},
		{"little was returned", 100 * mib, 180 * mib, false, 0},
		{"a little more", 100 * mib, 205 * mib, true, 130 * mib},
		{"much was returned", 100 * mib, 158 * mib, true, 156 * mib},
		{"much more", 100 * mib, 220 * mib, true, 180 * mib},
		{"objects have ended, as a collection found", 60 * mib, 180 * mib, true, 90 * mib},
		{"less is unused", 80 * mib, 90 * mib, false, 0},
		{"and more again", 80 * mib, 145 * mib, true, 90 * mib},
		{"more is live than held when they are read one after another", 91 * mib, 90 * mib, false, 0},
	} {
		got := h.excessive(c.live, c.held)
		if got != c.want {
			t.Errorf("%s: returned: %t", c.name, got)
		}
		if got {
			h.returned(c.live, c.left)
		}
	}
	h = heap{}
	var at []int
	for n := range 300 {
		if h.excessive(100*mib, 200*mib) {
			at = append(at, n)
			h.returned(100*mib, 200*mib)
		}
	}
	if want := []int{0, 2, 6, 14, 30, 62, 126, 190, 254}; !slices.Equal(at, want) {
		t.Errorf("what is stuck is returned at %d, want %d", at, want)
	}
}
