package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
)

// InMemory gives the name of a world that lives in memory alone, where the
// database can do that. On PostgreSQL it is a schema like any other, so who
// opened it drops it in the end.
func InMemory(world string) string { return memoryPrefix + world }

const memoryPrefix = "mem_"

func inMemory(world string) bool { return strings.HasPrefix(world, memoryPrefix) }

// images are copies of worlds in memory.
type images struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (i *images) get(world string) []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.data[world]
}

func (i *images) put(world string, data []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.data == nil {
		i.data = map[string][]byte{}
	}
	i.data[world] = data
}

func (i *images) drop(world string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.data, world)
}

// size tells the bytes of a world, open or not.
func (i *images) size(world string, w *sqliteWorld) (n int64, err error) {
	if w == nil {
		return int64(len(i.get(world))), nil
	}
	err = w.read(context.Background(), nil, func(tx *Tx) error {
		_, err := tx.Get("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", nil, &n)
		return err
	})
	return n, err
}

// serializer is what a connection offers beyond database/sql/driver.
type serializer interface {
	Serialize() ([]byte, error)
	Deserialize([]byte) error
}

// openMemory opens a world with one connection, through which everybody goes:
// the database is the connection's own. As long as nobody writes to it, it is
// the same as its image, and further readers open that.
func (s *sqliteStore) openMemory(ctx context.Context, world string, schemas []Schema) (_ *World, err error) {
	if err := s.reserve(world); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.forget(world)
		}
	}()
	image := s.memory.get(world)
	pristine := image != nil
	if image == nil {
		path, err := s.templateOf(ctx, schemas)
		if err != nil {
			return nil, err
		}
		if image, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		image[18], image[19] = 1, 1 // of the file format: no log, which memory cannot have
	}
	writer, err := s.load(image, writerPages)
	if err != nil {
		return nil, err
	}
	connect := func(pages int) (*sqliteConn, error) { return s.load(s.memory.get(world), pages) }
	b := newSQLiteWorld(writer, connect)
	b.store, b.name, b.lone = s, world, true
	b.pristine.Store(pristine)
	s.mu.Lock()
	s.open[world] = b
	s.mu.Unlock()
	return &World{Name: world, backend: b}, nil
}

// errNoImage says that a world in memory has changed, so that only its own connection has it.
var errNoImage = errors.New("the world has no image")

func (s *sqliteStore) load(image []byte, maxPages int) (*sqliteConn, error) {
	if image == nil {
		return nil, errNoImage
	}
	raw, err := s.driver.Open(":memory:")
	if err != nil {
		return nil, err
	}
	if err := raw.(serializer).Deserialize(image); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return newSQLiteConn(raw, maxPages), nil
}

func (s *sqliteStore) copyMemory(from, to string) error {
	s.mu.Lock()
	w := s.open[from]
	s.mu.Unlock()
	if w == nil {
		image := s.memory.get(from)
		if image == nil {
			return ErrNoWorld
		}
		s.memory.put(to, image)
		return nil
	}
	return w.alone(func() error {
		image, err := w.writer.raw.(serializer).Serialize()
		if err == nil {
			s.memory.put(to, image)
		}
		return err
	})
}

// keepImage has a world in memory be what it is when it is opened again.
func (w *sqliteWorld) keepImage() error {
	if w.pristine.Load() {
		return nil
	}
	image, err := w.writer.raw.(serializer).Serialize()
	if err == nil {
		w.store.memory.put(w.name, image)
	}
	return err
}

// changed notes of a world in memory that it is no longer as its image, which
// is given up, with the connections to it that nobody uses.
func (w *sqliteWorld) changed() {
	if !w.pristine.Swap(false) {
		return
	}
	w.store.memory.drop(w.name)
	for range maxReaders {
		select {
		case c := <-w.readers:
			if c != nil {
				_ = c.close()
			}
			w.readers <- nil
		default:
		}
	}
}
