package search

import (
	"errors"
	"hash/maphash"
	"maps"
	"math/bits"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// chunkSize is how many ids a row of a posting covers.
const chunkSize = 512

// posting identifies a stored set of records; see crm_posting.
type posting struct {
	portal, property int64
	value            string
}

func (p posting) isWord() bool { return p.property == 0 }

// always reports whether the set is stored for every chunk, however small.
func (p posting) always() bool { return p.value == "" }

func liveRecords(f *Fields) posting { return posting{f.Portal, -int64(f.Type), ""} }

func withValue(f *Fields, p *schema.Property) posting { return posting{f.Portal, p.Number, ""} }

// entry holds the postings and ranks of one live record.
type entry struct {
	in    []member // may contain duplicates
	ranks []ranked
}

// ranked is the rank of a record's value of a property.
type ranked struct {
	ranking
	rank
}

func (e *entry) add(p posting) { e.in = append(e.in, memberOf(p)) }

// member is a posting that contains a record.
type member struct {
	posting
	bucket uint16 // hash of the posting, used by fillChunk to count
}

var bucketSeed = maphash.MakeSeed()

func memberOf(p posting) member {
	return member{p, uint16((maphash.String(bucketSeed, p.value) + uint64(p.property)*0x9E3779B97F4A7C15) >> 48)}
}

// chunk holds the stored postings of a chunk of ids.
type chunk struct {
	number   int64
	size     int64
	postings map[posting][]byte
	ranks    map[ranking]*cells
}

func newChunk(number, size int64) *chunk {
	return &chunk{number, size, map[posting][]byte{}, map[ranking]*cells{}}
}

// first returns the first id of a chunk.
func (c *chunk) first() int64 { return schema.FirstID + c.number*c.size }

// fillChunk returns the first postings and ranks of a complete chunk. It leaves
// out postings with few records, which are found in the value table or the index
// of words instead. Since most are such ones, e-mail addresses for instance, it
// first counts by bucket which can have enough records.
func fillChunk(number, size int64, ids []int64, entries []*entry) *chunk {
	c := newChunk(number, size)
	counts := make([]uint32, 1<<16)
	for _, e := range entries {
		for _, m := range e.in {
			counts[m.bucket]++
		}
	}
	for n, e := range entries {
		i := ids[n] - c.first()
		for _, r := range e.ranks {
			of := c.ranks[r.ranking]
			if of == nil {
				of = newCells(c.size)
				c.ranks[r.ranking] = of
			}
			of.set(i, r.rank)
		}
		for _, m := range e.in {
			if !m.always() && int64(counts[m.bucket])*64 < size {
				continue
			}
			b := c.postings[m.posting]
			if b == nil {
				b = make([]byte, (size+7)/8)
				c.postings[m.posting] = b
			}
			b[i/8] |= 1 << (i % 8)
		}
	}
	maps.DeleteFunc(c.postings, func(p posting, b []byte) bool { return !p.always() && count(b)*64 < size })
	return c
}

// count returns the number of bits set.
func count(set []byte) (n int64) {
	for _, b := range set {
		n += int64(bits.OnesCount8(b))
	}
	return n
}

// concerning returns a function that reports whether a stored posting may change,
// or is asked for, when records change.
func (c *chunk) concerning(changed map[int64]*entry) func(p posting, b []byte) bool {
	in := map[posting]bool{}
	var at []int64
	for id, e := range changed {
		at = append(at, id-c.first())
		if e != nil {
			for _, m := range e.in {
				in[m.posting] = true
			}
		}
	}
	return func(p posting, b []byte) bool {
		for _, i := range at {
			if b[i/8]>>(i%8)&1 == 1 {
				return true
			}
		}
		return p.always() || in[p]
	}
}

// update updates the stored postings and ranks for a changed record, and adds
// postings that are always stored. A nil entry means that the record is gone.
func (c *chunk) update(id int64, e *entry) {
	i := id - c.first()
	if e == nil {
		e = &entry{}
	}
	c.updateRanks(i, e.ranks)
	in := map[posting]bool{}
	for _, m := range e.in {
		p := m.posting
		in[p] = true
		if p.always() && c.postings[p] == nil {
			c.postings[p] = make([]byte, (c.size+7)/8)
		}
	}
	for p, b := range c.postings {
		if b[i/8] &^= 1 << (i % 8); in[p] {
			b[i/8] |= 1 << (i % 8)
		}
	}
}

// postings evaluates filters on stored sets, within one transaction.
type postings struct {
	tx    *store.Tx
	f     *Fields
	size  int64 // of a chunk
	built int64 // number of chunks with sets
	// loose are the records whose state the sets lack: those of incomplete chunks, and
	// those changed since. Results of sets exclude them.
	loose *loose
	most  int // up to how many records an index is read instead of the sets
}

// open returns the postings of a type; nil if the loose records are too many or too
// large.
func (x *Index) open(tx *store.Tx, f *Fields) (*postings, error) {
	ps := &postings{tx: tx, f: f, size: x.Chunk, most: 2 * x.Gather}
	var err error
	if ps.built, err = builtChunks(tx); err != nil {
		return nil, err
	}
	ps.loose, err = readLoose(tx, f, ps.end())
	if errors.Is(err, errLoose) {
		x.words.Wake() // the backlog may date from an earlier run
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ps, nil
}

// end returns the first id after the chunks with sets.
func (ps *postings) end() int64 { return schema.FirstID + ps.built*ps.size }

func (ps *postings) empty() set { return newSet(ps.built * ps.size) }

// matching returns the records that pass all predicates of a group: a set, and
// the ids of loose ones.
func (ps *postings) matching(pl *plan, g *group) (set, []int64, error) {
	out, err := ps.read(liveRecords(ps.f))
	if err != nil {
		return nil, nil, err
	}
	var look []*predicate // predicates to be tested on each record
	for _, p := range g.all {
		of, exact, err := ps.of(pl, p)
		if err != nil {
			return nil, nil, err
		}
		if of != nil {
			out.intersect(of)
		}
		if !exact {
			look = append(look, p)
		}
	}
	for _, id := range ps.loose.gone {
		out.remove(id)
	}
	if len(look) > 0 {
		if out, err = ps.passing(pl, out, look); err != nil {
			return nil, nil, err
		}
	}
	var loose []int64
	for id, r := range ps.loose.live {
		if g.matches(r) {
			loose = append(loose, id)
		}
	}
	return out, loose, nil
}

// passing returns the records of a set that pass predicates, which it tests on
// each record.
func (ps *postings) passing(pl *plan, of set, look []*predicate) (set, error) {
	out := ps.empty()
	g := &group{rest: look}
	for skip := 0; ; skip += 1000 {
		ids := of.ids(skip, 1000)
		if len(ids) == 0 {
			return out, nil
		}
		kept, err := pl.filterIDs(ps.tx, g, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range kept {
			out.add(id)
		}
	}
}
