// Package worlds names, creates, copies and removes the databases of an
// environment and of its copies.
//
// An environment has one main database and one for each name that a WorldKeeper
// declares. All of them share the name of the main one, here "base". The package
// does not know which environments are open.
package worlds

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

// Set holds the databases of all environments in a store.
type Set struct {
	store   store.Store
	schemas []store.Schema            // of the main database
	extra   map[string][]store.Schema // of extra databases, by name
}

// New returns the set of a store for environments with these services.
func New(s store.Store, services []environment.Service) *Set {
	return &Set{store: s, schemas: environment.Schemas(services), extra: environment.ExtraWorlds(services)}
}

// Of returns the base name of an environment, by its storage (environment.Info).
func Of(storage string) string { return named("env_", storage) }

// Base returns the base name of the copy that a reset restores.
func Base(storage string) string { return named(environment.BasePrefix, storage) }

// Snapshot returns the base name of a snapshot.
func Snapshot(id string) string { return named("snap_", id) }

// Kept returns the base name of a copy that package provision keeps.
func Kept(id string) string { return "kept_" + id }

func named(prefix, id string) string {
	if environment.IsEphemeralID(id) {
		return store.InMemory(prefix + id)
	}
	return prefix + id
}

// Owner returns the id in the name of a database: an environment's storage, a
// snapshot's id, or the id of a kept copy. It returns false for other names.
func Owner(world string) (id string, ok bool) {
	world = strings.TrimPrefix(world, store.InMemory(""))
	world, _, _ = strings.Cut(world, suffix(""))
	for _, prefix := range []string{"env_", environment.BasePrefix, "snap_", "kept_"} {
		if id, ok := strings.CutPrefix(world, prefix); ok {
			return id, true
		}
	}
	return "", false
}

// suffix returns what follows the base name in the name of an extra database. No
// id contains its two underscores.
func suffix(name string) string { return "__" + name }

// Open opens the databases of an environment: the main one now, the extra ones on
// first use. It returns store.ErrNoWorld when the main one is missing: an empty world
// in its place would look as if everything in it had been deleted.
func (s *Set) Open(ctx context.Context, base string) (*store.World, map[string]*store.World, error) {
	if exists, err := s.store.Exists(ctx, base); err != nil || !exists {
		return nil, nil, cmp.Or(err, store.ErrNoWorld)
	}
	main, err := s.store.Open(ctx, base, s.schemas)
	if err != nil {
		return nil, nil, err
	}
	return main, s.lazily(base, nil), nil
}

// Create creates and opens the databases of an environment, as copies of those
// with the base name from unless that is "". It replaces what a crash left
// behind. Writes are durable only after World.MakeDurable. It returns
// store.ErrNoWorld.
func (s *Set) Create(ctx context.Context, base, from string) (*store.World, map[string]*store.World, error) {
	if from == "" { // the store replaces the main one
		for name := range s.extra {
			if err := s.store.Drop(ctx, base+suffix(name)); err != nil {
				return nil, nil, err
			}
		}
	}
	main, err := s.store.Create(ctx, base, from, s.schemas)
	if err != nil {
		return nil, nil, errors.Join(err, s.Drop(ctx, base))
	}
	copied := map[string]bool{}
	if from != "" {
		if copied, err = s.copyExtra(ctx, from, base); err != nil {
			return nil, nil, errors.Join(err, main.Discard(), s.Drop(ctx, base))
		}
	}
	return main, s.lazily(base, copied), nil
}

// lazily returns the extra databases. Those that exist have their names in exist;
// nil means that this is not known.
func (s *Set) lazily(base string, exist map[string]bool) map[string]*store.World {
	out := map[string]*store.World{}
	for name, schemas := range s.extra {
		if exist != nil && !exist[name] {
			out[name] = store.LazilyAbsent(s.store, base+suffix(name), schemas)
			continue
		}
		out[name] = store.Lazily(s.store, base+suffix(name), schemas)
	}
	return out
}

// OpenCopy opens the databases of a copy for reading, the main one under the name
// "", the extra ones on first read. A database that was never used is nil.
func (s *Set) OpenCopy(ctx context.Context, base string) (map[string]*store.World, error) {
	main, err := s.store.OpenCopy(ctx, base, s.schemas)
	if err != nil {
		return nil, err
	}
	worlds := map[string]*store.World{"": main}
	for name, schemas := range s.extra {
		if n, err := s.store.Size(ctx, base+suffix(name)); n == 0 && (err == nil || errors.Is(err, store.ErrNoWorld)) {
			worlds[name] = nil
			continue
		}
		worlds[name] = store.LazilyCopy(s.store, base+suffix(name), schemas)
	}
	return worlds, nil
}

