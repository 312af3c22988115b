package sqlite

import (
	"context"
	"fmt"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

// Copy adds a name to a world's file, and copies the log when that is not empty:
// as of a commit when the world is open. Its writer pauses meanwhile, its readers
// continue.
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

// Multiply implements store.Store: each world has a file of its own.
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

// Sync implements store.Store: one flush of the folder covers the names of all files.
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

// fork makes a world that is about to be opened a copy of another. It does not
// share a file: a fork is written to at once, which would copy and flush the file
// for the other names. An open original is copied with its log as of a commit,
// and keeps its automatic checkpoints. What is copied becomes durable once, in
// MakeDurable.
func (s *Store) fork(from, to string) error {
	if store.IsInMemory(from) {
		return s.toFile(from, to, false)
	}
	defer s.folder.Lock(from)()
	if !s.folder.Exists(from) {
		return store.ErrNoWorld
	}
	if w := s.opened(from); w != nil {
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
	if !s.folder.Exists(from) {
		return store.ErrNoWorld
	}
	w := s.opened(from)
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
			err = w.share()
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

// maxSharedLog is the size of a log above which a copy of the file costs less
// than copying the log again and again.
const maxSharedLog = 1 << 20

// drain writes the log back to a file without other names, and reports whether
// the file holds all of it now.
func (w *world) drain() (bool, error) {
	if !w.dirty {
		return true, nil
	}
	if w.shared {
		if w.logSize() < maxSharedLog {
			return false, nil
		}
		if err := w.unshare(); err != nil {
			return false, err
		}
	}
	var busy, log, back int64
	if _, err := store.NewTx(w.writer, store.SQLite).Get("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &log, &back); err != nil {
		return false, err
	}
	w.dirty = busy != 0 || log != back
	return !w.dirty, nil
}

// share stops automatic checkpoints, because the file has another name from now on.
func (w *world) share() error {
	w.shared = true
	return w.writer.runAnew("PRAGMA wal_autocheckpoint = 0")
}

// copied notes that the world was copied as it is now. Its writer pauses.
func (w *world) copied(to string) error {
	if w.witness == nil {
		return nil
	}
	return w.witness.Copy(to, func() error { return nil })
}
