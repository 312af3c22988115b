package clone

import (
	"context"
	"maps"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// Diff returns what changed in an environment between two snapshots. An empty
// from means the environment at creation (of a fork, at the fork), with its
// seed document; an empty to means now. It returns environment.NotFound,
// catalogue.SnapshotNotFound, page.BadCursor and environment.Interrupted.
func (c *Cloner) Diff(ctx context.Context, id, from, to string, o diff.Options) (found *diff.Changes, err error) {
	err = c.environments.Work(ctx, id, func(ctx context.Context, env *environment.Environment) error {
		found, err = c.compare(ctx, env, from, to, o)
		return err
	})
	return found, err
}

func (c *Cloner) compare(ctx context.Context, env *environment.Environment, from, to string, o diff.Options) (*diff.Changes, error) {
	base := worlds.Base(env.ID)
	if from != "" {
		base = worlds.Snapshot(from)
	}
	for _, snapshot := range []string{from, to} {
		if snapshot == "" {
			continue
		}
		defer c.copies.Hold(worlds.Snapshot(snapshot))()
		if _, err := c.catalogue.Snapshots().Position(ctx, env.ID, snapshot); err != nil {
			return nil, err
		}
	}
	before, release, err := c.copies.Share(base)
	if err != nil {
		return nil, err
	}
	defer release()
	var after map[string]*store.World
	if to != "" {
		var release func()
		if after, release, err = c.copies.Share(worlds.Snapshot(to)); err != nil {
			return nil, err
		}
		defer release()
	} else {
		after = current(ctx, env)
		if err := env.Flush(ctx); err != nil {
			return nil, err
		}
	}
	if o.Cause {
		newer := ""
		if to != "" {
			newer = worlds.Snapshot(to)
		}
		o.Origins = env.Journal.Between(base, newer)
	}
	return diff.Compare(ctx, environment.Entities(c.environments.Platform.Services), before, after, o)
}

// current returns the databases of an open environment, the main one under the
// name "". One that was never written to is nil: reading it would create it.
func current(ctx context.Context, env *environment.Environment) map[string]*store.World {
	all := maps.Clone(env.Extra)
	for name, w := range all {
		if w.Absent(ctx) {
			all[name] = nil
		}
	}
	all[""] = env.World
	return all
}
