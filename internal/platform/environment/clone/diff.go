package clone

import (
	"context"
	"maps"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// Diff returns the changes in an environment between two snapshots. An empty from
// means the state at creation, with its seed document (of a fork: at the fork);
// an empty to means now. It returns environment.NotFound,
// catalogue.SnapshotNotFound, page.BadCursor and environment.Interrupted.
func (c *Cloner) Diff(ctx context.Context, id, from, to string, o diff.Options) (found *diff.Changes, err error) {
	err = c.environments.Work(ctx, id, func(ctx context.Context, env *environment.Environment) error {
		return c.Read(ctx, env, from, to, o.Cause, func(r *diff.Reading) error {
			found, err = r.Compare(o)
			return err
		})
	})
	return found, err
}

// Read calls fn with two states of an environment, named as for Diff; with cause,
// also with the causes of the changes between them. It returns
// catalogue.SnapshotNotFound and what fn returns.
func (c *Cloner) Read(ctx context.Context, env *environment.Environment, from, to string, cause bool, fn func(*diff.Reading) error) error {
	base := worlds.Base(env.Storage)
	if from != "" {
		base = worlds.Snapshot(from)
	}
	for _, snapshot := range []string{from, to} {
		if snapshot == "" {
			continue
		}
		defer c.copies.Hold(worlds.Snapshot(snapshot))()
		if _, err := c.catalogue.Snapshots().Position(ctx, env.ID, snapshot); err != nil {
			return err
		}
	}
	before, release, err := c.copies.Share(base)
	if err != nil {
		return err
	}
	defer release()
	var after map[string]*store.World
	if to != "" {
		var release func()
		if after, release, err = c.copies.Share(worlds.Snapshot(to)); err != nil {
			return err
		}
		defer release()
	} else {
		after = current(ctx, env)
		if err := env.Flush(ctx); err != nil {
			return err
		}
	}
	var origins diff.Origins
	if cause {
		newer := ""
		if to != "" {
			newer = worlds.Snapshot(to)
		}
		origins = env.Journal.Between(environment.MarkOf(base), newer)
	}
	return diff.Read(ctx, c.environments.Platform.Entities(), before, after, origins, fn)
}

// Effects returns the records that requests changed, in the order of effects. It
// opens the state at creation only if rows were deleted: only they are read from
// it, and opening takes milliseconds.
func Effects(ctx context.Context, c *Cloner, env *environment.Environment, effects []diff.Effect) (found []diff.EffectOn, err error) {
	if err := env.Flush(ctx); err != nil {
		return nil, err
	}
	complete := false
	err = diff.Read(ctx, c.environments.Platform.Entities(), nil, current(ctx, env), nil, func(r *diff.Reading) error {
		found, complete, err = r.Effects(effects)
		return err
	})
	if err != nil || complete {
		return found, err
	}
	err = c.Read(ctx, env, "", "", false, func(r *diff.Reading) error {
		found, _, err = r.Effects(effects)
		return err
	})
	return found, err
}

// current returns the databases of an open environment, the main one under the
// name "". A database that was never written to is nil, because reading would
// create it.
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
