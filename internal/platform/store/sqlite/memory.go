package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// images holds copies of worlds in memory, by name.
type images struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (i *images) get(name string) []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.data[name]
}

func (i *images) put(name string, data []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.data == nil {
		i.data = map[string][]byte{}
	}
	i.data[name] = data
}

func (i *images) drop(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.data, name)
}

// size returns the bytes of a world, open or closed.
func (i *images) size(name string, w *world) (n int64, err error) {
	if w == nil {
		return int64(len(i.get(name))), nil
	}
	err = w.Read(context.Background(), nil, func(tx *store.Tx) error {
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

// openMemory opens a world with one connection, which all callers use: the
// database belongs to the connection. As long as nobody writes to it, it equals
// its image, and further readers open that.
func (s *Store) openMemory(ctx context.Context, name string, schemas []store.Schema) (_ *store.World, err error) {
	if err := s.folder.Reserve(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.forget(name)
		}
	}()
	image := s.images.get(name)
	pristine := image != nil
	if image == nil {
		path, err := s.templates.Path(ctx, schemas)
		if err != nil {
			return nil, err
		}
		if image, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		image[headerOfLog], image[headerOfLog+1] = withoutLog, withoutLog
	}
	writer, err := s.load(image, writerPages)
	if err != nil {
		return nil, err
	}
	connect := func(pages int) (*conn, error) { return s.load(s.images.get(name), pages) }
	w := newWorld(writer, connect)
	w.store, w.name, w.lone = s, name, true
	if w.pristine.Store(pristine); pristine {
		w.image = image
	}
	s.mu.Lock()
	s.worlds[name] = w
	s.mu.Unlock()
	return store.NewWorld(name, w), nil
}

// errNoImage is returned by load when a world in memory has changed, so that only
// its own connection can read it.
var errNoImage = errors.New("the world has no image")

func (s *Store) load(image []byte, maxPages int) (*conn, error) {
	if image == nil {
		return nil, errNoImage
	}
	raw, err := s.driver.Open(":memory:")
	if err != nil {
		return nil, err
	}
	db, err := native.Of(raw)
	if err == nil {
		err = lighten(db.Handle())
	}
	if err == nil {
		err = raw.(serializer).Deserialize(image)
	}
	if err != nil {
		return nil, errors.Join(err, closeBoth(raw, db))
	}
	return newConn(raw, db, maxPages, s.share), nil
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
	return w.alone(func() error {
		image, err := serialize(w)
		if err != nil {
			return err
		}
		s.images.put(to, image)
		return w.copied(to)
	})
}

// serialize returns the database of a lone world as it is now. Copies that are
// made before the next write share the bytes. The caller holds the writer.
func serialize(w *world) ([]byte, error) {
	if w.image == nil {
		view := contentOf(w.writer.db.Handle())
		if view == nil {
			return nil, errNoContent
		}
		w.image = bytes.Clone(view)
	}
	return w.image, nil
}

var errNoContent = errors.New("the database of a connection is not in memory")

// contentOf returns the database of a connection that has it in memory, nil of
// another one. The bytes are SQLite's own: they hold until the next write.
func contentOf(handle uintptr) []byte {
	tls := libc.NewTLS()
	defer tls.Close()
	size := tls.Alloc(8)
	defer tls.Free(8)
	data := sqlite3.Xsqlite3_serialize(tls, handle, 0, size, sqlite3.SQLITE_SERIALIZE_NOCOPY)
	if data == 0 {
		return nil
	}
	n := *(*sqlite3.Sqlite3_int64)(unsafe.Add(nil, size)) // not memory of Go
	return unsafe.Slice((*byte)(unsafe.Add(nil, data)), n)
}

// isWriting reports whether a connection is in a transaction that writes.
func isWriting(handle uintptr) bool {
	tls := libc.NewTLS()
	defer tls.Close()
	return sqlite3.Xsqlite3_txn_state(tls, handle, 0) == sqlite3.SQLITE_TXN_WRITE
}

// storeImage stores a world in memory for when it is opened again.
func (w *world) storeImage() error {
	if w.pristine.Load() {
		return nil
	}
	image, err := serialize(w)
	if err == nil {
		w.store.images.put(w.name, image)
	}
	return err
}

// dropImage removes the image of a world in memory that is about to change, and
// the idle connections to it. The caller holds the writer.
func (w *world) dropImage() {
	w.image = nil
	if !w.pristine.Swap(false) {
		return
	}
	w.store.images.drop(w.name)
	w.readers.CloseIdle()
}
