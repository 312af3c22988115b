package lifecycle

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
)

// PrepareAlike prepares environments that differ in what the catalogue shows alone,
// all or none, and leaves them closed. The first is made as c says, with the first
// of infos; the others are copies of its databases, which are not opened. describe
// is called for each, before anything is copied, with an open environment that holds
// what it will hold. It returns environment.Exists.
func PrepareAlike(ctx context.Context, e *Environments, c Create, infos []environment.Info,
	describe func(ctx context.Context, env *environment.Environment, all []environment.Info) error) ([]*Prepared, error) {
	for i := range infos[1:] {
		one := Create{Info: infos[i+1], Replace: c.Replace}
		if err := one.identify(ctx, e.Catalogue); err != nil {
			return nil, err
		}
		infos[i+1] = one.Info
	}
	fill := c.Fill
	c.Info, c.Closed = infos[0], true
	c.Fill = func(ctx context.Context, env *environment.Environment) error {
		if fill != nil {
			if err := fill(ctx, env); err != nil {
				return err
			}
		}
		infos[0] = env.Info
		return describe(ctx, env, infos)
	}
	first, err := e.Prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	all := append(make([]*Prepared, 0, len(infos)), first)
	var storages []string
	for _, info := range infos[1:] {
		p := &Prepared{Info: info, entry: first.entry}
		p.entry.Info = info
		all, storages = append(all, p), append(storages, info.Storage)
	}
	if err := e.Worlds.Multiply(ctx, worlds.Of(first.Info.Storage), storages); err != nil {
		return nil, errors.Join(err, e.Abandon(context.WithoutCancel(ctx), all...))
	}
	return all, nil
}
