package cause

import (
	"cmp"
	"math"
	"slices"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Effects returns the rows that requests changed, and the things inside rows that
// they reported, each once for each request, in the order of their first changes.
// It scans the journal once. A deleted row is Gone: SQLite may have reused its
// number.
func (j *Journal) Effects(seqs ...int64) []diff.Effect {
	j.readOlder()
	found := newEffects(seqs)
	inside := map[uint16][]int64{} // sorted numbers of things, by table
	going := map[rowID]bool{}      // rows whose number another row gets
	j.each(0, 1<<62, func(_ int64, c *store.Change) {
		if c.Op == store.Deleted && numbered(j, j.tables.list[c.Table-1]) {
			going[rowID{c.Table, c.Row}] = true
		}
	})
	onRow := map[rowID][]int32{} // the effects on each row in going
	j.each(0, 1<<62, func(_ int64, c *store.Change) {
		t := &j.tables.list[c.Table-1]
		if c.Op == store.Inserted && t.inside {
			inside[c.Table] = append(inside[c.Table], c.Row)
		}
		if c.Op == store.Bulk {
			return
		}
		row := rowID{c.Table, c.Row}
		if by := found.of(c.Seq); by != nil {
			at, known := found.find(by, row)
			if !known {
				at = found.add(by, row, diff.Effect{Seq: c.Seq, World: t.world, Table: t.name, Row: c.Row, Any: c.Any, First: c.Op})
				if len(going) > 0 && going[row] {
					onRow[row] = append(onRow[row], at)
				}
			}
			found.list[at].Last = c.Op
		}
		if c.Op == store.Deleted && onRow[row] != nil {
			for _, at := range onRow[row] {
				found.list[at].Gone = true
			}
			delete(onRow, row)
		}
	})
	out := found.list
	for table, numbers := range inside {
		slices.Sort(numbers)
		t := j.tables.list[table-1]
		for i := range out {
			if x := &out[i]; x.World == t.world && x.Table == t.name && x.First == store.Inserted {
				x.Until = math.MaxInt64
				if after, _ := slices.BinarySearch(numbers, x.Row+1); after < len(numbers) {
					x.Until = numbers[after]
				}
			}
		}
	}
	return out
}

// effects collects the effects of some requests, each once for each row. Those of
// a request form a chain, since most requests have only a few.
type effects struct {
	list   []diff.Effect
	links  []link  // of list
	chains []chain // of the requests, sorted by number
	at     int     // the last result of of
}

// link refers to the previous effect of the same request.
type link struct {
	row    rowID
	before int32 // -1 for none
}

// chain is the effects of a request.
type chain struct {
	seq   int64
	last  int32           // -1 for none
	n     int             // number of effects
	byRow map[rowID]int32 // index of a long chain; else nil
}

// longChain is the longest chain that is searched linearly.
const longChain = 64

func newEffects(seqs []int64) *effects {
	e := &effects{chains: make([]chain, len(seqs)), list: make([]diff.Effect, 0, 2*len(seqs)), links: make([]link, 0, 2*len(seqs))}
	for i, seq := range seqs {
		e.chains[i] = chain{seq: seq, last: -1}
	}
	bySeq := func(a, b chain) int { return cmp.Compare(a.seq, b.seq) }
	if !slices.IsSortedFunc(e.chains, bySeq) {
		slices.SortFunc(e.chains, bySeq)
	}
	return e
}

// of returns the chain of a request; nil if it is not one of them. It checks the
// last result and the next request first, since changes of a request are mostly
// adjacent.
func (e *effects) of(seq int64) *chain {
	for at := e.at; at < min(e.at+2, len(e.chains)); at++ {
		if e.chains[at].seq == seq {
			e.at = at
			return &e.chains[at]
		}
	}
	at, known := slices.BinarySearchFunc(e.chains, seq, func(c chain, seq int64) int { return cmp.Compare(c.seq, seq) })
	if !known {
		return nil
	}
	e.at = at
	return &e.chains[at]
}

// find returns the effect of a request on a row. It ignores effects on deleted
// rows: later writes to such a number concern another row.
func (e *effects) find(c *chain, row rowID) (at int32, known bool) {
	if c.byRow != nil {
		at, known = c.byRow[row]
		return at, known && !e.list[at].Gone
	}
	for at = c.last; at >= 0; at = e.links[at].before {
		if e.links[at].row == row && !e.list[at].Gone {
			return at, true
		}
	}
	return 0, false
}

// add adds an effect and returns its index.
func (e *effects) add(c *chain, row rowID, x diff.Effect) int32 {
	at := int32(len(e.list))
	e.list, e.links = append(e.list, x), append(e.links, link{row, c.last})
	c.last = at
	if c.n++; c.n == longChain {
		c.byRow = map[rowID]int32{}
		for at := c.last; at >= 0; at = e.links[at].before {
			if !e.list[at].Gone {
				c.byRow[e.links[at].row] = at
			}
		}
	} else if c.byRow != nil {
		c.byRow[row] = at
	}
	return at
}

// numbered reports whether the rows of a table are identified by row ids, which
// other rows may get later, and not by keys. j is locked.
func numbered(j *Journal, t table) bool {
	return !t.inside && !j.stated[t.world] && j.tables.worlds[t.world][t.name].Keys == 0
}

// Sources returns the requests that inserted things inside the rows of a table,
// by the numbers of the things, as far as known.
func Sources(j *Journal, world, table string, things []int64) map[int64]int64 {
	j.readOlder()
	number, out := j.tables.number(world, store.Inside(table)), map[int64]int64{}
	j.mu.Lock()
	floor := j.floors[world]
	j.mu.Unlock()
	var inserts []noted
	j.each(floor, 1<<62, func(place int64, c *store.Change) {
		if c.Table == number && c.Op == store.Inserted {
			inserts = append(inserts, noted{place, *c})
		}
	})
	sortByRow(inserts)
	for _, thing := range things {
		if n, ok := coming(inserts, thing); ok && n.Seq > 0 {
			out[thing] = n.Seq
		}
	}
	return out
}

// Count returns how many rows each request changed in the tables for which counts
// returns true, without requests that changed none.
func Count(j *Journal, seqs []int64, counts func(world, table string) bool) map[int64]int {
	j.readOlder()
	type changed struct {
		seq int64
		row rowID
	}
	out, seen := map[int64]int{}, map[changed]bool{}
	j.each(0, 1<<62, func(_ int64, c *store.Change) {
		if c.Op == store.Bulk || !slices.Contains(seqs, c.Seq) {
			return
		}
		if t := j.tables.list[c.Table-1]; !counts(t.world, t.name) {
			return
		}
		if one := (changed{c.Seq, rowID{c.Table, c.Row}}); !seen[one] {
			seen[one] = true
			out[c.Seq]++
		}
	})
	return out
}
