package cause

import (
	"math"
	"slices"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Effects returns the rows that requests have changed, and the things inside rows
// that they have reported, each once for each request, in the order in which they changed them first. It walks over the
// journal once. A row that was deleted is Gone: SQLite may have used its number again.
func (j *Journal) Effects(seqs ...int64) []diff.Effect {
	j.readOlder()
	type written struct {
		seq int64
		rowID
	}
	var out []diff.Effect
	inside := map[uint16][]int64{} // the numbers of the things that others follow, by table
	places := make(map[written]int, len(seqs))
	onRow := map[rowID][]int{} // the effects on each row that may leave its number to another
	asked := make(map[int64]bool, len(seqs))
	for _, seq := range seqs {
		asked[seq] = true
	}
	j.each(0, 1<<62, func(_ int64, c *store.Change) {
		if c.Op == store.Inserted && j.tables.list[c.Table-1].inside {
			inside[c.Table] = append(inside[c.Table], c.Row)
		}
		if c.Op == store.Bulk {
			return
		}
		row := rowID{c.Table, c.Row}
		if asked[c.Seq] {
			id := written{c.Seq, row}
			at, known := places[id]
			if !known {
				at = len(out)
				places[id] = at
				t := j.tables.list[c.Table-1]
				if numbered(j, t) {
					onRow[row] = append(onRow[row], at)
				}
				out = append(out, diff.Effect{Seq: c.Seq, World: t.world, Table: t.name, Row: c.Row, Any: c.Any, First: c.Op})
			}
			out[at].Last = c.Op
		}
		if c.Op == store.Deleted {
			for _, at := range onRow[row] {
				out[at].Gone = true
				delete(places, written{out[at].Seq, row})
			}
			delete(onRow, row)
		}
	})
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

// numbered reports whether the rows of a table are known by numbers that another
// row may bear later; else they are known by their keys. j is locked.
func numbered(j *Journal, t table) bool {
	return !t.inside && !j.stated[t.world] && j.tables.worlds[t.world][t.name].Keys == 0
}

// Sources returns the requests that things inside the rows of a table came with,
// by the numbers of the things. Those of which it is not known are left out.
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

// Count returns how many rows each of some requests has changed in the tables
// that counts accepts; requests that changed none are left out.
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
