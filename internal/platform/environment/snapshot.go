package environment

import (
	"context"
	"errors"
	"strconv"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// SnapshotNotFound says that an environment has no snapshot with an id.
var SnapshotNotFound = fault.New(fault.NotFound, "snapshot_not_found", "The environment has no snapshot with this id.")

// Snapshot is a copy of an environment as it was at a moment.
type Snapshot struct {
	ID          string
	Environment string
	Name        string
	Created     time.Time // on the environment's clock
	Size        int64     // bytes
}

const idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// baseOf names the copy of an environment as it was made, to which a reset goes back.
func baseOf(id string) string { return "base_" + id }

func snapshotWorlds(id string) string { return "snap_" + id }

// copyWorlds copies all databases of an environment, or of a copy of one.
func (m *Manager) copyWorlds(ctx context.Context, from, to string) error {
	for _, suffix := range m.suffixes() {
		if err := m.o.Store.Copy(ctx, from+suffix, to+suffix); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) dropWorlds(ctx context.Context, base string) (err error) {
	for _, suffix := range m.suffixes() {
		err = errors.Join(err, m.o.Store.Drop(ctx, base+suffix))
	}
	return err
}

// keep copies an open environment. The copy of a seeded one is told where its
// id source stood: what is open carries a reserve against crashes.
func (m *Manager) keep(ctx context.Context, env *Environment, to string) error {
	position := env.IDs.Position()
	if err := settle(ctx, env); err != nil {
		return err
	}
	if err := m.copyWorlds(ctx, worldOf(env.ID), to); err != nil {
		return err
	}
	if !env.IDs.IsSeeded() {
		return nil
	}
	return m.withWorld(ctx, to, func(tx *store.Tx) error {
		return setMeta(tx, map[string]string{"ids_position": strconv.FormatUint(position, 10)})
	})
}

// withWorld changes a copy that is closed.
func (m *Manager) withWorld(ctx context.Context, world string, fn func(tx *store.Tx) error) error {
	w, err := m.o.Store.Open(ctx, world, m.schemas)
	if err != nil {
		return err
	}
	return errors.Join(w.Write(ctx, fn), w.Close())
}

// Snapshot keeps an environment as it is now. Its work goes on meanwhile.
func (m *Manager) Snapshot(ctx context.Context, id, name string) (Snapshot, error) {
	env, err := m.Open(ctx, id)
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{ID: "s" + ids.Random().String(idAlphabet, 15), Environment: id, Name: name, Created: env.Clock.Now()}
	if s.Name == "" {
		s.Name = s.ID
	}
	if err := m.keep(ctx, env, snapshotWorlds(s.ID)); err != nil {
		return s, errors.Join(err, m.dropWorlds(ctx, snapshotWorlds(s.ID)))
	}
	for _, suffix := range m.suffixes() {
		n, err := m.o.Store.Size(ctx, snapshotWorlds(s.ID)+suffix)
		if err != nil {
			return s, err
		}
		s.Size += n
	}
	return s, m.catalogue.Write(ctx, func(tx *store.Tx) error { return insertSnapshot(tx, s) })
}

// Snapshots gives those of an environment after one id, in order, at most limit.
func (m *Manager) Snapshots(ctx context.Context, id, after string, limit int) (out []Snapshot, err error) {
	if _, err := m.Open(ctx, id); err != nil {
		return nil, err
	}
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listSnapshots(tx, id, after, limit)
		return err
	})
	return out, err
}

// DeleteSnapshot removes a snapshot. It returns SnapshotNotFound.
func (m *Manager) DeleteSnapshot(ctx context.Context, id, snapshot string) error {
	if err := m.hasSnapshot(ctx, id, snapshot); err != nil {
		return err
	}
	if err := m.catalogue.Write(ctx, func(tx *store.Tx) error { return deleteSnapshot(tx, snapshot) }); err != nil {
		return err
	}
	return m.dropWorlds(ctx, snapshotWorlds(snapshot))
}

func (m *Manager) hasSnapshot(ctx context.Context, id, snapshot string) error {
	if _, err := m.Open(ctx, id); err != nil {
		return err
	}
	return m.catalogue.Read(ctx, func(tx *store.Tx) error {
		owner, err := snapshotOwner(tx, snapshot)
		if err == nil && owner != id {
			err = SnapshotNotFound
		}
		return err
	})
}

// Reset puts an environment back to its state at creation; of a fork, to the
// moment of the fork. Snapshots stay.
func (m *Manager) Reset(ctx context.Context, id string) (*Environment, error) {
	return m.putBack(ctx, id, baseOf(id))
}

