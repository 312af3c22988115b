package diff

import (
	"errors"
	"slices"

	"understudy/internal/platform/store"
)

// Effect is a row that a request changed.
type Effect struct {
	Seq          int64 // of the request
	World, Table string
	Row          int64
	Until        int64 // of things inside rows that were inserted together: the number after the last; else 0
	Any          bool  // the row is unknown
	Gone         bool  // the row was deleted, and another row may have its number
	First, Last  store.Op
}

// EffectOn is the effect of a request on a thing.
type EffectOn struct {
	Seq     int64  // of the request
	Op      string // "insert", "update" or "delete"
	Service string
	Entity  string
	Key     string // "" if the row no longer exists
}

// Effects returns the effects of requests on the things of the later state, in
// the order of effects, without rows that are not things. complete is false if
// rows no longer exist in the later state and the earlier one was not opened: it
// may identify them.
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

// cameAndWent reports whether one request both inserted and deleted the row.
func (x *Effect) cameAndWent() bool { return x.First == store.Inserted && x.Last == store.Deleted }

// tableIn is a table of a world.
type tableIn struct{ world, table string }

// effectKind groups the effects on the rows of one table.
type effectKind struct {
	tableIn
	entity  *Entity     // the entity of the rows; nil for none
	numbers []int64     // of the rows, sorted
	rows    []effectRow // for each of numbers
	found   []bool      // for each of numbers
}

// effectRows returns the tables of effects with their rows, and the index of each
// effect's table. It does not read the rows of effects with Any, nor those that
// one request inserted and deleted. It searches the tables linearly, which is
// faster than a map for a few.
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

// row returns the row with a number; nil if it was not found.
func (k *effectKind) row(number int64) *effectRow {
	at, ok := slices.BinarySearch(k.numbers, number)
	if !ok || !k.found[at] {
		return nil
	}
	return &k.rows[at]
}

// entityOf returns the entity of an effect's row, nil for none.
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

// thingsOf returns the effects of a request on things inside rows that exist in
// the later state.
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

// effectRow identifies the thing in the row of an effect.
type effectRow struct {
	Service, Entity, Key string
	gone                 bool
}

// readRows reads the rows of a table by number, in the later state or, for those
// that are missing there, in the earlier one.
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

// read reads rows by number. It reads only the columns that identify the entity's
// rows, which it finds out from the first rows.
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

// errMissing stops reading rows when another column is needed.
var errMissing = errors.New("a column is missing")

// effectRow returns the identification of a row.
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

// effectBytes is the approximate memory of an effect.
const effectBytes = 300
