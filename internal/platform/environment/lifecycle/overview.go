package lifecycle

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
)

// Overviews describes environments as the admin plane shows them.
type Overviews struct {
	Environments *Environments
}

// Of returns the overview of an open environment.
func (v Overviews) Of(ctx context.Context, env *environment.Environment) (o environment.Overview, err error) {
	if o, err = env.Overview(ctx); err == nil {
		o.Size, err = v.Environments.Worlds.Size(ctx, worlds.Of(env.Storage))
	}
	return o, err
}

// listStep is how many rows are read at a time while looking for matches.
const listStep = 500

// Infos returns the environments after an id that match, in the order of ids,
// at most limit; nil matches all.
func (v Overviews) Infos(ctx context.Context, after string, limit int, matches func(environment.Info) bool) (out []environment.Info, err error) {
	step := listStep
	if matches == nil {
		step = min(step, limit)
	}
	for {
		found, err := v.Environments.Catalogue.List(ctx, after, step)
		if err != nil {
			return nil, err
		}
		for _, info := range found {
			after = info.ID
			if matches != nil && !matches(info) {
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

// List returns the overviews of the environments after an id that match, in the
// order of ids, at most limit. A closed environment is not opened: its overview
// is the one that was stored when it was closed.
func (v Overviews) List(ctx context.Context, after string, limit int, matches func(environment.Info) bool) ([]environment.Overview, error) {
	found, err := v.Infos(ctx, after, limit, matches)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, nil
	}
	open := v.Environments.table.sessions() // before the overviews are read: of these they may be old
	stored, err := v.Environments.Catalogue.Overviews(ctx, found[0].ID, found[len(found)-1].ID)
	if err != nil {
		return nil, err
	}
	out := make([]environment.Overview, 0, len(found))
	for _, info := range found {
		o, known := stored[info.ID]
		if !known || open[info.ID] != nil || v.Environments.table.find(info.ID) != nil {
			o, err = v.of(ctx, info.ID)
		}
		if errors.Is(err, environment.NotFound) { // it was deleted meanwhile
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

func (v Overviews) of(ctx context.Context, id string) (o environment.Overview, err error) {
	e := v.Environments
	if s := e.table.find(id); s != nil {
		if o, err := v.Of(ctx, s.env); err == nil {
			return o, nil
		}
		// It was closed meanwhile, and its overview was stored.
	}
	stored, err := e.Catalogue.Overviews(ctx, id, id)
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
