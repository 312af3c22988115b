package ingest

import "math/bits"

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) with(n int) bitset {
	for n/64 >= len(b) {
		b = append(b, make([]uint64, len(b)+16)...)
	}
	b[n/64] |= 1 << (n % 64)
	return b
}

func (b bitset) count() (n int64) {
	for _, w := range b {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
