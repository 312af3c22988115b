package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

// A world that is being made has one user and nothing that must survive a crash.
// So it has no log until it is copied or made durable: what is written goes to its
// file at once, and neither the log nor the index that the connections of a world
// share is created. The first use after that creates them.

// unlogged are the pragmas of the connection that fills such a world. The file is
// not locked and looked at again for each transaction, nothing waits for the disk,
// and what a transaction may have to undo is in memory.
var unlogged = []string{"busy_timeout(10000)", "cache_size(4)", "locking_mode(EXCLUSIVE)", "journal_mode(MEMORY)", "synchronous(OFF)", "temp_store(MEMORY)",
	"wal_autocheckpoint(4000)", "journal_size_limit(67108864)"}

// endLog makes the file of a new world one without a log, unless it has one, which
// the pragmas write back. It reports false for a file whose tables are not those of
// schemas: their migrations need a connection of their own.
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

// beginLog makes a world that was being made one like any other. The caller holds
// the writer.
func beginLog(w *world) error {
	w.writer.forget() // SQLite checks the journal mode only of what it prepares
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
