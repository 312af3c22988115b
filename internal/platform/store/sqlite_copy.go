package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Copy copies the files of a world, as of a commit when it is open: its writer
// pauses meanwhile, its readers go on. Nothing but the writer's connection
// moves pages from the log to the file, so the two together are consistent.
func (s *sqliteStore) Copy(ctx context.Context, from, to string) error {
	if !worldName.MatchString(from) || !worldName.MatchString(to) {
		return fmt.Errorf("bad world name %q or %q", from, to)
	}
	if err := s.Drop(ctx, to); err != nil {
		return err
	}
	s.mu.Lock()
	w := s.open[from]
	s.mu.Unlock()
	if w == nil {
		return s.copyFiles(from, to)
	}
	return w.alone(func() error { return s.copyFiles(from, to) })
}

func (s *sqliteStore) copyFiles(from, to string) error {
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(s.path(from)+suffix, s.path(to)+suffix); err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// copyFile copies a file and makes it durable; the kernel shares blocks where it can.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// alone runs f on the writer's goroutine, between two batches.
func (w *sqliteWorld) alone(f func() error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	done := make(chan error)
	w.between <- func() { done <- f() }
	return <-done
}
