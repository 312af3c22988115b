package environment

import (
	"context"
	"errors"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
)

// Delete removes an environment with its snapshots. It returns NotFound for an
// unknown one. Forks of it go on.
func (m *Manager) Delete(ctx context.Context, id string) error {
	return m.remove(ctx, id, func(*store.Tx) error { return nil })
}

// remove is Delete, unless check refuses it when its streams and requests have ended.
func (m *Manager) remove(ctx context.Context, id string, check func(tx *store.Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	old, own, err := m.take(ctx, id)
	if err != nil {
		return err
	}
	var snapshots []Snapshot
	err = m.catalogue.Write(ctx, func(tx *store.Tx) (err error) {
		if err := check(tx); err != nil {
			return err
		}
		if snapshots, err = listSnapshots(tx, id, "", maxSnapshots); err != nil {
			return err
		}
		return deleteInfo(tx, id)
	})
	if err != nil {
		m.abandon(id, old, own)
		return err
	}
	if old != nil {
		m.shut(old.env, true)
	}
	m.settle(id, own, func() (*Environment, error) { return nil, NotFound })
	errs := []error{m.dropWorlds(ctx, worldOf(id)), m.dropWorlds(ctx, baseOf(id))}
	for _, s := range snapshots {
		errs = append(errs, m.dropWorlds(ctx, snapshotWorlds(s.ID)))
	}
	return errors.Join(errs...)
}

// Change is what may change of an environment; nil stays.
type Change struct {
	Name       *string
	RateLimits *ratelimit.Setting
	TTL        *time.Duration // in real time, from now; 0 is for ever
}

// Update changes an environment. It returns NotFound.
func (m *Manager) Update(ctx context.Context, id string, c Change) error {
	env, leave, err := m.Enter(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	env.updating.Lock()
	defer env.updating.Unlock()
	info := env.info()
	info.RateLimits = env.setting()
	if c.Name != nil {
		info.Name = *c.Name
	}
	if c.RateLimits != nil {
		info.RateLimits = *c.RateLimits
	}
	if c.TTL != nil {
		info.expire(*c.TTL)
	}
	if err := m.catalogue.Write(ctx, func(tx *store.Tx) error { return updateInfo(tx, info) }); err != nil {
		return err
	}
	env.SetRateLimits(info.RateLimits)
	env.setInfo(info)
	return nil
}

// Expire deletes the environments whose time has come. It is called again and again.
func (m *Manager) Expire(ctx context.Context) error {
	var due []string
	err := m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = listExpired(tx, clock.Real().UnixMicro())
		return err
	})
	for _, id := range due {
		if e := m.expire(ctx, id); e != nil && !errors.Is(e, NotFound) && !errors.Is(e, errNotDue) {
			err = errors.Join(err, e)
		}
	}
	return err
}

var errNotDue = errors.New("the environment has time to live")

// expire deletes an environment, unless it was given more time meanwhile.
func (m *Manager) expire(ctx context.Context, id string) error {
	check := func(tx *store.Tx) error {
		info, found, err := getInfo(tx, id)
		if err == nil && found && (info.Expires.IsZero() || info.Expires.After(clock.Real())) {
			err = errNotDue
		}
		return err
	}
	if err := m.catalogue.Read(ctx, check); err != nil { // without ending its streams
		return err
	}
	return m.remove(ctx, id, check)
}

// all gives the environments that are open.
func (m *Manager) all() map[string]*opening {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]*opening{}
	for id, op := range m.open {
		if op.isReady() && op.env != nil {
			out[id] = op
		}
	}
	return out
}

// EndStreams ends what clients hold open in all environments.
func (m *Manager) EndStreams() {
	for _, op := range m.all() {
		op.env.endStreams()
	}
}

// closers is how many environments are closed at once when the program ends.
const closers = 8

// Close closes all environments and the catalogue.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closing = true
	left := m.open
	m.open = map[string]*opening{}
	m.mu.Unlock()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		notes = make([]parting, 0, len(left))
		slots = make(chan struct{}, closers)
	)
	for _, op := range left {
		<-op.ready
		if op.env == nil {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			note := m.parting(op.env)
			m.shut(op.env, op.env.Ephemeral)
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, note)
		})
	}
	wg.Wait()
	err := m.catalogue.Write(context.Background(), func(tx *store.Tx) error {
		for _, note := range notes {
			if err := note.keep(tx); err != nil {
				return err
			}
		}
		return nil
	})
	ctx := context.Background()
	return errors.Join(err, m.o.Store.Leave(ctx, func() error { return m.clean(ctx) }), m.catalogue.Close())
}
