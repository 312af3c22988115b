package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/lease"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/store/sqlite/memdb"
)

// images holds the state of worlds in memory when they were closed or copied, by
// name, and the templates of new ones.
type images struct {
	mu   sync.Mutex
	data map[string]*memdb.Image
}

// get returns nil for an unknown name.
func (i *images) get(name string) *memdb.Image {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.data[name]
}

func (i *images) put(name string, image *memdb.Image) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.data == nil {
		i.data = map[string]*memdb.Image{}
	}
	i.data[name] = image
}

func (i *images) drop(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.data, name)
}

// size returns the bytes of a world, open or closed.
func (i *images) size(name string, w *world) int64 {
	if w != nil {
		return w.db.Size()
	}
	if image := i.get(name); image != nil {
		return image.Size()
	}
	return 0
}

// openMemory opens a world in memory, starting from its image, or else from the
// template of its tables.
func (s *Store) openMemory(ctx context.Context, name string, schemas []store.Schema) (_ *store.World, err error) {
	if err := s.folder.Reserve(name); err != nil {
		return nil, err
	}
	image := s.images.get(name)
	pristine := image != nil
	if pristine {
		image, err = migrated(ctx, s, name, image, schemas)
	} else {
		image, err = blank(ctx, s, schemas)
	}
	if err != nil {
		s.forget(name)
		return nil, err
	}
	w := newLone(s, name, image)
	w.pristine = pristine
	return enter(s, w), nil
}

// newLone returns a world in memory that starts from an image. It has no
// connection while it is not in use.
func newLone(s *Store, name string, image *memdb.Image) *world {
	db := memdb.NewDatabase(image)
	connect := func(int) (*conn, error) { return s.idle.acquire(s, db) }
	return &world{store: s, name: name, db: db, connect: connect,
		readers: lease.NewPool(maxReaders, func() (*conn, error) { return connect(readerPages) }, s.idle.release)}
}

// migrated returns an image with the tables of schemas. It migrates an image of
// an earlier version in a file.
func migrated(ctx context.Context, s *Store, name string, image *memdb.Image, schemas []store.Schema) (*memdb.Image, error) {
	if version := image.Part(headerOfVersion, 4); version == nil || binary.BigEndian.Uint32(version) == store.Digest(schemas) {
		return image, nil
	}
	file := files.TemporaryName(name)
	defer func() { _ = s.folder.Remove(file) }()
	if err := writeImage(s, file, image, withLog, false); err != nil {
		return nil, err
	}
	if err := s.migrateFile(ctx, file, schemas); err != nil {
		return nil, err
	}
	if err := s.toMemory(file, name); err != nil {
		return nil, err
	}
	return s.images.get(name), nil
}

// blank returns the template of schemas. All worlds that start from it share its
// pages.
func blank(ctx context.Context, s *Store, schemas []store.Schema) (*memdb.Image, error) {
	name := fmt.Sprint("blank ", store.Digest(schemas))
	if image := s.images.get(name); image != nil {
		return image, nil
	}
	path, err := s.templates.Path(ctx, schemas)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	image := imageOf(content)
	s.images.put(name, image)
	return image, nil
}

// imageOf returns the image of a file, without its log.
func imageOf(content []byte) *memdb.Image {
	content[headerOfLog], content[headerOfLog+1] = withoutLog, withoutLog
	return memdb.NewImage(content)
}

func (s *Store) copyMemory(from, to string) error {
	w := s.opened(from)
	if w == nil {
		image := s.images.get(from)
		if image == nil {
			return store.ErrNoWorld
		}
		s.images.put(to, image)
		return nil
	}
	return still(w, func() error {
		s.images.put(to, w.db.Image())
		return w.copied(to)
	})
}

// still runs f while no write is running.
func still(w *world, f func() error) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	w.writing.Lock()
	defer w.writing.Unlock()
	return f()
}
