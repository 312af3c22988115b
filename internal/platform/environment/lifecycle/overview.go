package lifecycle

import (
	"context"
	"errors"
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
	if o, err = env.Overview(ctx, counts); err == nil {
		o.Size, err = v.Environments.Worlds.SizeOpen(ctx, env)
	}
	return o, err
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
	found, err := v.Infos(ctx, s, after, limit)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, nil
	}
	table := &v.Environments.table
	var closed []string
	for i := range found {
		if isClosed(table, found[i].ID) { // stored overviews of the others may be outdated
			closed = append(closed, found[i].ID)
		}
	}
	stored, err := v.Environments.Catalogue.Overviews(ctx, closed...)
	if err != nil {
		return nil, err
	}
	waits, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	out := make([]environment.Overview, 0, len(found))
	for _, info := range found {
		o, known := stored[info.ID]
		if !known || !isClosed(table, info.ID) {
			o, err = v.of(ctx, waits, info.ID)
		}
		if errors.Is(err, environment.NotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		o.Info = info
		out = append(out, o)
	}
	return out, nil
}

// listWait is how long one list waits for environments that are being opened or
// reset.
const listWait = 500 * time.Millisecond

// of returns the overview of an environment. If the environment is being opened
// or replaced, it waits until that has ended or waits has, and then returns the
// stored overview if there is one.
func (v Overviews) of(ctx, waits context.Context, id string) (o environment.Overview, err error) {
	e := v.Environments
	for {
		s, settled := e.table.holder(id)
		if s != nil {
			if o, err := v.Of(ctx, s.env); err == nil {
				return o, nil
			}
		}
		if settled == nil || waits.Err() != nil { // closed by now, or waited long enough: the stored overview serves
			break
		}
		select {
		case <-settled:
		case <-waits.Done():
		}
	}
	stored, err := e.Catalogue.Overviews(ctx, id)
	if o, found := stored[id]; err != nil || found {
		return o, err
	}
	env, leave, err := e.Enter(ctx, id)
	if err != nil {
		return o, err
	}
	defer leave()
	return v.Of(ctx, env)
}
