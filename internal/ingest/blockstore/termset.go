package blockstore

import "slices"

const (
	// setTerms is up to how many terms of an event a table finds those that occur
	// twice; more are sorted.
	setTerms = 1024
	// setSlots is the length of that table.
	setSlots = 4 * setTerms
)

// termSet finds the terms that an event has twice. It is used for one event after
// the other: a slot holds a term, and the number of the event that put it there.
type termSet struct {
	slots []uint64 // term<<rowBits | round
	round uint64
}

// distinct returns each term of the hashes of an event once, at most maxTerms, in
// the memory of hashes: the hash by which it came first.
func (s *termSet) distinct(hashes []uint64) []uint64 {
	if len(hashes) > setTerms {
		slices.Sort(hashes)
		hashes = slices.CompactFunc(hashes, func(a, b uint64) bool { return termOf(a) == termOf(b) })
		return hashes[:min(len(hashes), maxTerms)]
	}
	if s.slots == nil {
		s.slots = make([]uint64, setSlots)
	}
	if s.round++; s.round > maxRunRow {
		clear(s.slots)
		s.round = 1
	}
	out := hashes[:0]
	for _, h := range hashes {
		slot := termOf(h)<<rowBits | s.round
		at := termOf(h) % setSlots
		for s.slots[at] != slot && s.slots[at]&maxRunRow == s.round {
			at = (at + 1) % setSlots
		}
		if s.slots[at] != slot {
			s.slots[at] = slot
			out = append(out, h)
		}
	}
	return out
}
