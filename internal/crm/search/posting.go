package search

import (
	"hash/maphash"
	"maps"
	"math/bits"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

const (
	// chunkSize is how many ids a row of a posting stands for.
	chunkSize = 512
	// maxLoose is how many records, newer or changed since than the postings, a search looks at one by one.
	maxLoose = 4_096
)

// posting names a set of records that is stored; see crm_posting.
type posting struct {
	portal, property int64
	value            string
}

func (p posting) isWord() bool { return p.property == 0 }

// always reports whether the set is stored for every chunk, however few it has.
func (p posting) always() bool { return p.value == "" }

func liveRecords(f *Fields) posting { return posting{f.Portal, -int64(f.Type), ""} }

func withValue(f *Fields, p *schema.Property) posting { return posting{f.Portal, p.Number, ""} }

// entry is what the postings and ranks of a chunk say of one live record.
type entry struct {
	in    []member // some of them more than once
	ranks []ranked
}

// ranked is the rank of a record's value of a property.
type ranked struct {
	ranking
	rank
}

func (e *entry) add(p posting) { e.in = append(e.in, memberOf(p)) }

// member is a posting that a record is in.
type member struct {
	posting
	bucket uint16 // the same for each record of the posting, by which fillChunk counts
}

var bucketSeed = maphash.MakeSeed()

func memberOf(p posting) member {
	return member{p, uint16((maphash.String(bucketSeed, p.value) + uint64(p.property)*0x9E3779B97F4A7C15) >> 48)}
}

// chunk is the postings of a chunk of ids that are stored.
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

// fillChunk returns the postings and ranks of a complete chunk, which are its first.
// A posting that has few of the records is left out: they are found by the table
// of values, or the index of words. Most postings are such ones, an address for
// instance, so it is counted beforehand how many may have enough.
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

// count returns how many bits are set.
func count(set []byte) (n int64) {
	for _, b := range set {
		n += int64(bits.OnesCount8(b))
	}
	return n
}

// update sets the bits and cells of a record that has changed in what is
// stored, and adds what is always stored. A nil entry is of a record that is gone.
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

// postings answers filters by stored sets, as of one transaction.
type postings struct {
	tx    *store.Tx
	f     *Fields
	size  int64 // of a chunk
	built int64 // chunks that have their sets
	// loose are the records that the sets do not know as they are: those of
	// chunks that are not complete, and those changed since. Sets leave them out.
	loose map[int64]*schema.Record
	most  int     // up to how many records an index is read instead of the sets
	gone  []int64 // ids to leave out of sets: of loose records, and of what is archived since
}

// open returns the postings of a type; nil where there are none, or when too
// many records are newer than they are.
func (x *Index) open(tx *store.Tx, f *Fields) (*postings, error) {
	if !behindWrites(tx) {
		return nil, nil
	}
	ps := &postings{tx: tx, f: f, size: x.Chunk, most: 2 * x.Gather, loose: map[int64]*schema.Record{}}
	var err error
	if ps.built, err = builtChunks(tx); err != nil {
		return nil, err
	}
	if ps.gone, err = pendingIDs(tx, maxLoose+1); err != nil || len(ps.gone) > maxLoose {
		x.words.Wake() // they may be behind since an earlier run
		return nil, err
	}
	changed, err := readRecords(tx, f, ps.gone)
	if err != nil {
		return nil, err
	}
	newer, err := recordsFrom(tx, f, ps.end(), maxLoose+1)
	if err != nil || len(newer) > maxLoose {
		x.words.Wake()
		return nil, err
	}
	for id, r := range changed {
		if r.Archived == 0 {
			ps.loose[id] = r
		}
	}
	for _, r := range newer {
		ps.loose[r.ID] = r
	}
	return ps, nil
}

// end returns the first id that no set stands for.
func (ps *postings) end() int64 { return schema.FirstID + ps.built*ps.size }

func (ps *postings) empty() set { return newSet(ps.built * ps.size) }

// matching returns the records of the postings' chunks that pass all
// predicates of a group, and those loose ones that do.
func (ps *postings) matching(pl *plan, g *group) (set, []int64, error) {
	out, err := ps.read(liveRecords(ps.f))
	if err != nil {
		return nil, nil, err
	}
	var look []*predicate // they have to look at the record
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
	for _, id := range ps.gone {
		out.remove(id)
	}
	if len(look) > 0 {
		if out, err = ps.passing(pl, out, look); err != nil {
			return nil, nil, err
		}
	}
	var loose []int64
	for id, r := range ps.loose {
		if g.matches(r) {
			loose = append(loose, id)
		}
	}
	return out, loose, nil
}

// passing looks at the records of a set.
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
