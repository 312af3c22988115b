package blockstore

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unsafe"
)

// textTable maps the texts of a query to numbers, such as users with a trait.
// Most texts of a block are not in it: reading one slot of eight bytes shows
// that.
type textTable struct {
	slots []textSlot // a power of two of them, a third of them in use at most
	shift int        // shift of a hash that leaves the number of its slot
	texts []string
}

// textSlot is a text with its number. A slot without a text has mark 0.
type textSlot struct {
	mark uint32 // the low bits of the hash, odd
	at   int32  // in textTable.texts
}

// newTextTable returns a table of texts, which are numbered in their order.
func newTextTable(texts []string) *textTable {
	size := bits.Len(uint(3 * len(texts)))
	t := &textTable{slots: make([]textSlot, 1<<size), shift: 64 - size, texts: texts}
	for i, text := range texts {
		h := hashText(text)
		at := h >> t.shift
		for t.slots[at].mark != 0 {
			at = (at + 1) & uint64(len(t.slots)-1)
		}
		t.slots[at] = textSlot{uint32(h) | 1, int32(i)}
	}
	return t
}

// find returns the number of a text, or none.
func (t *textTable) find(text string) int {
	h := hashText(text)
	for at := h >> t.shift; ; at++ {
		s := t.slots[at&uint64(len(t.slots)-1)]
		if s.mark == 0 {
			return none
		}
		if s.mark == uint32(h)|1 && t.texts[s.at] == text {
			return int(s.at)
		}
	}
}

// textSeed and textSeeds are random for each process, so that clients cannot
// choose texts that share a slot.
var (
	textSeed  = maphash.MakeSeed()
	textSeeds = [...]uint64{maphash.Bytes(textSeed, []byte{1}), maphash.Bytes(textSeed, []byte{2})}
)

// hashText returns a hash of a text. Most ids of users are short, and need only
// one multiplication.
func hashText(text string) uint64 {
	n := len(text)
	b := unsafe.Slice(unsafe.StringData(text), n)
	var first, last uint64
	switch {
	case n > 16:
		return maphash.String(textSeed, text)
	case n >= 8:
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		first = uint64(binary.LittleEndian.Uint32(b))<<32 | uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		first = uint64(b[0])<<16 | uint64(b[n/2])<<8 | uint64(b[n-1])
	}
	high, low := bits.Mul64(first^textSeeds[0], last^textSeeds[1]^uint64(n))
	return high ^ low
}
