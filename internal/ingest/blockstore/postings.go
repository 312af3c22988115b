package blockstore

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// postings are the events of a run by their terms. The distinct terms of a run
// are in a list, and each event refers to its terms by their positions. Most
// events share most of their terms, so one look-up finds a term and whether the
// event already has it.
type postings struct {
	terms  []listedTerm
	slots  []uint32 // by a hash of the term: its index in terms plus 1, 0 for none
	places []uint32 // of the terms of each event, concatenated
	events []postedEvent
}

// listedTerm is a term of a run.
type listedTerm struct {
	term   uint64 // termOf a hash
	last   uint32 // the row of the last event with the term, plus 1
	events uint32 // the number of events with the term
}

// postedEvent is the row of an event, and the end of its places.
type postedEvent struct{ row, end uint32 }

// leastSlots is the number of slots of the smallest table, a power of two.
const leastSlots = 64

// slotSeed spreads terms over slots. It differs in each process, so that clients
// cannot send words whose terms all collide.
var slotSeed = maphash.Bytes(maphash.MakeSeed(), nil) | 1

// add adds an event by the hashes of its words and metadata, which may be
// repeated.
func (p *postings) add(row uint32, hashes []uint64) {
	if len(hashes) > maxTerms { // the same ones are kept in any order
		slices.Sort(hashes)
		hashes = slices.CompactFunc(hashes, func(a, b uint64) bool { return termOf(a) == termOf(b) })
		hashes = hashes[:min(len(hashes), maxTerms)]
	}
	for _, h := range hashes {
		at := p.place(termOf(h))
		if t := &p.terms[at]; t.last != row+1 {
			t.last = row + 1
			t.events++
			p.places = append(p.places, at)
		}
	}
	p.events = append(p.events, postedEvent{row, uint32(len(p.places))})
}

// slot returns the slot of a term: the one that contains it, or would.
func (p *postings) slot(term uint64) *uint32 {
	last := uint64(len(p.slots) - 1)
	for at := term * slotSeed >> 32 & last; ; at = (at + 1) & last {
		if s := &p.slots[at]; *s == 0 || p.terms[*s-1].term == term {
			return s
		}
	}
}

// place returns the index of a term, which it adds to the list if it is missing.
func (p *postings) place(term uint64) uint32 {
	if 2*len(p.terms) >= len(p.slots) {
		p.slots = make([]uint32, max(leastSlots, 4*len(p.terms)))
		for i := range p.terms {
			*p.slot(p.terms[i].term) = uint32(i + 1)
		}
	}
	s := p.slot(term)
	if *s == 0 {
		p.terms = append(p.terms, listedTerm{term: term})
		*s = uint32(len(p.terms))
	}
	return *s - 1
}

// append adds the events of other postings.
func (p *postings) append(o *postings) {
	own := make([]uint32, len(o.terms)) // the places of its terms
	for i := range o.terms {
		t := &o.terms[i]
		own[i] = p.place(t.term)
		at := &p.terms[own[i]]
		at.last = t.last
		at.events += t.events
	}
	begun := uint32(len(p.places))
	p.places = slices.Grow(p.places, len(o.places))
	for _, at := range o.places {
		p.places = append(p.places, own[at])
	}
	for _, e := range o.events {
		p.events = append(p.events, postedEvent{e.row, begun + e.end})
	}
}

// each calls fn for the rows of the events with a term.
func (p *postings) each(term uint64, fn func(row uint64)) {
	if len(p.slots) == 0 {
		return
	}
	listed := *p.slot(term)
	if listed == 0 {
		return
	}
	begin := uint32(0)
	for _, e := range p.events {
		if slices.Contains(p.places[begin:e.end], listed-1) {
			fn(uint64(e.row))
		}
		begin = e.end
	}
}

// rows returns the rows of all events with each term, in the order of the terms'
// indexes, and the end of each term's rows.
func (p *postings) rows() (rows, ends []uint32) {
	ends, rows = make([]uint32, len(p.terms)), make([]uint32, len(p.places))
	begin := uint32(0)
	for i := range p.terms {
		ends[i] = begin // where it begins, at first
		begin += p.terms[i].events
	}
	begin = 0
	for _, e := range p.events {
		for _, at := range p.places[begin:e.end] {
			rows[ends[at]] = e.row
			ends[at]++
		}
		begin = e.end
	}
	return rows, ends
}

// sorted returns the indexes of the terms in their order.
func (p *postings) sorted() []uint32 {
	const digit = (64 - rowBits) / 3
	from, to := make([]uint32, len(p.terms)), make([]uint32, len(p.terms))
	for i := range from {
		from[i] = uint32(i)
	}
	for shift := 0; shift < 64-rowBits; shift += digit {
		var starts [1<<digit + 1]uint32
		for i := range p.terms {
			starts[p.terms[i].term>>shift&(1<<digit-1)+1]++
		}
		for i := range starts[1:] {
			starts[i+1] += starts[i]
		}
		for _, at := range from {
			d := p.terms[at].term >> shift & (1<<digit - 1)
			to[starts[d]] = at
			starts[d]++
		}
		from, to = to, from
	}
	return from
}

// pages returns the postings in compressed pages, in the order of the terms, with the
// least term of each.
func (p *postings) pages() (pages [][]byte, least []uint64) {
	rows, ends := p.rows()
	inOrder := slices.IsSortedFunc(p.events, func(a, b postedEvent) int { return cmp.Compare(a.row, b.row) }) // unless blocks overlap
	var page []byte
	last := uint64(0)
	flush := func() {
		if len(page) > 0 {
			pages = append(pages, encoder.EncodeAll(page, nil))
			page = page[:0]
		}
	}
	for _, at := range p.sorted() {
		t := &p.terms[at]
		if len(page) >= termPageBytes {
			flush()
		}
		if len(page) == 0 {
			last = 0
			least = append(least, t.term)
		}
		page = binary.AppendUvarint(page, t.term-last)
		page = binary.AppendUvarint(page, uint64(t.events))
		last = t.term
		own := rows[ends[at]-t.events : ends[at]]
		if !inOrder {
			slices.Sort(own)
		}
		row := uint32(0)
		for _, r := range own {
			if r-row < 0x80 { // of most terms, in a pass over all postings
				page = append(page, byte(r-row))
			} else {
				page = binary.AppendUvarint(page, uint64(r-row))
			}
			row = r
		}
	}
	flush()
	return pages, least
}
