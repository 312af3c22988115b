package sqlite

import (
	"io"
	"os"
	"slices"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/store/sqlite/memdb"
)

// The bytes of a file's header that indicate a log: 2 for WAL, 1 without. A
// database in memory cannot have a log.
const (
	headerOfLog = 18
	withLog     = 2
	withoutLog  = 1
)

// toMemory makes a closed world in memory a copy of one in a file; if that is
// open, as of a commit. It returns store.ErrNoWorld.
func (s *Store) toMemory(from, to string) error {
	content, err := s.readFile(from)
	if err == nil {
		s.images.put(to, imageOf(content))
	}
	return err
}

// serializer is a method of the driver's connection beyond database/sql/driver.
type serializer interface{ Serialize() ([]byte, error) }

// readFile returns the content of a world's file including its log.
func (s *Store) readFile(name string) (image []byte, err error) {
	defer s.folder.Lock(name)()
	w := s.opened(name)
	if w == nil && !s.folder.Exists(name) {
		return nil, store.ErrNoWorld
	}
	if w != nil {
		return image, w.alone(func() (err error) {
			if !w.dirty {
				image, err = os.ReadFile(s.folder.Path(name))
				return err
			}
			if err = w.resume(); err != nil {
				return err
			}
			image, err = w.writer.raw.(serializer).Serialize()
			return err
		})
	}
	if s.folder.LogSize(name) == 0 {
		return files.ReadFile(s.folder, name)
	}
	// The file may have another name that is open, so read a copy.
	copied, remove, err := s.folder.Temporary(name)
	if err != nil {
		return nil, err
	}
	defer remove()
	c, err := s.dial(copied, readerPages, pragmas)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.close() }()
	return c.raw.(serializer).Serialize()
}

// toFile makes the file of a closed world a copy of a world in memory; if that is
// open, as of a commit. It returns store.ErrNoWorld.
func (s *Store) toFile(from, to string, durable bool) error {
	image := s.images.get(from)
	if w := s.opened(from); w != nil {
		err := still(w, func() error {
			image = w.db.Image()
			return nil
		})
		if err != nil {
			return err
		}
	}
	if image == nil {
		return store.ErrNoWorld
	}
	return writeImage(s, to, image, withLog, durable)
}

// writeImage creates the file of a world; log is withLog or withoutLog.
func writeImage(s *Store, to string, image *memdb.Image, log byte, durable bool) error {
	header := slices.Clone(image.Part(0, headerOfLog+2))
	header[headerOfLog], header[headerOfLog+1] = log, log
	return s.folder.Write(to, durable, func(w io.Writer) error { return image.WriteTo(w, header) })
}