// CloseAll closes the databases that OpenCopy returned.
func CloseAll(worlds map[string]*store.World) error {
	var errs []error
	for _, w := range worlds {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	return errors.Join(errs...)
}

// Sync makes the databases of Create, Copy and CopyOpen exist durably; one call
// serves many.
func (s *Set) Sync(ctx context.Context) error { return s.store.Sync(ctx) }

// Copy copies all databases with one base name to another, which must be closed
// and is replaced. The copies exist durably after Sync.
func (s *Set) Copy(ctx context.Context, from, to string) error {
	if err := s.store.Copy(ctx, from, to); err != nil {
		return err
	}
	_, err := s.copyExtra(ctx, from, to)
	return err
}

// Multiply copies the closed databases of an environment for others with the same
// content, given their storages, each with the copy that a reset restores. They
// exist durably after Sync.
func (s *Set) Multiply(ctx context.Context, from string, storages []string) error {
	bases := make([]string, len(storages))
	for i, storage := range storages {
		bases[i] = Of(storage)
	}
	for name, schemas := range s.extra {
		to := make([]string, len(bases))
		for i, base := range bases {
			to[i] = base + suffix(name)
		}
		if err := s.store.Multiply(ctx, from+suffix(name), to, schemas); err != nil && !errors.Is(err, store.ErrNoWorld) { // which was never used
			return err
		}
	}
	if err := s.store.Multiply(ctx, from, bases, s.schemas); err != nil {
		return err
	}
	for i, storage := range storages {
		if err := s.Copy(ctx, bases[i], Base(storage)); err != nil {
			return err
		}
	}
	return nil
}

// CopyOpen copies the databases of an open environment after its services have
// flushed. It returns the exact position of the id source: the stored one
// includes a reserve against crashes.
func (s *Set) CopyOpen(ctx context.Context, env *environment.Environment, to string) (position uint64, err error) {
	if err := env.Flush(ctx); err != nil {
		return 0, err
	}
	env.Journal.Expect(environment.MarkOf(to), func(world string) string {
		if world == "" {
			return to
		}
		return to + suffix(world)
	})
	err = s.Copy(ctx, Of(env.Storage), to)
	return env.IDs.Position(), err
}

// copyExtra copies the extra databases, except those that were never used. It
// returns the names of those that it has copied.
func (s *Set) copyExtra(ctx context.Context, from, to string) (copied map[string]bool, err error) {
	copied = map[string]bool{}
	for name := range s.extra {
		err := s.store.Copy(ctx, from+suffix(name), to+suffix(name))
		if err == nil {
			copied[name] = true
		} else if errors.Is(err, store.ErrNoWorld) {
			err = s.store.Drop(ctx, to+suffix(name))
		}
		if err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// Drop removes all databases with a base name, even if ctx has ended.
func (s *Set) Drop(ctx context.Context, base string) (err error) {
	ctx = context.WithoutCancel(ctx)
	for _, suffix := range s.suffixes() {
		err = errors.Join(err, s.store.Drop(ctx, base+suffix))
	}
	return err
}

// Size returns the bytes of all databases with a base name.
func (s *Set) Size(ctx context.Context, base string) (sum int64, err error) {
	for _, suffix := range s.suffixes() {
		n, err := s.store.Size(ctx, base+suffix)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// SizeOpen returns the bytes of all databases of an open environment.
func (s *Set) SizeOpen(ctx context.Context, env *environment.Environment) (sum int64, err error) {
	for _, w := range env.Worlds {
		n, e := store.SizeOf(ctx, s.store, w)
		sum, err = sum+n, errors.Join(err, e)
	}
	return sum, err
}

func (s *Set) suffixes() []string {
	out := []string{""}
	for name := range s.extra {
		out = append(out, suffix(name))
	}
	return out
}

// DropStray removes the databases of environments and snapshots whose ids are
// not known, and returns their names.
func (s *Set) DropStray(ctx context.Context, known map[string]bool) (dropped []string, err error) {
	all, err := s.store.Worlds(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if id, ok := Owner(w); ok && !known[id] {
			if err := s.store.Drop(ctx, w); err != nil {
				return dropped, err
			}
			dropped = append(dropped, w)
		}
	}
	return dropped, nil
}
