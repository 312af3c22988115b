package environment

import (
	"context"
	"errors"
	"strings"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

const idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// The first letter of an id tells what it is of, and so the names of its
// databases tell whether they are kept.
const (
	ofEnvironment = "e"
	ofSnapshot    = "s"
	ofEphemeral   = "m" // an environment in memory, or a snapshot of one
)

func newID(of string, ephemeral bool, n int) string {
	if ephemeral {
		of = ofEphemeral
	}
	return of + ids.Random().String(idAlphabet, n-1)
}

// isID tells whether a text has the form of an id.
func isID(text string) bool { return text != "" && strings.Trim(text, idAlphabet) == "" }

func database(prefix, id string) string {
	if strings.HasPrefix(id, ofEphemeral) {
		return store.InMemory(prefix + id)
	}
	return prefix + id
}

func worldOf(id string) string { return database("env_", id) }

// baseOf names the copy of an environment as it was made, to which a reset goes back.
func baseOf(id string) string { return database("base_", id) }

func snapshotWorlds(id string) string { return database("snap_", id) }

// ownerOf gives the id of the environment or snapshot that a database is of,
// and false for one that is of neither.
func ownerOf(world string) (id string, ok bool) {
	world = strings.TrimPrefix(world, store.InMemory(""))
	world, _, _ = strings.Cut(world, extraSuffix(""))
	for _, prefix := range []string{"env_", "base_", "snap_"} {
		if id, ok := strings.CutPrefix(world, prefix); ok {
			return id, true
		}
	}
	return "", false
}

// extraSuffix has two underscores, which no id has, so that it is nobody's state.
func extraSuffix(name string) string { return "__" + name }

// suffixes tell the databases of an environment apart.
func (m *Manager) suffixes() []string {
	out := []string{""}
	for name := range m.extra {
		out = append(out, extraSuffix(name))
	}
	return out
}

// copyWorlds copies all databases of an environment, or of a copy of one.
func (m *Manager) copyWorlds(ctx context.Context, from, to string) error {
	if err := m.o.Store.Copy(ctx, from, to); err != nil {
		return err
	}
	return m.copyExtra(ctx, from, to)
}

// copyExtra copies the databases beside the state. One that was never used is not there.
func (m *Manager) copyExtra(ctx context.Context, from, to string) error {
	for name := range m.extra {
		suffix := extraSuffix(name)
		err := m.o.Store.Copy(ctx, from+suffix, to+suffix)
		if errors.Is(err, store.ErrNoWorld) {
			err = m.o.Store.Drop(ctx, to+suffix)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropWorlds removes all databases of an environment, or of a copy of one, though the caller may have gone.
func (m *Manager) dropWorlds(ctx context.Context, base string) (err error) {
	ctx = context.WithoutCancel(ctx)
	for _, suffix := range m.suffixes() {
		err = errors.Join(err, m.o.Store.Drop(ctx, base+suffix))
	}
	return err
}

// clean removes what an earlier run has left: what was in memory alone, and
// copies that a crash has kept from being finished. No other process may be at
// work: what it is making looks the same.
func (m *Manager) clean(ctx context.Context) error {
	var gone, snapshots []string
	var known map[string]bool
	err := m.catalogue.Write(ctx, func(tx *store.Tx) (err error) {
		if gone, snapshots, err = deleteEphemeral(tx); err == nil {
			known, err = allCopies(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if n := len(gone) + len(snapshots); n > 0 {
		m.o.Log.Info("ephemeral environments ended with the program", "environments", len(gone))
	}
	worlds, err := m.o.Store.Worlds(ctx)
	if err != nil {
		return err
	}
	for _, w := range worlds {
		if id, ok := ownerOf(w); ok && !known[id] {
			m.o.Log.Info("an unfinished copy was removed", "world", w)
			if err := m.o.Store.Drop(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}
