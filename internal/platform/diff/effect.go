package diff

import (
	"errors"
	"slices"

	"understudy/internal/platform/store"
)

// Effect is a row that a request has changed.
type Effect struct {
	Seq          int64 // of the request
	World, Table string
	Row          int64
	Until        int64 // of things inside rows that came at once: the number after the last; else 0
	Any          bool  // which row is not known
	Gone         bool  // the row was deleted, and another may bear its number
	First, Last  store.Op
}

// EffectOn is what a request has done to a thing.
type EffectOn struct {
	Seq     int64  // of the request
	Op      string // "insert", "update" or "delete"
	Service string
	Entity  string
	Key     string // "" where the row is not there any more
}

// Effects returns what requests have done to the things of the later state, in
// the order of effects. Rows that are no things are left out.
func (r *Reading) Effects(effects []Effect) ([]EffectOn, error) {
	rows, err := r.effectRows(effects)
	if err != nil {
		return nil, err
	}
	out := make([]EffectOn, 0, len(effects))
	for _, x := range effects {
		e := r.entityOf(x)
		if e != nil && e.Unpack != nil {
			things, err := thingsOf(r, e, x)
			if err != nil {
				return nil, err
			}
			out = append(out, things...)
			continue
		}
		if e == nil || x.Last == store.Deleted && x.First == store.Inserted { // it came and went
			continue
		}
		on := EffectOn{Seq: x.Seq, Op: "update", Service: e.Service, Entity: e.Name}
		switch {
		case x.Last == store.Deleted:
			on.Op = "delete"
		case x.First == store.Inserted:
			on.Op = "insert"
		}
		if known, ok := rows[e][x.Row]; ok && !x.Any && !x.Gone {
			on.Key = known.Key
			on.Service, on.Entity = known.Service, known.Entity
			if known.gone && on.Op == "update" {
				on.Op = "delete"
			}
		}
		out = append(out, on)
	}
	return out, nil
}

// tableIn is a table of a world.
type tableIn struct{ world, table string }

// entityOf returns whose row an effect is on, nil for none.
func (r *Reading) entityOf(x Effect) *Entity {
	if r.tables == nil {
		r.tables = make(map[tableIn]*Entity, len(r.entities))
		for i := range r.entities {
			e := &r.entities[i]
			if at := (tableIn{e.World, e.notedAs()}); r.tables[at] == nil {
				r.tables[at] = e
			}
		}
	}
	return r.tables[tableIn{x.World, x.Table}]
}

// thingsOf returns what a request has done to things inside rows, as far as
// they are there in the later state.
func thingsOf(r *Reading, e *Entity, x Effect) (out []EffectOn, err error) {
	tx := r.After(e.World)
	if tx == nil || e.Numbered == nil {
		return nil, nil
	}
	op, until := "update", x.Row+1
	if x.First == store.Inserted {
		op, until = "insert", max(until, x.Until)
	}
	err = e.Numbered(tx, x.Row, until, func(one Record) error {
		out = append(out, EffectOn{Seq: x.Seq, Op: op, Service: one.Service, Entity: one.Entity, Key: one.Key})
		return r.room.Add(effectBytes)
	})
	return out, err
}

// effectRow is what the row of an effect stands for.
type effectRow struct {
	Service, Entity, Key string
	gone                 bool
}

// effectRows returns what the rows of effects stand for, by number, where the
// database knows: in the later state or, without the row there, in the older one.
func (r *Reading) effectRows(effects []Effect) (map[*Entity]map[int64]effectRow, error) {
	out := map[*Entity]map[int64]effectRow{}
	wanted := map[*Entity][]int64{}
	for _, x := range effects {
		if e := r.entityOf(x); e != nil && e.Unpack == nil && !x.Any {
			wanted[e] = append(wanted[e], x.Row)
		}
	}
	for e, numbers := range wanted {
		out[e] = make(map[int64]effectRow, len(numbers))
		slices.Sort(numbers)
		numbers = slices.Compact(numbers)
		for _, tx := range []*store.Tx{r.After(e.World), r.Before(e.World)} {
			if tx == nil || !e.hasNumber(tx.Dialect()) || len(numbers) == 0 {
				continue
			}
			if err := r.readEffects(tx, e, numbers, out[e]); err != nil {
				return nil, err
			}
			numbers = slices.DeleteFunc(numbers, func(n int64) bool { _, found := out[e][n]; return found })
		}
	}
	return out, nil
}

// readEffects adds what rows stand for. It reads the columns that the entity
// names its rows by: which they are shows on the first rows.
func (r *Reading) readEffects(tx *store.Tx, e *Entity, numbers []int64, to map[int64]effectRow) error {
	if err := r.room.Add(effectBytes * len(numbers)); err != nil {
		return err
	}
	columns := slices.Clone(e.Key)
	for len(numbers) > 0 {
		var missing []string
		err := eachNumbered(tx, e, columns, numbers, func(number int64, values []any) error {
			one := e.effectRow(Row{columns, values, &missing})
			if missing != nil {
				return errMissing
			}
			to[number] = one
			return nil
		})
		if !errors.Is(err, errMissing) {
			return err
		}
		columns = append(columns, missing...)
		numbers = slices.DeleteFunc(slices.Clone(numbers), func(n int64) bool { _, known := to[n]; return known })
	}
	return nil
}

// errMissing ends a walk over rows of which another column is needed.
var errMissing = errors.New("a column is missing")

// effectRow returns what a row stands for.
func (e *Entity) effectRow(row Row) effectRow {
	one := effectRow{e.Service, e.Name, e.key(row), e.Gone != nil && e.Gone(row)}
	if e.NameOf != nil {
		one.Entity = e.NameOf(row)
	}
	if one.Service == "" {
		one.Service = row.Text("service")
	}
	return one
}

// effectBytes is about what an effect takes, with its place in a reply.
const effectBytes = 300
