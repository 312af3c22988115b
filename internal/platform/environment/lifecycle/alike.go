package lifecycle

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
)

// PrepareAlike prepares environments whose content is the same, all or none, and
// leaves them closed. It creates the first from c and infos[0], and copies its
// databases for the others without opening the copies. describe is called once,
// with the open first environment and all infos, before the databases are copied.
// It returns environment.Exists.
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
