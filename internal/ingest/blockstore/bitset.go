package blockstore

import (
	"iter"
	"math/bits"
	"slices"
	"strings"

	"understudy/internal/ingest"
)

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) with(n int) bitset {
	for n/64 >= len(b) {
		b = append(b, make([]uint64, len(b)+16)...)
	}
	b[n/64] |= 1 << (n % 64)
	return b
}

func (b bitset) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// anyIn reports whether a number from first to last is in the set.
func (b bitset) anyIn(first, last int) bool {
	for n := first; n <= last && n < 64*len(b); n++ {
		if n%64 == 0 && b[n/64] == 0 {
			n += 63
		} else if b.has(n) {
			return true
		}
	}
	return false
}

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// and returns the intersection of two sets.
func (b bitset) and(o bitset) bitset {
	out := make(bitset, min(len(b), len(o)))
	for i := range out {
		out[i] = b[i] & o[i]
	}
	return out
}

// or returns the union of two sets.
func (b bitset) or(o bitset) bitset {
	if len(b) < len(o) {
		b, o = o, b
	}
	out := slices.Clone(b)
	for i := range o {
		out[i] |= o[i]
	}
	return out
}

// all returns the numbers in the set, ascending.
func (b bitset) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range b {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

func (b bitset) count() (n int64) {
	for _, w := range b {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

// numbering assigns numbers to the distinct values of a dimension over all
// blocks.
type numbering struct {
	numbers map[string]int
	users   bool
	column  *ingest.Dict
	owner   ingest.Owner
	own     []int // the numbers of a block's texts; unknown until first used
	nobody  int   // index of "" among the users of a block
	session []int // the numbers of the users of a block's sessions
}

const (
	several = -3 // or less: only an adder has such keys
	unknown = -2
	none    = -1
)

func (n *numbering) begin(q *ingest.Sum, by ingest.Dimension, c *ingest.Columns) {
	n.users, n.owner, n.column = by == ingest.ByUser, q.Owner, columnOf(c, by)
	n.own = allUnknown(n.own, len(n.column.Values))
	if n.users {
		n.nobody = slices.Index(c.User.Values, "")
		n.session = allUnknown(n.session, len(c.Session.Values))
	}
}

// of returns the number of a row's value; none if it has no value.
func (n *numbering) of(c *ingest.Columns, i int) int {
	at := n.column.Of(i)
	if n.users && at == n.nobody {
		s := c.Session.Of(i)
		if n.session[s] == unknown {
			n.session[s] = n.number(n.owner(c.Session.Values[s]))
		}
		return n.session[s]
	}
	if n.own[at] == unknown {
		n.own[at] = n.number(n.column.Values[at])
	}
	return n.own[at]
}

func (n *numbering) number(text string) int {
	if text == "" {
		return none
	}
	at, ok := n.numbers[text]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[string]int{}
		}
		at = len(n.numbers)
		n.numbers[strings.Clone(text)] = at
	}
	return at
}

func allUnknown(s []int, n int) []int {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = unknown
	}
	return s
}
