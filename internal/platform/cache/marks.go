package cache

import (
	"hash/maphash"
	"sync/atomic"
)

// slots is the number of hashes that Marks holds.
const slots = 256

// Marks remembers which keys were requested lately, for caches whose values are
// mostly requested only once. It holds a hash of each key in the slot of its low
// bits, so it may forget a key. It is safe for concurrent use.
type Marks struct {
	seed   maphash.Seed
	hashes [slots]atomic.Uint64
}

// NewMarks returns empty marks.
func NewMarks() *Marks { return &Marks{seed: maphash.MakeSeed()} }

// Asked marks a key, and reports whether it was marked before.
func Asked[K comparable](m *Marks, key K) bool { return m.mark(maphash.Comparable(m.seed, key)) }

// AskedBytes is Asked for a key in a buffer.
func AskedBytes(m *Marks, key []byte) bool { return m.mark(maphash.Bytes(m.seed, key)) }

func (m *Marks) mark(h uint64) bool { return m.hashes[h%slots].Swap(h) == h }
