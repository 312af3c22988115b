package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/store/sqlite/native"
)

// A world that is being created has one user and no data that must survive a
// crash. So it has no log until it is copied or made durable, and neither the log
// nor its shared-memory index exists. The first use after that creates them.
//
// A copy of another world is written to directly. A world that begins empty is
// filled in memory, where connections with prepared statements wait for it, and
// written to its file at once.

// maxFilling is the size in bytes from which a new world is filled in its file.
const maxFilling = 16 << 20

// createEmpty creates a world that begins empty.
func createEmpty(ctx context.Context, s *Store, name string, schemas []store.Schema) (*store.World, error) {
	if err := s.folder.Reserve(name); err != nil {
		return nil, err
	}
	image, err := blank(ctx, s, schemas)
	if err != nil {
		s.forget(name)
		return nil, err
	}
	w := newLone(s, name, image)
	w.dial, w.volatile, w.checkpointAt = dialOf(s, schemas), true, logPages
	w.unlogged.Store(true)
	w.resting.Store(image.Size())
	if store.Overwrites(schemas) { // in memory nothing is overwritten
		if err := moveToFile(w); err != nil {
			s.forget(name)
			return nil, err
		}
	}
	return enter(s, w), nil
}

// land writes a new world from memory to its file. The next use opens a connection
// to the file. The caller holds the writer, or nobody uses the world.
func land(w *world, log byte) error {
	if err := writeImage(w.store, w.name, w.db.Image(), log, false); err != nil {
		return store.Unavailable.Because(err)
	}
	files.StartWriting(w.store.folder, w.name) // for MakeDurable
	if w.writer != nil {
		w.store.idle.release(w.writer)
		w.writer = nil
	}
	w.store.idle.leave(w.db)
	w.db, w.dirty = nil, false
	w.resting.Store(0)
	w.crowded.Store(false)
	useFile(w)
	return nil
}

// outgrow moves a new world that has become large to its file. After an error it
// remains where it is. The caller holds the writer.
func outgrow(w *world) {
	if w.db == nil || !w.unlogged.Load() {
		return
	}
	if w.resting.Store(w.db.Size()); w.db.Size() >= maxFilling {
		_ = moveToFile(w)
	}
}

// moveToFile writes a new world to its file, where it is filled from now on.
func moveToFile(w *world) error {
	if err := land(w, withoutLog); err != nil {
		return err
	}
	c, err := w.dial(w.name, writerPages, unlogged)
	if err == nil {
		if err = native.CountLog(c.db); err != nil {
			_ = c.close()
		}
	}
	if err != nil { // the next use opens a connection with a log
		w.unlogged.Store(false)
		return wrap("open", err)
	}
	c.filling, c.nextUses = true, c.uses+fillsToGrow
	w.writer = c
	return nil
}

// unlogged are the pragmas of the connection that fills a new world. It does not
// lock or check the file in each transaction, does not wait for the disk, and
// keeps rollback data in memory.
var unlogged = []string{"busy_timeout(10000)", "cache_size(4)", "locking_mode(EXCLUSIVE)", "journal_mode(MEMORY)", "synchronous(OFF)", "temp_store(MEMORY)",
	"wal_autocheckpoint(4000)", "journal_size_limit(67108864)"}

// endLog turns off the log of a new world's file, unless the file has one, which
// the pragmas checkpoint. It returns false for a file whose tables are not those
// of schemas: migrations need another connection.
func endLog(f *files.Folder, name string, schemas []store.Schema) (current bool, err error) {
	db, err := os.OpenFile(f.Path(name), os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version [4]byte
	if _, err := db.ReadAt(version[:], headerOfVersion); err != nil || binary.BigEndian.Uint32(version[:]) != store.Digest(schemas) {
		return false, err
	}
	if f.LogSize(name) == 0 {
		_, err = db.WriteAt([]byte{withoutLog, withoutLog}, headerOfLog)
	}
	return err == nil, err
}

// beginLog turns on the log of a world that was being created. The caller holds
// the writer.
func beginLog(w *world) error {
	if w.db != nil {
		err := land(w, withLog)
		if err == nil {
			w.unlogged.Store(false)
		}
		return err
	}
	w.writer.forget() // SQLite checks the journal mode only when it prepares a statement
	err := w.writer.runAnew("PRAGMA locking_mode = NORMAL")
	var mode string
	if err == nil {
		_, err = store.NewTx(w.writer, store.SQLite).Get("PRAGMA journal_mode = WAL", nil, &mode)
	}
	if err == nil && mode != "wal" {
		err = fmt.Errorf("the journal mode is still %s", mode)
	}
	if err != nil {
		return wrap("journal mode", err)
	}
	w.dirty = false
	w.unlogged.Store(false)
	return nil
}
