package clone

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// listed is how many rows of the catalogue are read at a time.
const listed = 500

// Holders counts the snapshots of an environment, and the forks that descend from
// it, for which has returns true. has receives the databases of each by name, the
// main one as "", and nil for a database that was never used. Holders opens the
// forks.
func (c *Cloner) Holders(ctx context.Context, id string, has func(ctx context.Context, w map[string]*store.World) (bool, error)) (snapshots, forks int, err error) {
	if snapshots, err = c.snapshotsWith(ctx, id, has); err != nil {
		return 0, 0, err
	}
	all, err := c.descendants(ctx, id)
	for _, fork := range all {
		if err != nil {
			break
		}
		err = c.environments.Work(ctx, fork, func(ctx context.Context, env *environment.Environment) error {
			if err := env.Flush(ctx); err != nil {
				return err
			}
			found, err := has(ctx, current(ctx, env))
			if found {
				forks++
			}
			return err
		})
		if errors.Is(err, environment.NotFound) || errors.Is(err, environment.Interrupted) {
			err = nil // deleted, or replaced by a copy of its own past
		}
	}
	return snapshots, forks, err
}

func (c *Cloner) snapshotsWith(ctx context.Context, id string, has func(ctx context.Context, w map[string]*store.World) (bool, error)) (n int, err error) {
	for after := ""; ; {
		list, err := c.catalogue.Snapshots().List(ctx, id, after, listed)
		if err != nil {
			return 0, err
		}
		for _, s := range list {
			found, err := c.snapshotHas(ctx, id, s.ID, has)
			if err != nil {
				return 0, err
			}
			if found {
				n++
			}
			after = s.ID
		}
		if len(list) < listed {
			return n, nil
		}
	}
}

func (c *Cloner) snapshotHas(ctx context.Context, id, snapshot string, has func(ctx context.Context, w map[string]*store.World) (bool, error)) (bool, error) {
	base := worlds.Snapshot(snapshot)
	defer c.copies.Hold(base)()
	if _, err := c.catalogue.Snapshots().Position(ctx, id, snapshot); err != nil {
		if errors.Is(err, catalogue.SnapshotNotFound) {
			err = nil // deleted meanwhile
		}
		return false, err
	}
	w, release, err := c.copies.Share(base)
	if err != nil {
		return false, err
	}
	defer release()
	return has(ctx, w)
}

// descendants returns the forks of an environment, their forks, and so on, each
// once. There may be cycles: a fork can replace an environment that it descends
// from.
func (c *Cloner) descendants(ctx context.Context, id string) (out []string, err error) {
	children := map[string][]string{}
	for after := ""; ; {
		list, err := c.catalogue.List(ctx, catalogue.Order{}, catalogue.Place{ID: after}, listed)
		if err != nil {
			return nil, err
		}
		for _, i := range list {
			children[i.Parent] = append(children[i.Parent], i.ID)
			after = i.ID
		}
		if len(list) < listed {
			break
		}
	}
	seen := map[string]bool{id: true}
	add := func(ids []string) {
		for _, child := range ids {
			if !seen[child] {
				seen[child], out = true, append(out, child)
			}
		}
	}
	add(children[id])
	for i := 0; i < len(out); i++ {
		add(children[out[i]])
	}
	return out, nil
}
