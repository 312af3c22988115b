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
// the order of effects. Rows that are no things are left out. complete is false
// where rows are in the later state no more and the older one was not opened: it
// may know what they were.
func (r *Reading) Effects(effects []Effect) (out []EffectOn, complete bool, err error) {
	kinds, of, err := r.effectRows(effects)
	if err != nil {
		return nil, false, err
	}
	out, complete = make([]EffectOn, 0, len(effects)), true
	for _, k := range kinds {
		complete = complete && (k.entity == nil || r.Before(k.entity.World) != nil || !slices.Contains(k.found, false))
	}
	for i := range effects {
		x, k := &effects[i], kinds[of[i]]
		e := k.entity
		if e != nil && e.Unpack != nil {
			things, err := thingsOf(r, e, x)
			if err != nil {
				return nil, false, err
			}
			out = append(out, things...)
			continue
		}
		if e == nil || x.cameAndWent() {
			continue
		}
		on := EffectOn{Seq: x.Seq, Op: "update", Service: e.Service, Entity: e.Name}
		switch {
		case x.Last == store.Deleted:
			on.Op = "delete"
		case x.First == store.Inserted:
			on.Op = "insert"
		}
		if known := k.row(x.Row); known != nil && !x.Any && !x.Gone {
			on.Key = known.Key
			on.Service, on.Entity = known.Service, known.Entity
			if known.gone && on.Op == "update" {
				on.Op = "delete"
			}
		}
		out = append(out, on)
	}
	return out, complete, nil
}

// cameAndWent reports whether one request has inserted and deleted the row.
func (x *Effect) cameAndWent() bool { return x.First == store.Inserted && x.Last == store.Deleted }

// tableIn is a table of a world.
type tableIn struct{ world, table string }

// effectKind is the effects on the rows of one table.
type effectKind struct {
	tableIn
	entity  *Entity     // whose rows they are; nil for none
	numbers []int64     // of the rows, in order
	rows    []effectRow // what they stand for, as numbers
	found   []bool      // likewise
}

// effectRows returns the tables of effects with what their rows stand for, and the
// table of each effect by its place. Rows of effects on Any row, and of what came
// and went, are not read.
// There are a few tables, so that looking through them is faster than a map.
func (r *Reading) effectRows(effects []Effect) (kinds []*effectKind, of []int, err error) {
	of = make([]int, len(effects))
	for i := range effects {
		x := &effects[i]
		at := slices.IndexFunc(kinds, func(k *effectKind) bool { return k.table == x.Table && k.world == x.World })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, &effectKind{tableIn: tableIn{x.World, x.Table}, entity: r.entityOf(x)})
		}
		k := kinds[at]
		if of[i] = at; k.entity != nil && k.entity.Unpack == nil && !x.Any && !x.cameAndWent() {
			k.numbers = append(k.numbers, x.Row)
		}
	}
	for _, k := range kinds {
		slices.Sort(k.numbers)
		k.numbers = slices.Compact(k.numbers)
		if err := r.readRows(k); err != nil {
			return nil, nil, err
		}
	}
	return kinds, of, nil
}

// row returns what a row stands for; nil where the database does not know.
func (k *effectKind) row(number int64) *effectRow {
	at, ok := slices.BinarySearch(k.numbers, number)
	if !ok || !k.found[at] {
		return nil
	}
	return &k.rows[at]
}

// entityOf returns whose row an effect is on, nil for none.
func (r *Reading) entityOf(x *Effect) *Entity {
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
func thingsOf(r *Reading, e *Entity, x *Effect) (out []EffectOn, err error) {
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

// readRows reads what the rows of a table stand for, where the database knows: in
// the later state or, without the row there, in the older one.
func (r *Reading) readRows(k *effectKind) error {
	k.rows, k.found = make([]effectRow, len(k.numbers)), make([]bool, len(k.numbers))
	numbers := k.numbers
	if k.entity == nil {
		return nil
	}
	for _, tx := range []*store.Tx{r.After(k.entity.World), r.Before(k.entity.World)} {
		if tx == nil || !k.entity.hasNumber(tx.Dialect()) || len(numbers) == 0 {
			continue
		}
		if err := r.room.Add(effectBytes * len(numbers)); err != nil {
			return err
		}
		if err := k.read(tx, numbers); err != nil {
			return err
		}
		numbers = k.missing()
	}
	return nil
}

// missing returns the numbers of the rows that were not found.
func (k *effectKind) missing() (out []int64) {
	for i, number := range k.numbers {
		if !k.found[i] {
			out = append(out, number)
		}
	}
	return out
}

// read reads what rows stand for. It reads the columns that the entity names its
// rows by: which they are shows on the first rows.
func (k *effectKind) read(tx *store.Tx, numbers []int64) error {
	var columns []string
	if k.entity.KeyOf == nil {
		columns = slices.Clone(k.entity.Key)
	}
	for len(numbers) > 0 {
		var missing []string
		at := 0
		err := eachNumbered(tx, k.entity, columns, numbers, func(number int64, values []any) error {
			one := k.entity.effectRow(Row{columns, values, &missing})
			if missing != nil {
				return errMissing
			}
			for k.numbers[at] < number {
				at++
			}
			k.rows[at], k.found[at] = one, true
			return nil
		})
		if !errors.Is(err, errMissing) {
			return err
		}
		columns = append(columns, missing...)
		numbers = k.missing()
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
