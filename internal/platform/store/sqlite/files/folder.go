// Package files manages the files of SQLite worlds in one directory: their names,
// copies that share a file, templates for new worlds, and removal.
//
// A closed world that equals another is only a second name (hard link) of its
// file. Such a file is never written to: changes of an open world are in its log,
// and before a checkpoint the other names get their own file. SQLite finds the
// log by name but its locks by inode, so only one of the names of a file may be
// open at a time.
//
// LOCKS.md lists all locks and their order. The package contains no SQL: callers
// pass in what runs statements.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"understudy/internal/platform/system"
)

// bufferSize is the bytes that Write passes to the system at once.
const bufferSize = 128 << 10

// Folder is the directory with the files of worlds.
type Folder struct {
	// Note is called with the path before a file is copied, or a file or the
	// directory is flushed, for tests that count. It may be nil, and must be set
	// before the first use.
	Note func(act Act, path string)

	dir     string
	handles handles

	mu     sync.Mutex
	open   map[string]bool   // worlds that are open or being opened
	groups map[uint64]*group // by inode: files with several names
}

// Open creates the directory if necessary and finds the files with several names.
// It removes templates, which belong to one run, and unfinished copies and
// removals of an earlier run.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, open: map[string]bool{}, groups: map[uint64]*group{}}
	return f, f.scan()
}

func (f *Folder) scan() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, e := range entries {
		exists[e.Name()] = true
	}
	for _, e := range entries {
		world, kind, _ := strings.Cut(e.Name(), ".")
		if kind == "db.new" || strings.HasPrefix(world, templatePrefix) || (kind == "db-wal" || kind == "db-shm") && !exists[world+".db"] {
			_ = os.Remove(filepath.Join(f.dir, e.Name()))
			continue
		}
		if kind != "db" {
			continue
		}
		if ino, names, err := system.Inode(filepath.Join(f.dir, e.Name())); err == nil && names > 1 {
			if f.groups[ino] == nil {
				f.groups[ino] = &group{}
			}
			f.groups[ino].names = append(f.groups[ino].names, world)
		}
	}
	return nil
}

// Path returns the path of a world's file.
func (f *Folder) Path(world string) string { return filepath.Join(f.dir, world+".db") }

// Exists reports whether a world has a file.
func (f *Folder) Exists(world string) bool {
	_, err := os.Stat(f.Path(world))
	return !errors.Is(err, os.ErrNotExist)
}

// Worlds returns the names of all worlds.
func (f *Folder) Worlds() ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	var out []string
	for _, e := range entries {
		if world, ok := strings.CutSuffix(e.Name(), ".db"); ok && !strings.HasPrefix(world, templatePrefix) {
			out = append(out, world)
		}
	}
	return out, err
}

// Size returns the size of a world's file and log in bytes, 0 if it does not exist.
func (f *Folder) Size(world string) int64 {
	info, err := os.Stat(f.Path(world))
	if err != nil {
		return 0
	}
	return info.Size() + f.LogSize(world)
}

// LogSize returns the size of a world's log in bytes.
func (f *Folder) LogSize(world string) int64 {
	info, err := os.Stat(f.Path(world) + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Lock locks a world against being opened, closed or copied by other callers.
func (f *Folder) Lock(world string) (unlock func()) { return f.handles.lock(world) }

// Reserve marks a world as open. It returns an error when it is marked already.
func (f *Folder) Reserve(world string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[world] {
		return fmt.Errorf("the world %s is open", world)
	}
	f.open[world] = true
	return nil
}

// Release marks a world as closed.
func (f *Folder) Release(world string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, world)
}

// Sync makes the names in the directory durable.
func (f *Folder) Sync() error { return f.sync(f.dir) }

// Remove removes the files of a closed world.
func (f *Folder) Remove(world string) error {
	// Wait for a DetachOthers of the same file, which would otherwise restore this
	// name.
	if g, err := f.lockGroup(world, false); err == nil && g != nil {
		defer g.mu.Unlock()
	}
	f.forgetName(world)()
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		// Most names are new, and removing a file locks the directory.
		if _, err := os.Lstat(f.Path(world) + suffix); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.Remove(f.Path(world) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// RemoveName removes the name of an open world's file, so that the file remains
// unchanged for its other names. Another name of the file may be opened only
// after the caller has closed the world and called forget.
func (f *Folder) RemoveName(world string) (forget func(), err error) {
	forget = f.forgetName(world)
	if err = os.Remove(f.Path(world)); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return forget, err
}

// RemoveEmptyLog removes the files that only an open world needs: the
// shared-memory index, and with empty the log too.
func (f *Folder) RemoveEmptyLog(world string, empty bool) {
	if empty {
		_ = os.Remove(f.Path(world) + "-wal")
	}
	_ = os.Remove(f.Path(world) + "-shm")
}

// CopyLog copies the log of a world, if it has one.
func (f *Folder) CopyLog(from, to string, durable bool) error {
	info, err := os.Stat(f.Path(from) + "-wal")
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return f.copyFile(f.Path(from)+"-wal", f.Path(to)+"-wal", durable)
}

// StartWriting makes the system begin to write a world's file to the disk, for a
// later SyncWorld.
func StartWriting(f *Folder, world string) {
	f.note(Begun, f.Path(world))
	system.StartWriting(f.Path(world))
}

// SyncWorld makes the file of a world durable, and with log its log.
func (f *Folder) SyncWorld(world string, log bool) error {
	if err := f.sync(f.Path(world)); err != nil || !log {
		return err
	}
	return f.sync(f.Path(world) + "-wal")
}

// Place makes a world's file a copy of the file at path. Unless durable, it gets
// its final name immediately: the world is unknown until it is made durable.
func (f *Folder) Place(path, world string, durable bool) error {
	to := f.Path(world)
	if !durable {
		return f.copyFile(path, to, false)
	}
	if err := f.copyFile(path, to+".new", true); err != nil {
		return err
	}
	if err := os.Rename(to+".new", to); err != nil {
		return err
	}
	return f.Sync()
}

// Write creates a world's file with what write writes. If durable, its content is
// on the disk when Write returns, its name after Sync.
func (f *Folder) Write(world string, durable bool, write func(io.Writer) error) (err error) {
	to := f.Path(world)
	out, err := os.OpenFile(to+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, bufferSize)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil && durable {
		f.note(Synced, to)
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(to+".new"))
	}
	return os.Rename(to+".new", to)
}

// TemporaryName returns the name of a temporary copy of a world. After a crash it
// is removed together with the templates.
func TemporaryName(world string) string { return templatePrefix + "copy_" + world }

// Temporary copies the file and the log of a closed world to a temporary world.
// It returns its name and a function that removes it.
func (f *Folder) Temporary(world string) (name string, remove func(), err error) {
	name = TemporaryName(world)
	remove = func() { _ = f.Remove(name) }
	if err = f.Copy(world, name); err == nil {
		err = f.CopyLog(world, name, false)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return name, remove, nil
}
