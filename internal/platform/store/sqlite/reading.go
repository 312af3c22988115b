package sqlite

import (
	"context"
	"encoding/binary"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

const (
	// maxWhole is the size up to which a file is read whole, if that is cheaper than
	// opening it or reading its pages through SQLite.
	maxWhole = 8 << 20
	// headerOfVersion is the offset in the header of the digest of the tables.
	headerOfVersion = 60
)

// OpenCopy opens a copy like any other world, except one that shares its file
// with an open world. It would need its own file, and wait for the disk, so a
// small one is read into memory.
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

// openWhole opens a copy in memory. It returns nil for a copy that must be opened
// as a file.
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
	return store.NewWorld(name, store.SQLite, w), nil
}
