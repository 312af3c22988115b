package cause

import (
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Effects returns the rows that a request has changed, each once, in the order
// in which it changed them first.
func (j *Journal) Effects(seq int64) []diff.Effect {
	j.readOlder()
	var out []diff.Effect
	places := map[rowID]int{}
	j.each(0, 1<<62, func(_ int64, c *store.Change) {
		if c.Seq != seq || c.Op == store.Bulk {
			return
		}
		id := rowID{c.Table, c.Row}
		at, known := places[id]
		if !known {
			at = len(out)
			places[id] = at
			t := j.tables.list[c.Table-1]
			out = append(out, diff.Effect{World: t.world, Table: t.name, Row: c.Row, Any: c.Any, First: c.Op})
		}
		out[at].Last = c.Op
	})
	return out
}
