package catalogue

import (
	"context"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// The errors of snapshots.
var (
	SnapshotNotFound = fault.New(fault.NotFound, "snapshot_not_found", "The environment has no snapshot with this id.")
	SnapshotInUse    = fault.New(fault.Conflict, "snapshot_in_use", "The environment is being restored from this snapshot; delete it afterwards.")
)

// Snapshots is the list of the snapshots of all environments.
type Snapshots struct {
	c *Catalogue
}

// Snapshots returns the list of snapshots.
func (c *Catalogue) Snapshots() Snapshots { return Snapshots{c} }

// Snapshot is the catalogue's data of a snapshot.
type Snapshot struct {
	environment.Snapshot
	Position int64 // of the seeded id source
}

// Insert adds a snapshot.
func (l Snapshots) Insert(ctx context.Context, s Snapshot) error {
	return l.c.world.Write(ctx, func(tx *store.Tx) error { return insertSnapshot(tx, s) })
}

// List returns the snapshots of an environment after an id, in the order of ids,
// at most limit. It returns environment.NotFound.
func (l Snapshots) List(ctx context.Context, env, after string, limit int) (out []Snapshot, err error) {
	if _, err := l.c.Get(ctx, env); err != nil {
		return nil, err
	}
	err = l.c.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listSnapshots(tx, env, after, limit)
		return err
	})
	return out, err
}

// Position returns the position of the id source when a snapshot was made. It
// returns environment.NotFound and SnapshotNotFound.
func (l Snapshots) Position(ctx context.Context, env, snapshot string) (position int64, err error) {
	if _, err := l.c.Get(ctx, env); err != nil {
		return 0, err
	}
	err = l.c.world.Read(ctx, func(tx *store.Tx) (err error) {
		position, err = findSnapshot(tx, env, snapshot)
		return err
	})
	return position, err
}

func findSnapshot(tx *store.Tx, env, snapshot string) (position int64, err error) {
	owner, position, err := snapshotOwner(tx, snapshot)
	if err == nil && owner != env {
		err = SnapshotNotFound
	}
	return position, err
}

// Delete removes a snapshot of an environment. It returns
// environment.NotFound, SnapshotNotFound, and SnapshotInUse while the
// environment is being restored from it.
func (l Snapshots) Delete(ctx context.Context, env, snapshot string) error {
	if _, err := l.Position(ctx, env, snapshot); err != nil {
		return err
	}
	return l.c.world.Write(ctx, func(tx *store.Tx) error {
		restoring, err := lockRestoring(tx, env)
		if err == nil && restoring == worlds.Snapshot(snapshot) {
			err = SnapshotInUse
		}
		if err != nil {
			return err
		}
		return deleteSnapshot(tx, snapshot)
	})
}
