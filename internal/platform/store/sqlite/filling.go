package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

// A world that is being created has one user and no data that must survive a
// crash. So it has no log until it is copied or made durable: writes go directly
// to its file, and neither the log nor its shared-memory index exists. The first
// use after that creates them.

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
