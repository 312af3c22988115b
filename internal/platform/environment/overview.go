package environment

import (
	"context"
	"errors"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// Counts tells how many there are of what a service keeps, by its plural noun.
type Counts map[string]int64

// Overview is an environment as the admin plane shows it.
type Overview struct {
	Info
	Clock  clock.State
	Size   int64             // bytes
	Counts map[string]Counts // by service
}

// Overview gives that of an open environment.
func (m *Manager) Overview(ctx context.Context, env *Environment) (o Overview, err error) {
	o = Overview{Info: env.info(), Clock: env.Clock.State(), Counts: map[string]Counts{}}
	for name, in := range env.instances {
		if o.Counts[name], err = in.Counts(ctx); err != nil {
			return o, err
		}
	}
	o.Size, err = m.Size(ctx, env)
	return o, err
}

// Overviews gives the environments after one id, in order, at most limit of
// them. One that is closed is as it was when it was closed, and stays closed.
func (m *Manager) Overviews(ctx context.Context, after string, limit int) ([]Overview, error) {
	found, err := m.List(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Overview, 0, len(found))
	for _, info := range found {
		o, err := m.overviewOf(ctx, info.ID)
		if errors.Is(err, NotFound) { // it was deleted meanwhile
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

func (m *Manager) overviewOf(ctx context.Context, id string) (o Overview, err error) {
	if env := m.peek(id); env != nil {
		if o, err := m.Overview(ctx, env); err == nil {
			return o, nil
		}
		// It was closed meanwhile, and what it was then is kept.
	}
	var found bool
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		o, found, err = getOverview(tx, id)
		return err
	})
	if err != nil || found {
		return o, err
	}
	env, leave, err := m.Enter(ctx, id)
	if err != nil {
		return o, err
	}
	defer leave()
	return m.Overview(ctx, env)
}

// peek gives an environment that is open, or nil.
func (m *Manager) peek(id string) *Environment {
	m.mu.Lock()
	defer m.mu.Unlock()
	if op := m.open[id]; op != nil && op.isReady() {
		return op.env
	}
	return nil
}
