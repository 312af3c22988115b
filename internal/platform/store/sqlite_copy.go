package store

import (
	"context"
	"errors"
	"os"
)

// Copy gives a world a second name, and copies its log where that holds
// something: as of a commit when the world is open. Its writer pauses
// meanwhile, its readers go on.
func (s *sqliteStore) Copy(ctx context.Context, from, to string) error {
	if err := checkNames(from, to); err != nil {
		return err
	}
	if err := s.Drop(ctx, to); err != nil {
		return err
	}
	if inMemory(from) != inMemory(to) {
		return errors.New("a world in memory is copied in memory alone")
	}
	if inMemory(from) {
		return s.copyMemory(from, to)
	}
	if err := s.duplicate(from, to, true); err != nil {
		return err
	}
	return syncFile(s.dir)
}

func (s *sqliteStore) duplicate(from, to string, durable bool) error {
	defer s.doors.lock(from)()
	if _, err := os.Stat(s.path(from)); errors.Is(err, os.ErrNotExist) {
		return ErrNoWorld
	}
	s.mu.Lock()
	w := s.open[from]
	s.mu.Unlock()
	if w == nil {
		if _, err := s.link(from, to); err != nil {
			return err
		}
		return s.copyLog(from, to, durable)
	}
	return w.alone(func() error {
		drained, err := w.drain()
		if err != nil {
			return err
		}
		linked, err := s.link(from, to)
		if err == nil && linked {
			err = w.share()
		}
		if err != nil || drained {
			return err
		}
		return s.copyLog(from, to, durable)
	})
}

func (s *sqliteStore) copyLog(from, to string, durable bool) error {
	info, err := os.Stat(s.path(from) + "-wal")
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return copyFile(s.path(from)+"-wal", s.path(to)+"-wal", durable)
}

// maxSharedLog is the size of a log above which a copy of the file costs less
// than copying the log again and again.
const maxSharedLog = 1 << 20

// drain writes the log back to the file, where that has no other name, and
// tells whether all of it stands there now.
func (w *sqliteWorld) drain() (bool, error) {
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
	tx := &Tx{conn: w.writer, dialect: sqliteDialect}
	if _, err := tx.Get("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &log, &back); err != nil {
		return false, err
	}
	w.dirty = busy != 0 || log != back
	return !w.dirty, nil
}

// share keeps the file as it is from now on, since it has another name.
func (w *sqliteWorld) share() error {
	w.shared = true
	return w.writer.run("PRAGMA wal_autocheckpoint = 0")
}
