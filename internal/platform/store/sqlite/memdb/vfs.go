package memdb

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// name is the name of the file system.
const name = "understudy-memory"

// opened is SQLite's structure for an open file.
type opened struct {
	methods uintptr
	number  int64
}

// methods is the address of the file methods, in SQLite's memory.
var methods uintptr

// register registers the file system with SQLite. It inherits what does not
// concern files, such as the time, from the system's default.
var register = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	system := sqlite3.Xsqlite3_vfs_find(tls, 0)
	methods = libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
	vfs := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
	text, err := libc.CString(name)
	if system == 0 || methods == 0 || vfs == 0 || err != nil {
		return errors.Join(errors.New("SQLite: no memory for a file system"), err)
	}
	*(*sqlite3.Tsqlite3_io_methods)(address(methods)) = sqlite3.Tsqlite3_io_methods{
		FiVersion: 1, FxClose: function(closeFile), FxRead: function(readFile), FxWrite: function(writeFile),
		FxTruncate: function(truncateFile), FxSync: function(syncFile), FxFileSize: function(sizeOfFile),
		FxLock: function(lockFile), FxUnlock: function(unlockFile), FxCheckReservedLock: function(checkReserved),
		FxFileControl: function(controlFile), FxSectorSize: function(sectorSize), FxDeviceCharacteristics: function(characteristics),
	}
	own := *(*sqlite3.Tsqlite3_vfs)(address(system))
	own.FszOsFile, own.FpNext, own.FzName, own.FpAppData = int32(unsafe.Sizeof(opened{})), 0, text, 0
	own.FxOpen, own.FxDelete, own.FxAccess, own.FxFullPathname = function(openFile), function(deleteFile), function(access), function(fullPathname)
	*(*sqlite3.Tsqlite3_vfs)(address(vfs)) = own
	if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 0); rc != sqlite3.SQLITE_OK {
		return errors.New("SQLite: the file system in memory is refused: code " + strconv.Itoa(int(rc)))
	}
	return nil
})

// address returns a pointer into SQLite's memory, which Go's collector neither
// moves nor frees.
func address(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// bytesAt returns n bytes of SQLite's memory.
func bytesAt(p uintptr, n int32) []byte { return unsafe.Slice((*byte)(address(p)), n) }

// function returns the C function pointer of a Go function: what a function value
// points to.
func function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// fileAt returns the File of SQLite's structure at an address.
func fileAt(at uintptr) *File { return files.get(int((*opened)(address(at)).number)) }

// openFile opens the database of a connection. There are no other files: journals
// and sorters are in the connection's own memory.
func openFile(_ *libc.TLS, _, path, at uintptr, flags int32, out uintptr) int32 {
	o := (*opened)(address(at))
	*o = opened{}
	if path == 0 || flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		return sqlite3.SQLITE_CANTOPEN
	}
	number, err := strconv.Atoi(strings.TrimPrefix(libc.GoString(path), "/"))
	if err != nil || files.get(number) == nil {
		return sqlite3.SQLITE_CANTOPEN
	}
	*o = opened{methods, int64(number)}
	if out != 0 {
		*(*int32)(address(out)) = flags
	}
	return sqlite3.SQLITE_OK
}

func closeFile(_ *libc.TLS, at uintptr) int32 {
	return unlockFile(nil, at, unlocked)
}

// The offset and length of what SQLite reads at the beginning of a transaction to
// detect writes of other connections.
const versionAt, versionSize = 24, 16

func readFile(_ *libc.TLS, at, to uintptr, n int32, from int64) int32 {
	f := fileAt(at)
	b := bytesAt(to, n)
	if f.exchanged && from == versionAt && n == versionSize {
		// No database has such a version, so SQLite drops its cached pages.
		for i := range b {
			b[i] = 0xfe
		}
		f.exchanged = false
		return sqlite3.SQLITE_OK
	}
	if !f.db.read(b, from) {
		return sqlite3.SQLITE_IOERR_SHORT_READ
	}
	return sqlite3.SQLITE_OK
}

func writeFile(_ *libc.TLS, at, from uintptr, n int32, to int64) int32 {
	fileAt(at).db.write(bytesAt(from, n), to)
	return sqlite3.SQLITE_OK
}

func truncateFile(_ *libc.TLS, at uintptr, size int64) int32 {
	fileAt(at).db.truncate(size)
	return sqlite3.SQLITE_OK
}

func syncFile(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_OK }

func sizeOfFile(_ *libc.TLS, at, out uintptr) int32 {
	*(*int64)(address(out)) = fileAt(at).db.Size()
	return sqlite3.SQLITE_OK
}

func lockFile(_ *libc.TLS, at uintptr, level int32) int32 {
	f := fileAt(at)
	if level <= f.level {
		return sqlite3.SQLITE_OK
	}
	if !f.db.locks.raise(f.level, level) {
		return sqlite3.SQLITE_BUSY
	}
	f.level = level
	return sqlite3.SQLITE_OK
}

func unlockFile(_ *libc.TLS, at uintptr, level int32) int32 {
	f := fileAt(at)
	if level < f.level {
		f.db.locks.lower(f.level, level)
		f.level = level
	}
	return sqlite3.SQLITE_OK
}

func checkReserved(_ *libc.TLS, at, out uintptr) int32 {
	*(*int32)(address(out)) = libc.Bool32(fileAt(at).db.locks.isReserved())
	return sqlite3.SQLITE_OK
}

func controlFile(*libc.TLS, uintptr, int32, uintptr) int32 { return sqlite3.SQLITE_NOTFOUND }

func sectorSize(*libc.TLS, uintptr) int32 { return pageSize }

// characteristics reports that writes are atomic, ordered and immediate.
func characteristics(*libc.TLS, uintptr) int32 {
	return sqlite3.SQLITE_IOCAP_ATOMIC | sqlite3.SQLITE_IOCAP_POWERSAFE_OVERWRITE | sqlite3.SQLITE_IOCAP_SAFE_APPEND | sqlite3.SQLITE_IOCAP_SEQUENTIAL
}

func deleteFile(*libc.TLS, uintptr, uintptr, int32) int32 { return sqlite3.SQLITE_OK }

// access reports that a file does not exist: there are no journals.
func access(_ *libc.TLS, _, _ uintptr, _ int32, out uintptr) int32 {
	*(*int32)(address(out)) = 0
	return sqlite3.SQLITE_OK
}

func fullPathname(_ *libc.TLS, _, path uintptr, n int32, out uintptr) int32 {
	text := libc.GoString(path)
	if len(text) >= int(n) {
		return sqlite3.SQLITE_CANTOPEN
	}
	b := bytesAt(out, n)
	b[copy(b, text)] = 0
	return sqlite3.SQLITE_OK
}
