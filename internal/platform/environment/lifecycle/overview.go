package lifecycle

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
)

// Overview returns what the admin plane shows of an open environment.
func (e *Environments) Overview(ctx context.Context, env *environment.Environment) (o environment.Overview, err error) {
	if o, err = env.Overview(ctx); err == nil {
		o.Size, err = e.Worlds.Size(ctx, worlds.Of(env.ID))
	}
	return o, err
}

// Overviews returns the environments after an id, in the order of ids, at most
// limit. A closed environment is not opened: its overview is the one that was
// stored when it was closed.
func (e *Environments) Overviews(ctx context.Context, after string, limit int) ([]environment.Overview, error) {
	found, err := e.Catalogue.List(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	out := make([]environment.Overview, 0, len(found))
	for _, info := range found {
		o, err := e.overviewOf(ctx, info.ID)
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

func (e *Environments) overviewOf(ctx context.Context, id string) (o environment.Overview, err error) {
	if s := e.table.find(id); s != nil {
		if o, err := e.Overview(ctx, s.env); err == nil {
			return o, nil
		}
		// It was closed meanwhile, and its overview was stored.
	}
	o, found, err := e.Catalogue.Overview(ctx, id)
	if err != nil || found {
		return o, err
	}
	env, leave, err := e.Enter(ctx, id)
	if err != nil {
		return o, err
	}
	defer leave()
	return e.Overview(ctx, env)
}
