package diff

import (
	"slices"

	"understudy/internal/platform/store"
)

// Effect is a row that a request has changed.
type Effect struct {
	World, Table string
	Row          int64
	Any          bool // which row is not known
	First, Last  store.Op
}

// EffectOn is what a request has done to a thing.
type EffectOn struct {
	Op      string // "insert", "update" or "delete"
	Service string
	Entity  string
	Key     string // "" where the row is not there any more
}

// Effects returns what a request has done to the things of the later state, in
// the order of effects. Rows that are no things are left out.
func (r *Reading) Effects(effects []Effect) ([]EffectOn, error) {
	var out []EffectOn
	for _, x := range effects {
		at := slices.IndexFunc(r.entities, func(e Entity) bool { return e.World == x.World && e.Table == x.Table })
		if at < 0 {
			continue
		}
		e := &r.entities[at]
		on := EffectOn{Op: "update", Service: e.Service, Entity: e.Name}
		switch {
		case x.Last == store.Deleted && x.First == store.Inserted:
			continue // it came and went
		case x.Last == store.Deleted:
			on.Op = "delete"
		case x.First == store.Inserted:
			on.Op = "insert"
		}
		tx := r.After(e.World)
		if tx != nil && !x.Any && e.hasNumber(tx.Dialect()) {
			if err := r.nameEffect(tx, e, x, &on); err != nil {
				return nil, err
			}
		}
		out = append(out, on)
	}
	return out, nil
}

// nameEffect adds the key of a row that is still there, or was in the older state.
func (r *Reading) nameEffect(tx *store.Tx, e *Entity, x Effect, on *EffectOn) error {
	columns := e.columns()
	for _, tx := range []*store.Tx{tx, r.Before(e.World)} {
		if tx == nil {
			continue
		}
		found, err := selectNumber(tx, e, columns, x.Row)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		row := Row{columns, found[0]}
		on.Key = e.key(row)
		if e.NameOf != nil {
			on.Entity = e.NameOf(row)
		}
		if on.Service == "" {
			on.Service = row.Text("service")
		}
		if e.Gone != nil && e.Gone(row) && on.Op == "update" {
			on.Op = "delete"
		}
		return nil
	}
	return nil
}
