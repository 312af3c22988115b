package sqlite

import (
	"context"
	"encoding/binary"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

const (
	// maxWhole is the size up to which a file is read whole, where that costs less
	// than to open it, or to ask SQLite for each of its pages.
	maxWhole = 8 << 20
	// headerOfVersion is where the header has the digest of the tables.
	headerOfVersion = 60
)

// OpenCopy opens a copy as any other world. One that shares its file with a
// world that is open would have to be given a file of its own for that, and the
// disk would be waited for: a small one is read into memory.
func (s *Store) OpenCopy(ctx context.Context, name string, schemas []store.Schema) (_ *store.World, err error) {
	defer func() { err = classify(err) }()
	if err := store.CheckNames(name); err != nil {
		return nil, err
	}
	if !store.IsInMemory(name) && s.folder.Exists(name) {
		if w, err := openWhole(s, name, schemas); w != nil || err != nil {
			return w, err
		}
	}
	return s.Open(ctx, name, schemas)
}

// openWhole opens a copy in memory. It returns nil for one that is to be opened
// otherwise.
func openWhole(s *Store, name string, schemas []store.Schema) (_ *store.World, err error) {
	defer s.folder.Lock(name)()
	image, err := files.ReadTaken(s.folder, name, maxWhole)
	if err != nil || len(image) < headerOfVersion+4 || int64(int32(binary.BigEndian.Uint32(image[headerOfVersion:]))) != int64(store.Digest(schemas)) {
		return nil, err
	}
	if err := s.folder.Reserve(name); err != nil {
		return nil, err
	}
	w := newLone(s, name, imageOf(image))
	w.pristine = true
	return store.NewWorld(name, w), nil
}
