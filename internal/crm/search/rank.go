package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"understudy/internal/crm/schema"
)

// ranking identifies the ranks of a property; see crm_rank.
type ranking struct{ portal, property int64 }

// rank is the rank of a value; unknown if the value has none.
type rank struct {
	n       uint64
	unknown bool
}

// cells holds the ranks of a chunk. Those that were read are decoded before the
// first change.
type cells struct {
	stored  []byte // as read, with 8 bytes after the last cell; nil once decoded
	ranks   []uint64
	present []bool
	unknown bool // a value has no rank, so that the chunk is not stored
	changed bool
}

func newCells(size int64) *cells {
	return &cells{ranks: make([]uint64, size), present: make([]bool, size)}
}

// storedCells returns cells as they were read.
func storedCells(b []byte) *cells {
	return &cells{stored: append(slices.Clone(b), make([]byte, 8)...)}
}

// at returns a rank, and whether there is one.
func (c *cells) at(i int64) (uint64, bool) {
	if c.stored == nil {
		return c.ranks[i], c.present[i]
	}
	base, width := binary.BigEndian.Uint64(c.stored), int(c.stored[8])
	cell := cellAt(c.stored[cellsHeader:], int(i), width)
	return cell - 1 + base, cell != 0
}

func (c *cells) set(i int64, r rank) {
	c.unknown = c.unknown || r.unknown
	if n, ok := c.at(i); !ok || n != r.n {
		c.decode()
		c.ranks[i], c.present[i], c.changed = r.n, true, true
	}
}

func (c *cells) unset(i int64) {
	c.decode()
	c.ranks[i], c.present[i], c.changed = 0, false, true
}

// cellsHeader is the length of base and width.
const cellsHeader = 9

// encode returns the stored form; see crm_rank.
func (c *cells) encode() []byte {
	base, top, any := uint64(math.MaxUint64), uint64(0), false
	for i, n := range c.ranks {
		if c.present[i] {
			base, top, any = min(base, n), max(top, n), true
		}
	}
	if !any {
		base, top = 0, 0
	}
	width := max(1, (bits.Len64(top-base+1)+7)/8)
	out := binary.BigEndian.AppendUint64(make([]byte, 0, cellsHeader+len(c.ranks)*width+8), base)
	out = append(out, byte(width))
	for i, n := range c.ranks {
		cell := uint64(0)
		if c.present[i] {
			cell = n - base + 1
		}
		out = binary.LittleEndian.AppendUint64(out, cell)[:cellsHeader+(i+1)*width]
	}
	return out
}

// decode decodes cells that were read.
func (c *cells) decode() {
	if c.stored == nil {
		return
	}
	base, width := binary.BigEndian.Uint64(c.stored), int(c.stored[8])
	n := (len(c.stored) - cellsHeader - 8) / width
	c.ranks, c.present = make([]uint64, n), make([]bool, n)
	for i := range n {
		if cell := cellAt(c.stored[cellsHeader:], i, width); cell != 0 {
			c.ranks[i], c.present[i] = cell-1+base, true
		}
	}
	c.stored = nil
}

// cellAt returns a cell; 8 bytes must follow the last one.
func cellAt(b []byte, i, width int) uint64 {
	return binary.LittleEndian.Uint64(b[i*width:]) & (math.MaxUint64 >> (64 - 8*width))
}

// addInRange adds the records of a stored chunk that are between two ranks to a
// set. first is the index of the chunk's first bit.
func addInRange(into set, first int64, b []byte, low, high uint64) {
	base, width := binary.BigEndian.Uint64(b), int(b[8])
	if high < base {
		return
	}
	low = max(low, base) - base + 1
	high = min(high-base, math.MaxUint64-1) + 1
	n := (len(b) - cellsHeader) / width
	b = append(b[cellsHeader:], 0, 0, 0, 0, 0, 0, 0, 0)
	for i := range n {
		if cell := cellAt(b, i, width); cell >= low && cell <= high {
			at := first + int64(i)
			into[at/64] |= 1 << (at % 64)
		}
	}
}

// updateRanks updates the ranks of a changed record. A chunk without stored cells
// gets them only if no other record has a value.
func (c *chunk) updateRanks(i int64, in []ranked) {
	ranks := map[ranking]rank{}
	for _, r := range in {
		ranks[r.ranking] = r.rank
	}
	for p, stored := range c.ranks {
		if r, ok := ranks[p]; ok {
			stored.set(i, r)
		} else if _, ok := stored.at(i); ok {
			stored.unset(i)
		}
	}
	for p, r := range ranks {
		if c.ranks[p] == nil && !slices.ContainsFunc(c.postings[posting{p.portal, p.property, ""}], func(b byte) bool { return b != 0 }) {
			c.ranks[p] = newCells(c.size)
			c.ranks[p].set(i, r)
		}
	}
}

// ranked reports whether ranks can evaluate the range.
func (f *predicate) ranked() bool {
	_, _, ok := f.rankBounds()
	return ok
}

// rankBounds returns the lowest and the highest rank of a range, which is empty
// if low is above high.
func (f *predicate) rankBounds() (low, high uint64, ok bool) {
	if f.property.Many() || !f.property.Ranked() {
		return 0, 0, false
	}
	low, high = 0, math.MaxUint64
	if f.low.set && f.low.key != "" { // no value has the key ""
		if low, ok = f.property.Rank(f.low.key); !ok {
			return 0, 0, false
		}
		if f.low.strict {
			low++ // no value has the highest rank
		}
	}
	if f.high.set {
		if high, ok = f.property.Rank(f.high.key); !ok {
			return 0, 0, false
		}
		if f.high.strict {
			if high == 0 {
				return 1, 0, true
			}
			high--
		}
	}
	return low, high, true
}

// ranked returns the records in a range. has returns the records with a value;
// those in chunks without cells are tested one by one.
func (ps *postings) ranked(pl *plan, p *predicate, has func() (set, error)) (set, error) {
	low, high, _ := p.rankBounds()
	out := ps.empty()
	missing, err := ps.readRanked(ranking{ps.f.Portal, p.property.Number}, low, high, out)
	if err != nil || len(missing) == 0 {
		return out, err
	}
	of, err := has()
	if err != nil {
		return nil, err
	}
	look := ps.empty()
	for _, number := range missing {
		for at := number * ps.size; at < (number+1)*ps.size; at++ {
			if of[at/64]>>(at%64)&1 == 1 {
				look.add(schema.FirstID + at)
			}
		}
	}
	if look, err = ps.passing(pl, look, []*predicate{p}); err != nil {
		return nil, err
	}
	return out.union(look), nil
}

// idsInRange returns the ids in a range.
func (ps *postings) idsInRange(p *predicate) set {
	out := ps.empty()
	low, high := float64(schema.FirstID), float64(ps.end()-1)
	if p.low.set {
		n := schema.NumberOfKey(p.low.key)
		if p.low.strict && n == math.Trunc(n) {
			n++
		}
		low = max(low, math.Ceil(n))
	}
	if p.high.set {
		n := schema.NumberOfKey(p.high.key)
		if p.high.strict && n == math.Trunc(n) {
			n--
		}
		high = min(high, math.Floor(n))
	}
	for id := low; id <= high; id++ {
		out.add(int64(id))
	}
	return out
}
