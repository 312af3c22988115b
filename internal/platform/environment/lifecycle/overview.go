package lifecycle

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
)

// Overviews describes environments as the admin plane shows them.
type Overviews struct {
	Environments *Environments
}

// Of returns the overview of an open environment.
func (v Overviews) Of(ctx context.Context, env *environment.Environment) (environment.Overview, error) {
	return v.counted(ctx, env, nil)
}

// counted is Of with counts that are already known; nil counts are read.
func (v Overviews) counted(ctx context.Context, env *environment.Environment, counts *environment.ServiceCounts) (o environment.Overview, err error) {
	o.Info = env.CurrentInfo()
	err = v.fill(ctx, env, counts, &o)
	return o, err
}

// fill sets what counted returns, except Info. When it fails, it sets nothing.
func (v Overviews) fill(ctx context.Context, env *environment.Environment, counts *environment.ServiceCounts, o *environment.Overview) error {
	if counts == nil {
		known, err := env.Counts(ctx)
		if err != nil {
			return err
		}
		counts = &known
	}
	size, err := v.Environments.Worlds.SizeOpen(ctx, env)
	if err == nil {
		o.Clock, o.Size, o.Counts = env.Clock.State(), size, *counts
	}
	return err
}

// Counted caches the counts of one environment for others that begin with the
// same content. The zero value is empty.
type Counted struct {
	mu     sync.Mutex
	counts *environment.ServiceCounts
}

// in returns the counts of an environment: nil if c is nil or counting failed.
func (c *Counted) in(ctx context.Context, env *environment.Environment) *environment.ServiceCounts {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		counts, err := env.Counts(ctx)
		if err != nil { // a later caller counts again, and reports the failure
			return nil
		}
		c.counts = &counts
	}
	return c.counts
}

// listStep is how many rows Infos reads at a time when it filters.
const listStep = 500

// Selection defines which environments a list contains, and in which order.
type Selection struct {
	Order   catalogue.Order
	Matches func(environment.Info) bool // nil matches all
	IDs     []string                    // only these, in the order of ids; nil for all
	Room    *[]environment.Overview     // memory for the result of List, which the caller owns; nil allocates it
}

// Infos returns the environments of a selection after a place, at most limit.
func (v Overviews) Infos(ctx context.Context, s Selection, after catalogue.Place, limit int) (out []environment.Info, err error) {
	if s.IDs != nil {
		return v.named(ctx, s.IDs, after.ID, limit)
	}
	step := listStep
	if s.Matches == nil {
		step = min(step, limit)
	}
	for {
		found, err := v.Environments.Catalogue.List(ctx, s.Order, after, step)
		if err != nil {
			return nil, err
		}
		for _, info := range found {
			after = s.Order.PlaceOf(&info)
			if s.Matches != nil && !s.Matches(info) {
				continue
			}
			if out = append(out, info); len(out) == limit {
				return out, nil
			}
		}
		if len(found) < step {
			return out, nil
		}
	}
}

// named returns the environments among ids that exist and follow after, in the
// order of ids.
func (v Overviews) named(ctx context.Context, ids []string, after string, limit int) (out []environment.Info, err error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	for _, id := range sorted {
		if id <= after || len(out) == limit {
			continue
		}
		found, err := v.Environments.Catalogue.Get(ctx, id)
		if errors.Is(err, environment.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, found.Info)
	}
	return out, nil
}

// List returns the overviews of a selection after a place, at most limit. It does
// not open a closed environment but returns the overview that was stored when it
// was closed. It does not open the suspended databases of an environment without
// writes since. Environments that take long to open or reset are listed with
// their stored overviews, so that they do not delay the list.
func (v Overviews) List(ctx context.Context, s Selection, after catalogue.Place, limit int) ([]environment.Overview, error) {
	found, err := v.stored(ctx, s, after, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	unused := make([]bool, len(found))
	for i := range found {
		o := &found[i]
		if still, ok := known(&v.Environments.table, o.ID); ok {
			o.Clock, o.Size, o.Counts, unused[i] = still.clock, still.size, still.counts, true
		}
	}
	if err := v.elsewhere(ctx, found); err != nil {
		return nil, err
	}
	waits, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	out := found[:0]
	for i := range found {
		if !unused[i] {
			err := v.complete(ctx, waits, &found[i])
			if errors.Is(err, environment.NotFound) { // deleted meanwhile
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, found[i])
	}
	return out, nil
}

// stored returns what the catalogue has of a selection after a place, at most
// limit.
func (v Overviews) stored(ctx context.Context, s Selection, after catalogue.Place, limit int) ([]environment.Overview, error) {
	known := catalogue.Overviews{Catalogue: v.Environments.Catalogue}
	if s.Matches == nil && s.IDs == nil && s.Room != nil {
		return known.ListIn(ctx, s.Room, s.Order, after, limit)
	}
	if s.Matches == nil && s.IDs == nil {
		return known.List(ctx, s.Order, after, limit)
	}
	infos, err := v.Infos(ctx, s, after, limit)
	if err != nil {
		return nil, err
	}
	ids, out, at := make([]string, len(infos)), make([]environment.Overview, len(infos)), map[string]int{}
	for i, info := range infos {
		ids[i], out[i].Info, at[info.ID] = info.ID, info, i
	}
	found, err := known.Of(ctx, ids...)
	for _, one := range found {
		out[at[one.ID]] = one
	}
	return out, err
}

// elsewhere sets at once the stored overviews of environments that the catalogue has
// as open and this process has not: another has them open, or had when it was killed.
func (v Overviews) elsewhere(ctx context.Context, found []environment.Overview) error {
	at := map[string]*environment.Overview{}
	for i := range found {
		o := &found[i]
		if o.Counts.Known() {
			continue
		}
		if s, settled := v.Environments.table.holder(o.ID); s == nil && settled == nil {
			at[o.ID] = o
		}
	}
	last, err := catalogue.Overviews{Catalogue: v.Environments.Catalogue}.Last(ctx, slices.Collect(maps.Keys(at))...)
	for _, one := range last {
		*at[one.ID] = one
	}
	return err
}

// listWait is how long one list waits for environments that are being opened or
// reset.
const listWait = 500 * time.Millisecond

// complete sets the overview of an environment of which the catalogue knows only
// Info, or that is not closed. If the environment is being opened or replaced, it
// waits until that has ended or waits has, and then uses the stored overview if
// there is one. It returns environment.NotFound.
func (v Overviews) complete(ctx, waits context.Context, o *environment.Overview) error {
	table := &v.Environments.table
	s, settled := table.holder(o.ID)
	if s == nil && settled == nil && o.Counts.Known() {
		return nil
	}
	for {
		if s != nil && v.fill(ctx, s.env, nil, o) == nil {
			return nil
		}
		if settled == nil || waits.Err() != nil { // closed by now, or waited long enough: the stored overview serves
			break
		}
		select {
		case <-settled:
		case <-waits.Done():
		}
		s, settled = table.holder(o.ID)
	}
	last, err := catalogue.Overviews{Catalogue: v.Environments.Catalogue}.Last(ctx, o.ID)
	if err != nil {
		return err
	}
	if len(last) == 0 {
		return environment.NotFound
	}
	if last[0].Counts.Known() {
		*o = last[0]
		return nil
	}
	env, leave, err := v.Environments.Enter(ctx, o.ID)
	if err != nil {
		return err
	}
	defer leave()
	return v.fill(ctx, env, nil, o)
}
