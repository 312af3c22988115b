package cause

import (
	"maps"
	"slices"

	"understudy/internal/platform/store"
)

// State is the stored state of a closed environment's journal, without its
// changes.
type State struct {
	First, Next int64
	Marks       map[Mark]int64
	Floors      map[string]int64
	Stated      map[string]bool
}

// Block is a block of stored changes. Tables and sets of columns are indexes into
// its names.
type Block struct {
	Next    int64 // the place after the last
	Tables  []Name
	Sets    [][]string
	Changes []store.Change
}

// Name is a table of a world.
type Name struct{ World, Table string }

// State returns the state to store.
func (j *Journal) State() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return State{j.list.first, j.list.next, maps.Clone(j.marks), maps.Clone(j.floors), maps.Clone(j.stated)}
}

// Save returns what to store when the environment is closed: the state, and the
// changes since Resume, nil for none. changed is false if the stored state is
// still valid.
func (j *Journal) Save() (state State, b *Block, changed bool) {
	state = j.State()
	j.mu.Lock()
	changed = j.unmark.Load() == nil
	kept := max(j.kept, j.list.first)
	if j.older != nil {
		state.First = j.oldest
	}
	j.mu.Unlock()
	if kept == state.Next {
		return state, nil, changed
	}
	b = &Block{Next: state.Next}
	tables, sets := map[uint16]uint16{}, map[uint16]uint16{0: 0}
	j.each(kept, state.Next, func(_ int64, c *store.Change) {
		if _, known := tables[c.Table]; !known {
			t := j.tables.list[c.Table-1]
			b.Tables = append(b.Tables, Name{t.world, t.name})
			tables[c.Table] = uint16(len(b.Tables))
		}
		if _, known := sets[c.Columns]; !known {
			b.Sets = append(b.Sets, j.tables.columns(c.Columns))
			sets[c.Columns] = uint16(len(b.Sets))
		}
		stored := *c
		stored.Table, stored.Columns = tables[c.Table], sets[c.Columns]
		b.Changes = append(b.Changes, stored)
	})
	return state, b, changed
}

// Resume continues from a stored state, on an empty journal. older returns the
// stored blocks, oldest first; it is called on demand. unmark removes the stored
// State; it runs in the first recorded transaction, because the stored state is
// incomplete from then on.
func (j *Journal) Resume(s State, older func() ([]Block, error), unmark func(tx *store.Tx) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = listAt(s.Next, j.list.bound)
	j.kept, j.older = s.Next, older
	if unmark != nil {
		j.unmark.Store(&unmark)
	}
	j.oldest = s.First
	maps.Copy(j.marks, s.Marks)
	maps.Copy(j.floors, s.Floors)
	maps.Copy(j.stated, s.Stated)
}

// readOlder reads the stored changes, once. If that fails, they count as unknown.
func (j *Journal) readOlder() {
	j.mu.Lock()
	read, oldest, until := j.older, j.oldest, j.kept
	j.older = nil
	j.mu.Unlock()
	if read == nil {
		return
	}
	blocks, err := read()
	if err != nil {
		return
	}
	var older []store.Change
	for _, b := range blocks {
		older = append(older, j.tables.restore(b)...)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	older = older[max(0, int64(len(older))-(until-oldest)):]
	newer := j.list.blocks
	j.list = listAt(until-int64(len(older)), j.list.bound)
	j.list.append(older)
	for _, b := range newer {
		j.list.append(b)
	}
}

// restore returns the changes of a block with the table numbers of this process.
func (t *Tables) restore(b Block) []store.Change {
	tables, sets := make([]uint16, len(b.Tables)+1), make([]uint16, len(b.Sets)+1)
	for i, n := range b.Tables {
		tables[i+1] = t.number(n.World, n.Table)
	}
	for i, s := range b.Sets {
		sets[i+1] = t.setOf(slices.Clone(s))
	}
	out := b.Changes
	for i := range out {
		out[i].Table, out[i].Columns = tables[out[i].Table], sets[out[i].Columns]
	}
	return out
}