// Restore puts an environment back to a snapshot. It returns SnapshotNotFound.
func (m *Manager) Restore(ctx context.Context, id, snapshot string) (*Environment, error) {
	if err := m.hasSnapshot(ctx, id, snapshot); err != nil {
		return nil, err
	}
	return m.putBack(ctx, id, snapshotWorlds(snapshot))
}

// putBack replaces the databases of an environment by a copy. The catalogue
// says from when on it has begun, so that after a crash it is done again:
// before that the environment is as it was, after it as the copy.
func (m *Manager) putBack(ctx context.Context, id, from string) (*Environment, error) {
	ctx = context.WithoutCancel(ctx)
	old, err := m.take(ctx, id)
	if err != nil {
		return nil, err
	}
	m.shut(old.env)
	err = m.catalogue.Write(ctx, func(tx *store.Tx) error { return setRestoring(tx, id, from) })
	env, opened := m.release(ctx, id)
	return env, errors.Join(err, opened)
}

// take makes an environment this caller's own: whoever opens it waits for release.
func (m *Manager) take(ctx context.Context, id string) (*opening, error) {
	for {
		env, err := m.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		m.mu.Lock()
		if op := m.open[id]; op != nil && op.env == env {
			m.open[id] = &opening{ready: make(chan struct{})}
			m.mu.Unlock()
			return op, nil
		}
		m.mu.Unlock()
	}
}

// release opens an environment that was taken, for all who wait for it.
func (m *Manager) release(ctx context.Context, id string) (*Environment, error) {
	m.mu.Lock()
	op := m.open[id]
	m.mu.Unlock()
	op.env, op.err = m.load(ctx, id)
	if op.err != nil {
		m.mu.Lock()
		delete(m.open, id)
		m.mu.Unlock()
	}
	close(op.ready)
	return op.env, op.err
}

// finishRestoring does what a reset or restore has promised in the catalogue.
func (m *Manager) finishRestoring(ctx context.Context, info Info) error {
	if info.restoring == "" {
		return nil
	}
	if err := m.copyWorlds(ctx, info.restoring, worldOf(info.ID)); err != nil {
		return err
	}
	return m.catalogue.Write(ctx, func(tx *store.Tx) error { return setRestoring(tx, info.ID, "") })
}

// Fork is what a fork is made of.
type Fork struct {
	Name     string
	Snapshot string // "" is now
	Mute     bool   // nobody outside is told of what happens in it
}

// Fork makes an environment that begins as a copy of another. It has the
// parent's tokens under its own address, none of its pending work, and
// outlives it. It returns SnapshotNotFound.
func (m *Manager) Fork(ctx context.Context, parent string, f Fork) (*Environment, error) {
	from, err := m.Open(ctx, parent)
	if err != nil {
		return nil, err
	}
	if f.Snapshot != "" {
		if err := m.hasSnapshot(ctx, parent, f.Snapshot); err != nil {
			return nil, err
		}
	}
	info := Info{ID: "e" + ids.Random().String(idAlphabet, 11), Name: f.Name, Parent: parent, Created: clock.Real().UTC(), RateLimits: from.setting()}
	if info.Name == "" {
		info.Name = info.ID
	}
	if f.Snapshot != "" {
		err = m.copyWorlds(ctx, snapshotWorlds(f.Snapshot), worldOf(info.ID))
	} else {
		err = m.keep(ctx, from, worldOf(info.ID))
	}
	if err == nil {
		err = m.withWorld(ctx, worldOf(info.ID), func(tx *store.Tx) error {
			if err := m.emptyRuntime(tx); err != nil || !f.Mute {
				return err
			}
			return setMeta(tx, map[string]string{"deliveries": "off"})
		})
	}
	if err == nil {
		err = m.copyWorlds(ctx, worldOf(info.ID), baseOf(info.ID))
	}
	if err == nil {
		err = m.catalogue.Write(ctx, func(tx *store.Tx) error { return insertInfo(tx, info) })
	}
	if err != nil {
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(info.ID)), m.dropWorlds(ctx, baseOf(info.ID)))
	}
	return m.Open(ctx, info.ID)
}

// emptyRuntime takes out of a copy what was under way in the original.
func (m *Manager) emptyRuntime(tx *store.Tx) error {
	for _, s := range m.schemas {
		for table, class := range s.Tables {
			if class == store.RuntimeClass {
				if err := emptyTable(tx, table); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
