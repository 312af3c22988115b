package environment

import (
	"context"
	"errors"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// SnapshotNotFound says that an environment has no snapshot with an id.
var SnapshotNotFound = fault.New(fault.NotFound, "snapshot_not_found", "The environment has no snapshot with this id.")

var snapshotBusy = fault.New(fault.Conflict, "snapshot_in_use", "The environment is being put back to this snapshot.")

// Snapshot is a copy of an environment as it was at a moment.
type Snapshot struct {
	ID          string
	Environment string
	Name        string
	Created     time.Time // on the environment's clock
	Size        int64     // bytes

	position int64 // of a seeded id source
}

// keep copies an open environment. It tells where its id source stands: what
// is open carries a reserve against crashes, which is not the copy's.
func (m *Manager) keep(ctx context.Context, env *Environment, to string) (position int64, err error) {
	if err := settle(ctx, env); err != nil {
		return 0, err
	}
	err = m.copyWorlds(ctx, worldOf(env.ID), to)
	return int64(env.IDs.Position()), err
}

// Snapshot keeps an environment as it is now. Its work goes on meanwhile. It
// returns NotFound or Interrupted.
func (m *Manager) Snapshot(ctx context.Context, id, name string) (s Snapshot, err error) {
	err = m.work(ctx, id, func(ctx context.Context, env *Environment) error {
		s, err = m.snapshot(ctx, env, name)
		return err
	})
	return s, err
}

func (m *Manager) snapshot(ctx context.Context, env *Environment, name string) (s Snapshot, err error) {
	s = Snapshot{ID: newID(ofSnapshot, env.Ephemeral, 16), Environment: env.ID, Name: name, Created: env.Clock.Now()}
	if s.Name == "" {
		s.Name = s.ID
	}
	if s.position, err = m.keep(ctx, env, snapshotWorlds(s.ID)); err == nil {
		err = m.enter(ctx, &s)
	}
	if err != nil {
		return s, errors.Join(err, m.dropWorlds(ctx, snapshotWorlds(s.ID)))
	}
	return s, nil
}

// enter puts a snapshot into the catalogue.
func (m *Manager) enter(ctx context.Context, s *Snapshot) error {
	for _, suffix := range m.suffixes() {
		n, err := m.o.Store.Size(ctx, snapshotWorlds(s.ID)+suffix)
		if err != nil {
			return err
		}
		s.Size += n
	}
	return m.catalogue.Write(ctx, func(tx *store.Tx) error { return insertSnapshot(tx, *s) })
}

// Snapshots gives those of an environment after one id, in order, at most limit.
func (m *Manager) Snapshots(ctx context.Context, id, after string, limit int) (out []Snapshot, err error) {
	if _, _, err := m.look(ctx, id); err != nil {
		return nil, err
	}
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listSnapshots(tx, id, after, limit)
		return err
	})
	return out, err
}

// DeleteSnapshot removes a snapshot, as soon as nobody reads it. It returns
// SnapshotNotFound, and snapshotBusy while the environment is put back to it.
func (m *Manager) DeleteSnapshot(ctx context.Context, id, snapshot string) error {
	if _, err := m.hasSnapshot(ctx, id, snapshot); err != nil {
		return err
	}
	err := m.catalogue.Write(ctx, func(tx *store.Tx) error {
		restoring, err := lockRestoring(tx, id)
		if err == nil && restoring == snapshotWorlds(snapshot) {
			err = snapshotBusy
		}
		if err != nil {
			return err
		}
		return deleteSnapshot(tx, snapshot)
	})
	if err != nil {
		return err
	}
	return m.dropCopy(ctx, snapshotWorlds(snapshot))
}

// hasSnapshot tells where the id source stood when a snapshot was made.
func (m *Manager) hasSnapshot(ctx context.Context, id, snapshot string) (position int64, err error) {
	if _, _, err := m.look(ctx, id); err != nil {
		return 0, err
	}
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		position, err = findSnapshot(tx, id, snapshot)
		return err
	})
	return position, err
}

func findSnapshot(tx *store.Tx, id, snapshot string) (position int64, err error) {
	owner, position, err := snapshotOwner(tx, snapshot)
	if err == nil && owner != id {
		err = SnapshotNotFound
	}
	return position, err
}

