package environment

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Comparer is a Service whose data a diff shows.
type Comparer interface {
	// Entities declares how, for every table of class world that holds things
	// that clients know. Service is filled in.
	Entities() []diff.Entity
}

// Settler is an Instance that does a part of its work behind the replies. A
// diff waits for it, so that what it shows follows from the calls alone.
type Settler interface {
	Settle(ctx context.Context) error
}

// Entities gives what the services and the platform declare for a diff.
func Entities(services []Service) []diff.Entity {
	out := auth.Entities()
	for _, s := range services {
		c, ok := s.(Comparer)
		if !ok {
			continue
		}
		for _, e := range c.Entities() {
			e.Service = s.Name()
			out = append(out, e)
		}
	}
	return out
}

// Diff tells what changed in an environment between two snapshots. Without
// from it begins at the environment's creation (or the fork, or what a seed
// document made of it at creation); without to it ends now. It returns
// NotFound, SnapshotNotFound, page.BadCursor or Interrupted.
func (m *Manager) Diff(ctx context.Context, id, from, to string, o diff.Options) (found *diff.Changes, err error) {
	err = m.work(ctx, id, func(ctx context.Context, env *Environment) error {
		found, err = m.compare(ctx, env, from, to, o)
		return err
	})
	return found, err
}

func (m *Manager) compare(ctx context.Context, env *Environment, from, to string, o diff.Options) (*diff.Changes, error) {
	base := baseOf(env.ID)
	if from != "" {
		base = snapshotWorlds(from)
	}
	for _, snapshot := range []string{from, to} {
		if snapshot == "" {
			continue
		}
		defer m.useCopy(snapshotWorlds(snapshot))()
		if _, err := m.hasSnapshot(ctx, env.ID, snapshot); err != nil {
			return nil, err
		}
	}
	before, release, err := m.openCopy(ctx, base)
	if err != nil {
		return nil, err
	}
	defer release()
	after := map[string]*store.World{"": env.World}
	for name, w := range env.Extra {
		after[name] = w
		if w.Absent(ctx) { // asking it would make it
			after[name] = nil
		}
	}
	if to != "" {
		var release func()
		if after, release, err = m.openCopy(ctx, snapshotWorlds(to)); err != nil {
			return nil, err
		}
		defer release()
	} else if err := settle(ctx, env); err != nil {
		return nil, err
	}
	return diff.Compare(ctx, Entities(m.o.Services), before, after, o)
}

func settle(ctx context.Context, env *Environment) error {
	for _, in := range env.instances {
		if s, ok := in.(Settler); ok {
			if err := s.Settle(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
