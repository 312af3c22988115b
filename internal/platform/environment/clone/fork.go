package clone

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
)

// Fork creates an environment that begins as a copy of another. It accepts the
// parent's tokens under its own address unless Fresh is set, has none of the
// parent's pending work, and remains when the parent is deleted. It returns
// environment.NotFound, environment.Exists, catalogue.SnapshotNotFound and
// environment.Interrupted.
func (c *Cloner) Fork(ctx context.Context, parent string, f Fork) (*environment.Environment, error) {
	f.inPlace = f.ID == parent
	var made *lifecycle.Prepared
	err := c.environments.Work(ctx, parent, func(ctx context.Context, from *environment.Environment) error {
		source, release, err := f.source(ctx, c, from)
		if err != nil {
			return err
		}
		defer release()
		made, err = c.environments.Prepare(ctx, f.create(from, source))
		return err
	})
	if err != nil {
		return nil, err
	}
	// Not within Work, which the replacement of the parent would interrupt.
	return made.Env, c.environments.Publish(ctx, f.Replace, made)
}

// forkers is the number of forks that Forks makes concurrently: some of them wait
// for the disk.
const forkers = 4

// Forks creates n forks of one state of an environment, all or none, and leaves
// them closed. describe is called for each, concurrently. If an id or name was
// chosen, the forks are named "<ID>-1", "<ID>-2" and so on. It returns the errors
// of Fork.
func (c *Cloner) Forks(ctx context.Context, parent string, n int, f Fork, describe Describe) ([]environment.Info, error) {
	for i := range n {
		f.inPlace = f.inPlace || f.numbered(i).ID == parent
	}
	var all []*lifecycle.Prepared
	err := c.environments.Work(ctx, parent, func(ctx context.Context, from *environment.Environment) (err error) {
		source, release, err := f.source(ctx, c, from)
		if err != nil {
			return err
		}
		defer release()
		if f.Fresh { // the databases of each have its own credentials
			all, err = f.prepareEach(ctx, c, from, source, n, describe)
		} else {
			all, err = f.prepareAlike(ctx, c, from, source, n, describe)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]environment.Info, n)
	for i, p := range all {
		out[i] = p.Info
	}
	return out, c.environments.Publish(ctx, f.Replace, all...)
}

// Describe is called with the number of a fork, its id, and an open environment
// with the content of the fork.
type Describe func(ctx context.Context, i int, id string, env *environment.Environment) error

// prepareAlike prepares forks that differ only in their ids.
func (f Fork) prepareAlike(ctx context.Context, c *Cloner, from *environment.Environment, source origin, n int, describe Describe) ([]*lifecycle.Prepared, error) {
	infos := make([]environment.Info, n)
	for i := range infos {
		infos[i] = f.numbered(i).create(from, source).Info
	}
	return lifecycle.PrepareAlike(ctx, c.environments, f.create(from, source), infos, func(ctx context.Context, env *environment.Environment, all []environment.Info) error {
		for i, info := range all {
			if err := describe(ctx, i, info.ID, env); err != nil {
				return err
			}
		}
		return nil
	})
}

// prepareEach prepares each fork of one call separately.
func (f Fork) prepareEach(ctx context.Context, c *Cloner, from *environment.Environment, source origin, n int, describe Describe) ([]*lifecycle.Prepared, error) {
	if f.Snapshot == "" {
		// All forks are made from one copy of the parent, so that they agree while the
		// parent changes.
		base := worlds.Of(environment.NewID(f.isEphemeral(from)))
		if err := c.worlds.Copy(ctx, source.base, base); err != nil {
			return nil, errors.Join(err, c.worlds.Drop(ctx, base))
		}
		source = origin{base, from.IDs.Position()}
		defer func() {
			if err := c.worlds.Drop(ctx, base); err != nil {
				from.Log.Error("the temporary copy for forks could not be removed; the next start removes it", "error", err)
			}
		}()
	}
	all, counted := make([]*lifecycle.Prepared, n), &lifecycle.Counted{}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(forkers)
	for i := range all {
		group.Go(func() (err error) {
			if err := within.Err(); err != nil {
				return err
			}
			all[i], err = c.environments.Prepare(within, f.numbered(i).createClosed(from, source, counted, func(ctx context.Context, env *environment.Environment) error {
				return describe(ctx, i, env.ID, env)
			}))
			return err
		})
	}
	err := group.Wait()
	if err == nil {
		return all, nil
	}
	for _, p := range all {
		if p != nil {
			err = errors.Join(err, c.environments.Abandon(context.WithoutCancel(ctx), p))
		}
	}
	return nil, err
}

// origin is the copy that a fork begins with.
type origin struct {
	base     string // the base name of its databases
	position uint64 // of the seeded id source
}

// source returns the origin of a fork of an environment, or of one of its
// snapshots. The caller must call release after the fork is made.
func (f Fork) source(ctx context.Context, c *Cloner, from *environment.Environment) (o origin, release func(), err error) {
	if f.Snapshot == "" { // flushed here, so that no fork has to
		return origin{worlds.Of(from.Storage), 0}, func() {}, from.Flush(ctx)
	}
	base := worlds.Snapshot(f.Snapshot)
	release = c.copies.Hold(base)
	position, err := c.catalogue.Snapshots().Position(ctx, from.ID, f.Snapshot)
	if err != nil {
		release()
		return o, nil, err
	}
	return origin{base, uint64(position)}, release, nil
}

// parent returns the parent's id as the fork shows it: the environment's own id,
// or the id of its parent if a fork of the same call replaces the environment.
func (f *Fork) parent(from *environment.Environment) string {
	if f.inPlace {
		return from.CurrentInfo().Parent
	}
	return from.ID
}

// isEphemeral reports whether the fork is kept in memory only.
func (f *Fork) isEphemeral(from *environment.Environment) bool {
	if f.Ephemeral != nil {
		return *f.Ephemeral
	}
	return from.Ephemeral
}

// numbered returns the i-th of several forks, counted from 0.
func (f Fork) numbered(i int) Fork {
	suffix := "-" + strconv.Itoa(i+1)
	if f.ID != "" {
		f.ID += suffix
	}
	if f.Name != "" {
		f.Name += suffix
	}
	return f
}

// create returns the parameters of a fork of an open environment.
func (f Fork) create(from *environment.Environment, source origin) lifecycle.Create {
	in := lifecycle.Create{Replace: f.Replace, From: source.base, Info: environment.Info{ID: f.ID, Name: f.Name, Parent: f.parent(from),
		Created: clock.Real().UTC().Truncate(time.Microsecond), RateLimits: from.CurrentRateLimits(), Ephemeral: f.isEphemeral(from)}}
	if f.RateLimits != nil {
		in.Info.RateLimits = *f.RateLimits
	}
	in.Info.SetTTL(f.TTL)
	open := source.base == worlds.Of(from.Storage)
	in.Identified = func(id string) {
		if f.Fresh {
			f.Differs.Fresh = id
		}
	}
	in.Copied = func() environment.Copied {
		copied := environment.Copied{Position: source.position, Fork: &f.Differs}
		if open {
			copied.Position = from.IDs.Position()
		}
		return copied
	}
	in.Fill = func(ctx context.Context, env *environment.Environment) error {
		if f.Fresh {
			if err := env.RenewInherited(ctx); err != nil {
				return err
			}
		}
		if f.Differs.Clock != nil {
			if err := env.ClockMoved(ctx); err != nil {
				return err
			}
		}
		if f.Fill != nil {
			return f.Fill(ctx, env)
		}
		return nil
	}
	return in
}

// createClosed is create for a fork that is described and left closed.
func (f Fork) createClosed(from *environment.Environment, source origin, counted *lifecycle.Counted, describe func(context.Context, *environment.Environment) error) lifecycle.Create {
	in := f.create(from, source)
	in.Closed, in.Counted = true, counted
	fill := in.Fill
	in.Fill = func(ctx context.Context, env *environment.Environment) error {
		if err := fill(ctx, env); err != nil {
			return err
		}
		return describe(ctx, env)
	}
	return in
}