// Reset puts an environment back to its state at creation; of a fork, to the
// moment of the fork. Snapshots stay.
func (m *Manager) Reset(ctx context.Context, id string) (*Environment, error) {
	return m.putBack(ctx, id, "")
}

// Restore puts an environment back to a snapshot. It returns SnapshotNotFound.
func (m *Manager) Restore(ctx context.Context, id, snapshot string) (*Environment, error) {
	if _, err := m.hasSnapshot(ctx, id, snapshot); err != nil {
		return nil, err
	}
	return m.putBack(ctx, id, snapshot)
}

// putBack replaces the databases of an environment by a snapshot, or without
// one by its state at creation. The catalogue says from when on it has begun,
// so that after a crash it is done again: before that the environment is as it
// was, after it as the copy.
func (m *Manager) putBack(ctx context.Context, id, snapshot string) (*Environment, error) {
	ctx = context.WithoutCancel(ctx)
	old, own, err := m.take(ctx, id)
	if err != nil {
		return nil, err
	}
	err = m.catalogue.Write(ctx, func(tx *store.Tx) error {
		if snapshot == "" {
			return setRestoring(tx, id, baseOf(id))
		}
		if err := setRestoring(tx, id, snapshotWorlds(snapshot)); err != nil {
			return err
		}
		_, err := findSnapshot(tx, id, snapshot) // it may have been deleted while requests ended
		return err
	})
	if err != nil {
		m.abandon(id, old, own)
		return nil, err
	}
	if old != nil {
		m.shut(old.env, true)
	}
	m.settle(id, own, func() (*Environment, error) { return m.load(ctx, id) })
	return own.env, own.err
}

// Fork is what a fork is made of.
type Fork struct {
	Name     string
	Snapshot string // "" is now
	Mute     bool   // nobody outside is told of what happens in it
}

// Fork makes an environment that begins as a copy of another. It has the
// parent's tokens under its own address, none of its pending work, and
// outlives it. It returns NotFound, SnapshotNotFound or Interrupted.
func (m *Manager) Fork(ctx context.Context, parent string, f Fork) (env *Environment, err error) {
	err = m.work(ctx, parent, func(ctx context.Context, from *Environment) error {
		env, err = m.fork(ctx, from, f)
		return err
	})
	return env, err
}

func (m *Manager) fork(ctx context.Context, from *Environment, f Fork) (_ *Environment, err error) {
	m.makeRoom(ctx)
	info := Info{ID: newID(ofEnvironment, from.Ephemeral, 12), Name: f.Name, Parent: from.ID, Created: clock.Real().UTC().Truncate(time.Microsecond),
		RateLimits: from.setting(), Ephemeral: from.Ephemeral}
	if info.Name == "" {
		info.Name = info.ID
	}
	origin := worldOf(from.ID)
	if f.Snapshot != "" {
		origin = snapshotWorlds(f.Snapshot)
		defer m.useCopy(origin)()
		if info.position, err = m.hasSnapshot(ctx, from.ID, f.Snapshot); err != nil {
			return nil, err
		}
	}
	world, err := m.o.Store.Create(ctx, worldOf(info.ID), origin, m.schemas)
	if err != nil {
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(info.ID)))
	}
	if f.Snapshot == "" {
		info.position = int64(from.IDs.Position())
	}
	env, err := m.beget(ctx, info, world, origin, f.Mute)
	if err != nil {
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(info.ID)))
	}
	return env, m.publish(ctx, env)
}

// beget opens a copy as an environment of its own.
func (m *Manager) beget(ctx context.Context, info Info, world *store.World, origin string, mute bool) (*Environment, error) {
	err := m.copyExtra(ctx, origin, worldOf(info.ID))
	if err == nil {
		err = world.Write(ctx, func(tx *store.Tx) error {
			if err := m.emptyRuntime(tx); err != nil || !mute {
				return err
			}
			return setMeta(tx, map[string]string{"deliveries": "off"})
		})
	}
	if err != nil {
		return nil, errors.Join(err, world.Discard())
	}
	return m.assemble(ctx, info, world, nil, &info.position)
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
