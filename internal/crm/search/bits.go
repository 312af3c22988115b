package search

import (
	"math/bits"

	"understudy/internal/crm/schema"
)

// set is a set of record ids: bit i represents the id schema.FirstID + i. Ids
// have few gaps, so a set of a million records takes 125 KB.
type set []uint64

func newSet(size int64) set { return make(set, (size+63)/64) }

func (s set) add(id int64) {
	if i := id - schema.FirstID; i >= 0 && i/64 < int64(len(s)) {
		s[i/64] |= 1 << (i % 64)
	}
}

func (s set) remove(id int64) {
	if i := id - schema.FirstID; i >= 0 && i/64 < int64(len(s)) {
		s[i/64] &^= 1 << (i % 64)
	}
}

func (s set) has(id int64) bool {
	i := id - schema.FirstID
	return i >= 0 && i/64 < int64(len(s)) && s[i/64]>>(i%64)&1 == 1
}

// The operations below change s; both sets have the same size.

func (s set) union(o set) set {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

func (s set) intersect(o set) set {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

func (s set) minus(o set) set {
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

func (s set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// ids returns at most n ids of the set after the first skip, in order.
func (s set) ids(skip, n int) []int64 {
	out := make([]int64, 0, min(n, 1024))
	for i, w := range s {
		if c := bits.OnesCount64(w); skip >= c {
			skip -= c
			continue
		}
		for ; w != 0; w &= w - 1 {
			if skip > 0 {
				skip--
				continue
			}
			if len(out) == n {
				return out
			}
			out = append(out, schema.FirstID+int64(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
