package diff

import (
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Origins identifies the writes that changed the rows of the compared worlds.
type Origins interface {
	// Moment calls snapshot, which takes the snapshot of the newer state of a world,
	// while no write is being committed.
	Moment(world string, snapshot func() error) error
	// Explain returns, for each row, the writes that changed it between the two states.
	Explain(rows []Origin) []Writes
	// Inserted returns the numbers of the rows of a table that requests inserted, by
	// request.
	Inserted(world, table string, seqs map[int64]bool) map[int64][]int64
	// Made returns the rows that authors of a kind inserted between the two states;
	// exact reports that the list is complete.
	Made(kind uint8) (rows []Made, exact bool)
}

// Made is a row that was inserted between the two states.
type Made struct {
	World, Table string
	Row          int64
	Last         Write // its last write; Deleted if the row was deleted
}

// Origin is a row in both states.
type Origin struct {
	World, Table string
	// Before and After are its numbers: the rowid, or the store.HashKey of the key
	// in a table without one; nil if the row does not exist.
	Before, After *int64
}

// Writes are the writes that changed one row.
type Writes struct {
	List []Write // oldest first
	// Exact reports that exactly these writes changed the row.
	Exact bool
	// Complete reports that no others may have changed it; some of these may not
	// have. Exact implies it.
	Complete bool
}

// Write is one write of one row.
type Write struct {
	Seq     int64 // of the request; 0 for none
	Kind    uint8 // of its author
	Op      store.Op
	Columns []string // of an update; nil for all
}

// Writer is a request that wrote a thing.
type Writer struct {
	Seq  int64
	Kind uint8
	// Fields are the fields that it wrote, sorted; nil if unknown.
	Fields []string
}

// Cause lists the writers of a thing, the last first.
type Cause struct {
	Writers []Writer
	// Exact reports that exactly these requests wrote it.
	Exact bool
	// Complete reports that no others may have written it; some of these may not
	// have. Exact implies it.
	Complete bool
}

// History declares a table with a row for each update of an entity, which names
// the written members of the column that contains many.
type History struct {
	Table string
	// Owner are the columns of Table that refer to the entity's columns Of.
	Owner, Of []string
	// Names is the column with a JSON object whose keys are the written members.
	Names string
}

// notedAs returns the table under which Origins records the things.
func (e *Entity) notedAs() string {
	if e.Unpack != nil {
		return store.Inside(e.Table)
	}
	return e.Table
}

// number returns the number of a row for Origins.
func (e *Entity) number(values []any, columns int) int64 {
	if n, ok := values[len(values)-1].(int64); ok && len(values) > columns {
		return n
	}
	return store.HashKey(values[:len(e.Key)]...)
}

// hasNumber reports whether rows of the entity's table have a rowid.
func (e *Entity) hasNumber(d *store.Dialect) bool { return d == store.SQLite && !e.NoRowID }

// explain adds their causes to changes.
func (c *comparison) explain(list []*Change) error {
	rows := make([]Origin, len(list))
	for i, ch := range list {
		p := ch.pair
		rows[i] = Origin{World: p.entity.World, Table: p.entity.notedAs()}
		if p.has[0] {
			rows[i].Before = &p.numbers[0]
		}
		if p.has[1] {
			rows[i].After = &p.numbers[1]
		}
	}
	writes := c.origins.Explain(rows)
	named, err := c.histories(list, writes)
	if err != nil {
		return err
	}
	for i, ch := range list {
		ch.Cause = &Cause{Writers: []Writer{}, Exact: writes[i].Exact, Complete: writes[i].Complete}
		for _, w := range slices.Backward(writes[i].List) {
			if fields, wrote := ch.fieldsOf(w, named[i][w.Seq]); wrote {
				ch.Cause.add(w, fields)
			}
		}
		switch len(ch.Cause.Writers) {
		case 0:
			ch.Cause.Exact, ch.Cause.Complete = false, false
		case 1: // the others wrote no field that changed
			ch.Cause.Exact = ch.Cause.Complete
		}
	}
	return nil
}

// add adds a write, to the same request's writer if there is one.
func (c *Cause) add(w Write, fields []string) {
	for i := range c.Writers {
		if have := &c.Writers[i]; have.Seq == w.Seq && have.Kind == w.Kind {
			if have.Fields == nil || fields == nil {
				have.Fields = nil
				return
			}
			have.Fields = slices.Compact(slices.Sorted(slices.Values(append(have.Fields, fields...))))
			return
		}
	}
	c.Writers = append(c.Writers, Writer{w.Seq, w.Kind, fields})
}

// fieldsOf returns the fields of a thing that a write wrote, nil if its statement
// wrote a column with many and no history names them. wrote is false if the write
// changed nothing that the change contains. Of an update, only fields that differ
// in the end count.
func (ch *Change) fieldsOf(w Write, named []string) (fields []string, wrote bool) {
	e, p := ch.pair.entity, ch.pair
	shown := ch.Changed
	switch {
	case w.Op == store.Deleted && p.after == nil, w.Op == store.Bulk:
		return nil, true
	case w.Op == store.Deleted:
		return nil, p.before != nil // it was created again: the changes have both causes
	case p.before == nil:
		shown = slices.Sorted(maps.Keys(p.after))
	case p.after == nil:
		shown = slices.Sorted(maps.Keys(p.before))
	}
	if w.Op == store.Inserted {
		if e.holdsMany() {
			return nil, true
		}
		return shown, true
	}
	rest := func(field string) bool { // derived from columns that are not fields themselves
		for _, c := range e.Columns {
			if c.wire == field && !c.members || c.members && strings.HasPrefix(field, c.wire) {
				return false
			}
		}
		return true
	}
	found := map[string]bool{}
	for name, c := range e.Columns {
		if w.Columns != nil && !slices.Contains(w.Columns, name) {
			continue
		}
		for _, f := range shown {
			switch {
			case c.members && strings.HasPrefix(f, c.wire) && !e.isColumn(f):
				if named == nil {
					return nil, true
				}
				if slices.Contains(named, strings.TrimPrefix(f, c.wire)) {
					found[f] = true
				}
			case !c.members && c.wire == f && f != "", c.used && rest(f):
				found[f] = true
			}
		}
		if c.used && p.after == nil {
			wrote = true // this may be why it counts as deleted
		}
	}
	if len(found) == 0 {
		return nil, wrote
	}
	return slices.Sorted(maps.Keys(found)), true
}

// isColumn reports whether a field is a column, even if its name looks like that
// of a member.
func (e *Entity) isColumn(field string) bool {
	for _, c := range e.Columns {
		if !c.members && c.wire == field {
			return true
		}
	}
	return false
}

// holdsMany reports whether a column of the entity contains several fields.
func (e *Entity) holdsMany() bool {
	for _, c := range e.Columns {
		if c.members {
			return true
		}
	}
	return false
}
