package cause

import (
	"math"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// View is the part of a journal between two moments. It implements diff.Origins.
type View struct {
	j        *Journal
	from, to string           // copies of the environment; to "" for the current state
	moments  map[string]int64 // the place of the current state, by world
}

// Between returns the journal between two copies of the environment. An empty to
// is the current state. It must be called before one of the two is read: it reads
// the stored part of the journal, and an environment in memory has only one
// connection.
func (j *Journal) Between(from, to string) *View {
	j.readOlder()
	return &View{j: j, from: from, to: to, moments: map[string]int64{}}
}

// Moment implements diff.Origins.
func (v *View) Moment(world string, snapshot func() error) error {
	v.j.commits.Lock()
	defer v.j.commits.Unlock()
	v.moments[world], _ = v.j.now(world)
	return snapshot()
}

// span is the journal of one world between two moments.
type span struct {
	from, to int64
	// whole and ended report whether the journal contains everything since the older
	// state, and the place of the newer one.
	whole, ended bool
	// stated reports that the changes were recorded by statement.
	stated bool
	bulk   []noted            // marks of writes whose inserted rows were not recorded
	any    map[uint16][]noted // changes of unknown rows, by table
	// inserts are inserts of things inside rows, by table and in the order of their
	// numbers.
	inserts map[uint16][]noted
}

func (v *View) span(world string) *span {
	s := &span{ended: true, any: map[uint16][]noted{}, inserts: map[uint16][]noted{}}
	var now int64
	now, s.stated = v.j.now(world)
	s.from, s.whole = v.j.place(v.from, world)
	if v.to == "" {
		s.to = v.moments[world]
		return s
	}
	if s.to, s.ended = v.j.place(v.to, world); !s.ended {
		s.to = now
	}
	return s
}

// noted is a change with its place.
type noted struct {
	place int64
	store.Change
}

// rowID identifies a row of a recorded table.
type rowID struct {
	table uint16
	row   int64
}

// Explain implements diff.Origins. It scans the journal once.
func (v *View) Explain(rows []diff.Origin) []diff.Writes {
	spans, wanted := map[string]*span{}, make(map[rowID][]noted, len(rows))
	for _, r := range rows {
		if spans[r.World] == nil {
			spans[r.World] = v.span(r.World)
		}
		for _, n := range []*int64{r.Before, r.After} {
			if n != nil {
				wanted[rowID{v.j.tables.number(r.World, r.Table), *n}] = nil
			}
		}
	}
	v.each(spans, func(s *span, n noted) {
		id := rowID{n.Table, n.Row}
		switch list, ok := wanted[id]; {
		case n.Op == store.Inserted && v.j.tables.list[n.Table-1].inside:
			s.inserts[n.Table] = append(s.inserts[n.Table], n)
		case n.Op == store.Bulk:
			s.bulk = append(s.bulk, n)
		case n.Any:
			s.any[n.Table] = append(s.any[n.Table], n)
		case ok:
			wanted[id] = append(list, n)
		}
	})
	for _, s := range spans {
		for _, list := range s.inserts {
			sortByRow(list)
		}
	}
	out := make([]diff.Writes, len(rows))
	for i, r := range rows {
		table := v.j.tables.number(r.World, r.Table)
		if table == 0 {
			continue
		}
		e := explanation{span: spans[r.World], any: spans[r.World].any[table], inside: v.j.tables.list[table-1].inside, inserts: spans[r.World].inserts[table]}
		if r.Before != nil {
			e.before = wanted[rowID{table, *r.Before}]
		}
		if r.After != nil {
			e.after = wanted[rowID{table, *r.After}]
		}
		var list []noted
		list, out[i].Exact, out[i].Complete = e.of(r)
		for _, n := range list {
			out[i].List = append(out[i].List, diff.Write{Seq: n.Seq, Kind: n.Kind, Op: n.Op, Columns: v.j.tables.columns(n.Columns)})
		}
	}
	return out
}

// each calls f for the changes in the span of their world, oldest first.
func (v *View) each(spans map[string]*span, f func(s *span, n noted)) {
	tables := v.j.tables.list
	byTable := make([]*span, len(tables)+1)
	from, to := int64(math.MaxInt64), int64(0)
	for i, t := range tables {
		if s := spans[t.world]; s != nil {
			byTable[i+1] = s
			from, to = min(from, s.from), max(to, s.to)
		}
	}
	v.j.each(from, to, func(place int64, c *store.Change) {
		if s := byTable[c.Table]; s != nil && place >= s.from && place < s.to {
			f(s, noted{place, *c})
		}
	})
}

// Inserted implements diff.Origins.
func (v *View) Inserted(world, table string, seqs map[int64]bool) map[int64][]int64 {
	out, number := map[int64][]int64{}, v.j.tables.number(world, table)
	v.each(map[string]*span{world: v.span(world)}, func(_ *span, n noted) {
		if n.Table == number && n.Op == store.Inserted && !n.Any && seqs[n.Seq] {
			out[n.Seq] = append(out[n.Seq], n.Row)
		}
	})
	return out
}

// Made implements diff.Origins.
func (v *View) Made(kind uint8) (rows []diff.Made, exact bool) {
	spans := map[string]*span{}
	exact = true
	for world := range v.j.tables.worlds {
		s := v.span(world)
		if _, read := v.moments[world]; !read && v.to == "" { // an empty world
			continue
		}
		spans[world] = s
		exact = exact && s.whole && s.ended && !s.stated
	}
	places := map[rowID]int{}
	v.each(spans, func(_ *span, n noted) {
		t, id := &v.j.tables.list[n.Table-1], rowID{n.Table, n.Row}
		if t.inside || n.Op == store.Bulk {
			return
		}
		at, known := places[id]
		switch {
		case n.Any:
			exact = false
		case n.Op == store.Inserted:
			delete(places, id)
			if n.Kind == kind {
				places[id] = len(rows)
				rows = append(rows, diff.Made{World: t.world, Table: t.name, Row: n.Row, Last: diff.Write{Seq: n.Seq, Kind: n.Kind, Op: n.Op}})
			}
		case known:
			rows[at].Last = diff.Write{Seq: n.Seq, Kind: n.Kind, Op: n.Op}
		}
	})
	return rows, exact
}
