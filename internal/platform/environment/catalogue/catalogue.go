// Package catalogue stores the list of environments and of their snapshots in its
// own database. It does not know which environments are open.
package catalogue

import (
	"cmp"
	"context"
	"embed"
	"io/fs"
	"slices"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

//go:embed migrations
var migrations embed.FS

func schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "catalogue", Migrations: sub, Tables: map[string]store.Class{"environment": store.RuntimeClass}}
}

// Catalogue is the list of environments. Each method is one transaction, for one
// of the events in the life of an environment that must survive a crash.
type Catalogue struct {
	world *store.World
}

// Open opens the catalogue of a store.
func Open(ctx context.Context, s store.Store) (*Catalogue, error) {
	w, err := s.Open(ctx, "catalogue", []store.Schema{schema()})
	if err != nil {
		return nil, err
	}
	return &Catalogue{w}, nil
}

// Close closes the catalogue.
func (c *Catalogue) Close() error { return c.world.Close() }

// Ping returns an error when the database does not answer.
func (c *Catalogue) Ping(ctx context.Context) error { return c.world.Read(ctx, selectOne) }

// WakeAtStart is the wake time of an environment that is open, or that has
// immediate work.
const WakeAtStart = 1

// Entry is the catalogue's data of an environment.
type Entry struct {
	environment.Info
	// Restoring is the base name of the copy that is being restored, or "".
	Restoring string
	// Wake is when the environment must be opened, in microseconds of real time;
	// 0 means never. See WakeAtStart.
	Wake int64
	// Position is that of the seeded id source at the creation of the environment,
	// or of the copy that is being restored.
	Position int64
	// Overview is set for a new environment that is closed; nil if unknown. Get does
	// not return it.
	Overview *environment.Overview
}

// Get returns an environment. It returns environment.NotFound.
func (c *Catalogue) Get(ctx context.Context, id string) (e Entry, err error) {
	var found bool
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		if e, found, err = getEntry(tx, id); err != nil || e.Restoring == "" {
			return err
		}
		if from, _ := worlds.Owner(e.Restoring); from != e.Storage {
			_, e.Position, err = snapshotOwner(tx, from)
		}
		return err
	})
	if err == nil && !found {
		err = environment.NotFound
	}
	return e, err
}

// List returns the environments after a place of an order, at most limit.
func (c *Catalogue) List(ctx context.Context, o Order, after Place, limit int) (out []environment.Info, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		rest, args, err := following(tx.Dialect(), o, after, limit)
		if err != nil {
			return err
		}
		found, err := selectEntries(tx, rest, args...)
		for _, e := range found {
			out = append(out, e.Info)
		}
		return err
	})
	return out, err
}

