package diff

import (
	"context"
	"maps"
	"slices"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// Reading reads two states of an environment, each in one snapshot.
type Reading struct {
	ctx      context.Context
	entities []Entity
	tables   map[tableIn]*Entity // cache of entityOf
	room     *budget.Page
	txs      map[string][2]*store.Tx
	pages    map[string]store.Difference
	// suspected caches the result of suspects.
	suspected map[tableIn]suspects
	origins   Origins

	same   map[string]bool // worlds that are not opened, because they are equal in both states
	wanted bool            // something in them was requested
}

// Read calls fn with two states of an environment, given as for Compare. origins,
// which may be nil, provides the causes of changes. The reading is valid until fn
// returns. Read returns the error of fn.
//
// A world that is equal in both states and not open is not opened for the
// comparison. When fn reads it, fn is called again with all worlds open, and only
// that call counts.
func Read(ctx context.Context, entities []Entity, from, to map[string]*store.World, origins Origins, fn func(*Reading) error) error {
	same := map[string]bool{}
	for name, w := range to {
		if w != nil && from[name] != nil && store.Same(from[name], w) {
			same[name] = true
		}
	}
	for {
		r := &Reading{ctx: ctx, entities: entities, origins: origins, room: budget.NewPage(ctx), txs: map[string][2]*store.Tx{}, pages: map[string]store.Difference{},
			suspected: map[tableIn]suspects{}, same: same}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(to)), func(name string) bool { return same[name] })
		err := r.open(names, from, to, func() error { return fn(r) })
		if !r.wanted {
			return err
		}
		same = nil
	}
}

// open starts reading all worlds at one moment, as far as separate databases
// allow, and runs fn.
func (r *Reading) open(names []string, from, to map[string]*store.World, fn func() error) error {
	if len(names) == 0 {
		return fn()
	}
	read := func(w *store.World, fn func(*store.Tx) error) error {
		if w == nil {
			return fn(nil)
		}
		return w.Read(r.ctx, fn)
	}
	return read(from[names[0]], func(a *store.Tx) error {
		return read(to[names[0]], func(b *store.Tx) error {
			if b != nil {
				if err := r.begin(names[0], b); err != nil {
					return err
				}
			}
			r.txs[names[0]] = [2]*store.Tx{a, b}
			return r.open(names[1:], from, to, fn)
		})
	})
}

// begin fixes the snapshot of the newer state.
func (r *Reading) begin(world string, tx *store.Tx) error {
	if r.origins == nil {
		return begin(tx)
	}
	if err := tx.Open(); err != nil { // before Moment: waiting for the connection must not block commits, on which it may depend
		return err
	}
	return r.origins.Moment(world, func() error { return begin(tx) })
}

// Before returns the transaction that reads a world of the earlier state; nil for
// an empty world.
func (r *Reading) Before(world string) *store.Tx {
	r.wanted = r.wanted || r.same[world]
	return r.txs[world][0]
}

// After is Before for the later state.
func (r *Reading) After(world string) *store.Tx {
	r.wanted = r.wanted || r.same[world]
	return r.txs[world][1]
}

// Each calls fn for each thing of an entity in the later state, in the order of
// its table. It returns the error of fn.
func (r *Reading) Each(e *Entity, fn func(Record) error) error {
	tx, columns := r.After(e.World), e.columns()
	for in := r.readerOf(tx, e, columns, nil); ; in.rows = in.rows[1:] {
		values, err := in.peek(len(e.Key))
		if err != nil || values == nil {
			return err
		}
		row := Row{columns: columns, values: values}
		if e.Unpack == nil {
			if one, ok := e.record(row); ok {
				err = fn(one)
			}
		} else {
			var all []Record
			if all, err = e.Unpack(tx, row); err == nil {
				err = eachOf(all, fn)
			}
		}
		if err != nil {
			return err
		}
	}
}

func eachOf(all []Record, fn func(Record) error) error {
	for _, one := range all {
		if err := fn(one); err != nil {
			return err
		}
	}
	return nil
}
