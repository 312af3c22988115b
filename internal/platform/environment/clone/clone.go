// Package clone copies environments and compares the copies: snapshots,
// restore, reset, forks and diffs.
package clone

import (
	"context"
	"errors"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/lease"
)

// Cloner copies the environments of this process.
type Cloner struct {
	environments *lifecycle.Environments
	worlds       *worlds.Set
	catalogue    *catalogue.Catalogue
	// copies holds the databases of copies that are being read, by base name. A copy
	// is opened once for all its readers: two names of one file must not be open at
	// the same time.
	copies *lease.Set[map[string]*store.World]
}

// New returns a cloner.
func New(e *lifecycle.Environments) *Cloner {
	ctx, log := context.Background(), e.Platform.Log
	return &Cloner{environments: e, worlds: e.Worlds, catalogue: e.Catalogue, copies: lease.NewSet(
		func(base string) (map[string]*store.World, error) { return e.Worlds.OpenCopy(ctx, base) },
		func(base string, w map[string]*store.World) {
			if err := worlds.CloseAll(w); err != nil {
				log.Error("a copy of a world could not be closed", "copy", base, "error", err)
			}
		},
		func(base string) {
			if err := e.Worlds.Drop(ctx, base); err != nil {
				log.Error("a copy of a world could not be removed; the next start removes it", "copy", base, "error", err)
			}
		})}
}

// Snapshot copies the current state of an environment, which stays in use. An
// empty name means the snapshot's id. It returns environment.NotFound and
// environment.Interrupted.
func (c *Cloner) Snapshot(ctx context.Context, id, name string) (s environment.Snapshot, err error) {
	err = c.environments.Work(ctx, id, func(ctx context.Context, env *environment.Environment) error {
		s, err = c.snapshot(ctx, env, name)
		return err
	})
	return s, err
}

func (c *Cloner) snapshot(ctx context.Context, env *environment.Environment, name string) (environment.Snapshot, error) {
	s := environment.Snapshot{ID: environment.NewSnapshotID(env.Ephemeral), Environment: env.ID, Name: name, Created: env.Clock.Now()}
	if s.Name == "" {
		s.Name = s.ID
	}
	base := worlds.Snapshot(s.ID)
	position, err := c.worlds.CopyOpen(ctx, env, base)
	if err == nil {
		s.Size, err = c.worlds.Size(ctx, base)
	}
	if err == nil && !env.Ephemeral {
		err = c.worlds.Sync(ctx)
	}
	if err == nil {
		err = c.catalogue.Snapshots().Insert(ctx, catalogue.Snapshot{Snapshot: s, Position: int64(position)})
	}
	if err != nil {
		return s, errors.Join(err, c.worlds.Drop(ctx, base))
	}
	return s, nil
}

// Snapshots returns the snapshots of an environment after an id, in the order of
// ids, at most limit. It returns environment.NotFound.
func (c *Cloner) Snapshots(ctx context.Context, id, after string, limit int) ([]environment.Snapshot, error) {
	found, err := c.catalogue.Snapshots().List(ctx, id, after, limit)
	out := make([]environment.Snapshot, len(found))
	for i, s := range found {
		out[i] = s.Snapshot
	}
	return out, err
}

// DeleteSnapshot removes a snapshot as soon as no reader uses it. It returns
// environment.NotFound, catalogue.SnapshotNotFound, and catalogue.SnapshotInUse
// while the environment is being restored from it.
func (c *Cloner) DeleteSnapshot(ctx context.Context, id, snapshot string) error {
	if err := c.catalogue.Snapshots().Delete(ctx, id, snapshot); err != nil {
		return err
	}
	c.copies.Remove(worlds.Snapshot(snapshot))
	return nil
}

// Reset restores the content that an environment had at its creation; for a fork,
// at the fork. Snapshots remain. It returns environment.NotFound.
func (c *Cloner) Reset(ctx context.Context, id string) (*environment.Environment, error) {
	return c.replace(ctx, id, "")
}

// Restore replaces the content of an environment by that of a snapshot. It
// returns environment.NotFound and catalogue.SnapshotNotFound.
func (c *Cloner) Restore(ctx context.Context, id, snapshot string) (*environment.Environment, error) {
	if _, err := c.catalogue.Snapshots().Position(ctx, id, snapshot); err != nil {
		return nil, err
	}
	return c.replace(ctx, id, snapshot)
}

// replace records the restore in the catalogue. Opening the environment then
// carries it out, also after a crash.
func (c *Cloner) replace(ctx context.Context, id, snapshot string) (*environment.Environment, error) {
	return c.environments.Reopen(ctx, id, func(ctx context.Context) error { return c.catalogue.BeginRestore(ctx, id, snapshot) })
}

// Fork describes a fork.
type Fork struct {
	ID         string // generated when empty
	Name       string // the id when empty
	Snapshot   string // "" means the current state
	Replace    bool   // remove the environment that has the id
	TTL        time.Duration
	RateLimits *ratelimit.Setting // nil for the parent's
	Ephemeral  *bool              // nil for the parent's
	Fresh      bool               // accept no credentials of the parent
	Differs    environment.Fork   // the caller leaves Fresh unset: it is copied from above
	inPlace    bool               // the fork, or one of the same call, replaces the parent
	// Fill is called before anybody can open the fork. It may be nil.
	Fill func(ctx context.Context, env *environment.Environment) error
}
