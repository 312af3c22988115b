package sqlite

import (
	"context"
	"fmt"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

// Copy adds a name to a world's file, and copies the log if it is not empty. If
// the world is open, the copy is that of a commit; writes wait meanwhile, reads
// do not.
func (s *Store) Copy(ctx context.Context, from, to string) (err error) {
	defer func() { err = classify(err) }()
	if err := store.CheckNames(from, to); err != nil {
		return err
	}
	if err := s.Drop(ctx, to); err != nil {
		return err
	}
	switch {
	case store.IsInMemory(from) && store.IsInMemory(to):
		return s.copyMemory(from, to)
	case store.IsInMemory(from):
		return s.toFile(from, to, true)
	case store.IsInMemory(to):
		return s.toMemory(from, to)
	}
	return s.link(from, to)
}

// Multiply implements store.Store: each world has its own file.
func (s *Store) Multiply(ctx context.Context, from string, to []string, _ []store.Schema) (err error) {
	defer func() { err = classify(err) }()
	if err := store.CheckNames(append(to, from)...); err != nil {
		return err
	}
	for _, name := range to {
		if err := s.Drop(ctx, name); err != nil {
			return err
		}
	}
	if store.IsInMemory(from) {
		for _, name := range to {
			if err := s.copyMemory(from, name); err != nil {
				return err
			}
		}
		return nil
	}
	defer s.folder.Lock(from)()
	switch {
	case !s.folder.Exists(from):
		return store.ErrNoWorld
	case s.opened(from) != nil:
		return fmt.Errorf("the world %s is open", from)
	}
	return files.Multiply(s.folder, from, to)
}

// Sync implements store.Store: one flush of the directory makes the names of all
// files durable.
func (s *Store) Sync(context.Context) error {
	if err := s.folder.Sync(); err != nil {
		return store.Unavailable.Because(err)
	}
	return nil
}

// Same implements store.Store: two names of one file, or two that share an image.
func (s *Store) Same(a, b string) bool {
	if s.opened(a) != nil || s.opened(b) != nil {
		return false
	}
	if store.IsInMemory(a) && store.IsInMemory(b) {
		x, y := s.images.get(a), s.images.get(b)
		return x != nil && x == y
	}
	return !store.IsInMemory(a) && !store.IsInMemory(b) && files.Same(s.folder, a, b)
}

// fork makes a world that will be opened a copy of another. It copies the file
// instead of linking it: the first write to a fork would copy and flush a shared
// file for the other names. An open original is copied with its log as of a
// commit, and keeps its automatic checkpoints. MakeDurable flushes the copy once.
func (s *Store) fork(from, to string) error {
	if store.IsInMemory(from) {
		return s.toFile(from, to, false)
	}
	defer s.folder.Lock(from)()
	w := s.opened(from)
	if w == nil && !s.folder.Exists(from) {
		return store.ErrNoWorld
	}
	if w != nil {
		return w.alone(func() error {
			if err := s.folder.Place(s.folder.Path(from), to, false); err != nil || !w.dirty {
				return err
			}
			return s.folder.CopyLog(from, to, false)
		})
	}
	if err := s.folder.Copy(from, to); err != nil {
		return err
	}
	return s.folder.CopyLog(from, to, false)
}

// link adds a name to the file of a world and copies its log.
func (s *Store) link(from, to string) error {
	defer s.folder.Lock(from)()
	w := s.opened(from)
	if w == nil && !s.folder.Exists(from) {
		return store.ErrNoWorld
	}
	if w == nil {
		if _, err := s.folder.Link(from, to); err != nil {
			return err
		}
		return s.folder.CopyLog(from, to, true)
	}
	return w.alone(func() error {
		drained, err := w.drain()
		if err != nil {
			return err
		}
		linked, err := s.folder.Link(from, to)
		if err == nil && linked {
			w.shared.Store(true)
		}
		if err == nil && !drained {
			err = s.folder.CopyLog(from, to, true)
		}
		if err != nil {
			return err
		}
		return w.copied(to)
	})
}

// maxSharedLog is the size of a log above which copying the file is cheaper than
// copying the log repeatedly.
const maxSharedLog = 1 << 20

// drain runs a checkpoint on a file without other names, and reports whether the
// file is now complete.
func (w *world) drain() (bool, error) {
	if !w.dirty {
		return true, nil
	}
	if w.shared.Load() {
		if logSize(w) < maxSharedLog {
			return false, nil
		}
		if err := w.unshare(); err != nil {
			return false, err
		}
	}
	if err := w.resume(); err != nil {
		return false, err
	}
	log, back, err := checkpoint(w.writer)
	if err != nil {
		return false, err
	}
	w.dirty = back < log
	return !w.dirty, nil
}

// copied reports to the witness that the world was copied. No write is running.
func (w *world) copied(to string) error {
	if w.witness == nil {
		return nil
	}
	return w.witness.Copy(to, func() error { return nil })
}