// Insert adds environments, all or none. It returns environment.Exists for an id
// that is in use.
func (c *Catalogue) Insert(ctx context.Context, all ...Entry) error {
	fleeting := !slices.ContainsFunc(all, func(e Entry) bool { return !e.Ephemeral })
	return c.write(ctx, fleeting, func(tx *store.Tx) error {
		for _, e := range all {
			if err := insertEntry(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// write runs a transaction. With fleeting, for changes of ephemeral environments
// only, it does not wait for the disk: a power failure removes them too, and
// Recover cleans up after it.
func (c *Catalogue) write(ctx context.Context, fleeting bool, fn func(*store.Tx) error) error {
	if fleeting {
		return c.world.WriteDerived(ctx, fn)
	}
	return c.world.Write(ctx, fn)
}

// Replace is Insert for environments whose ids may be in use: it removes those
// with the same ids, with their snapshots, and returns what it removed.
func (c *Catalogue) Replace(ctx context.Context, all ...Entry) (removed []Removed, err error) {
	err = c.world.Write(ctx, func(tx *store.Tx) error {
		removed = nil
		for _, e := range all {
			old, found, err := getEntry(tx, e.ID)
			if err != nil {
				return err
			}
			if found {
				snapshots, err := deleteEntry(tx, e.ID)
				if err != nil {
					return err
				}
				removed = append(removed, Removed{old.Storage, snapshots, old.Ephemeral})
			}
			if err := insertEntry(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return removed, err
}

// Removed describes a removed environment.
type Removed struct {
	Storage   string   // Info.Storage, which is part of the names of its databases
	Snapshots []string // their ids
	Ephemeral bool
}

// Named returns the ids of environments with a name, sorted, at most limit.
func (c *Catalogue) Named(ctx context.Context, name string, limit int) (ids []string, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		ids, err = listNamed(tx, name, limit)
		return err
	})
	return ids, err
}

// Update stores the name, rate limits and expiry.
func (c *Catalogue) Update(ctx context.Context, i environment.Info) error {
	return c.world.Write(ctx, func(tx *store.Tx) error { return updateEntry(tx, i) })
}

// Delete removes an environment and its snapshots. With expired it returns
// NotExpired for an environment that has not expired. It returns
// environment.NotFound. The caller must prevent concurrent creation or deletion
// of the id.
func (c *Catalogue) Delete(ctx context.Context, id string, expired bool) (r Removed, err error) {
	known, err := c.Get(ctx, id)
	if err != nil {
		return r, err
	}
	err = c.write(ctx, known.Ephemeral, func(tx *store.Tx) error {
		if expired {
			if err := checkExpired(tx, id); err != nil {
				return err
			}
		}
		e, found, err := getEntry(tx, id)
		if err != nil || !found {
			return cmp.Or(err, error(environment.NotFound))
		}
		r.Storage, r.Ephemeral = e.Storage, e.Ephemeral
		r.Snapshots, err = deleteEntry(tx, id)
		return err
	})
	return r, err
}

// NotExpired means that an environment has not expired.
var NotExpired = fault.New(fault.Conflict, "environment_not_expired", "The environment has not expired yet.")

// CheckExpired returns NotExpired for an environment that has not expired.
func (c *Catalogue) CheckExpired(ctx context.Context, id string) error {
	return c.world.Read(ctx, func(tx *store.Tx) error { return checkExpired(tx, id) })
}

func checkExpired(tx *store.Tx, id string) error {
	e, found, err := getEntry(tx, id)
	if err == nil && found && (e.Expires.IsZero() || e.Expires.After(clock.Real())) {
		err = NotExpired
	}
	return err
}

// Expired returns the ids of environments that have expired.
func (c *Catalogue) Expired(ctx context.Context) (ids []string, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		ids, err = listExpired(tx, clock.Real().UnixMicro())
		return err
	})
	return ids, err
}

// Due returns the ids of environments whose wake time is between from and to,
// in microseconds.
func (c *Catalogue) Due(ctx context.Context, from int64, to time.Time) (ids []string, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		ids, err = listWaking(tx, from, to.UnixMicro())
		return err
	})
	return ids, err
}

// BeginRestore records that an environment is being replaced by a copy, so that a
// crash cannot leave it half replaced: Get returns that until MarkOpen. An empty
// snapshot means the state at creation. It returns SnapshotNotFound.
func (c *Catalogue) BeginRestore(ctx context.Context, id, snapshot string) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if snapshot == "" {
			e, _, err := getEntry(tx, id)
			if err != nil {
				return err
			}
			return setRestoring(tx, id, worlds.Base(e.Storage))
		}
		if err := setRestoring(tx, id, worlds.Snapshot(snapshot)); err != nil {
			return err
		}
		_, err := findSnapshot(tx, id, snapshot) // it may have been deleted
		return err
	})
}

// MarkOpen records that an environment is open and that its restore has ended.
func (c *Catalogue) MarkOpen(ctx context.Context, id string) error {
	return c.world.Write(ctx, func(tx *store.Tx) error { return setOpened(tx, id) })
}

// Closing is what the catalogue stores about an environment when it is closed.
type Closing struct {
	ID       string
	Wake     int64 // see Entry
	Overview *environment.Overview
}

// MarkClosed records that environments are closed. A nil overview leaves the
// stored one unchanged.
func (c *Catalogue) MarkClosed(ctx context.Context, all ...Closing) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		for _, one := range all {
			if err := setWake(tx, one.ID, one.Wake); err != nil {
				return err
			}
			if one.Overview == nil {
				continue
			}
			if err := putOverview(tx, one.ID, *one.Overview); err != nil {
				return err
			}
		}
		return nil
	})
}

// Recover removes the ephemeral environments of an earlier run. It returns their
// number and the ids in the names of the remaining databases.
func (c *Catalogue) Recover(ctx context.Context) (removed int, known map[string]bool, err error) {
	err = c.world.Write(ctx, func(tx *store.Tx) (err error) {
		if removed, err = deleteEphemeral(tx); err == nil {
			known, err = listIDs(tx)
		}
		return err
	})
	return removed, known, err
}
