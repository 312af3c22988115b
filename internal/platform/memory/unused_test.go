package memory

import "testing"

// What cannot be returned, because objects are spread over the heap, is not asked for again
// until more is unused.
func TestUnusedHeapIsReturnedOnce(t *testing.T) {
	const mib = 1 << 20
	var h heap
	for _, c := range []struct {
		name       string
		live, held uint64
		want       bool
		left       uint64 // held after it was returned
	}{
		{"garbage of a request", 100 * mib, 200 * mib, true, 180 * mib},
		{"the same is held", 100 * mib, 180 * mib, false, 0},
		{"a little more", 100 * mib, 205 * mib, false, 0},
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
}
