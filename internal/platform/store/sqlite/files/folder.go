// Package files keeps the files of SQLite worlds in one folder: their names,
// copies that share a file, templates for new worlds, and removal.
//
// A closed world that equals another costs nothing but a second name of its
// file. Nobody writes to such a file: what an open world changes stands in its
// log, and before the log is written back, the other names receive a file of
// their own. SQLite finds the log by name but its locks by file, so of the names
// of one file only one may be open at a time.
//
// LOCKS.md shows who may hold which lock, and in which order. The package knows
// no SQL: what runs statements is passed in.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"understudy/internal/platform/system"
)

// Folder is the folder that holds the files of worlds.
type Folder struct {
	// Note is called before a file is copied, or a file or the folder is made durable, with
	// its path: for tests that count. nil for nobody. It must be set before the first use.
	Note func(act Act, path string)

	dir     string
	handles handles

	mu     sync.Mutex
	open   map[string]bool   // the worlds that are open or being opened
	groups map[uint64]*group // by inode: files that have several names
}

// Open creates the folder where it does not exist and reads which files have
// several names. It removes templates, which belong to one run, and what a crash
// left of copies and removals.
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

// Size returns the bytes of a world's file and log, 0 when it does not exist.
func (f *Folder) Size(world string) int64 {
	info, err := os.Stat(f.Path(world))
	if err != nil {
		return 0
	}
	return info.Size() + f.LogSize(world)
}

// LogSize returns the bytes of a world's log.
func (f *Folder) LogSize(world string) int64 {
	info, err := os.Stat(f.Path(world) + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Lock allows one caller at a time to open, close or copy a world: whether it is
// open must not change meanwhile.
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

// Sync makes the names in the folder durable.
func (f *Folder) Sync() error { return f.sync(f.dir) }

// Remove removes the files of a closed world.
func (f *Folder) Remove(world string) error {
	// It waits for a DetachOthers of the same file, which would restore this name.
	if g, err := f.lockGroup(world, false); err == nil && g != nil {
		defer g.mu.Unlock()
	}
	f.forgetName(world)()
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		// Most names are new, and removing locks the folder.
		if _, err := os.Lstat(f.Path(world) + suffix); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.Remove(f.Path(world) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// RemoveName removes a world's file while the world is still open, so that its
// other names stay as they are. Another name of the file may be opened only
// after the caller has closed the world and called forget.
func (f *Folder) RemoveName(world string) (forget func(), err error) {
	forget = f.forgetName(world)
	if err = os.Remove(f.Path(world)); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return forget, err
}

// RemoveEmptyLog removes the files that only an open world needs: the index of
// its log, and with empty the log too.
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

// StartWriting has the system begin to write a world's file to the disk, for a
// SyncWorld that follows.
func StartWriting(f *Folder, world string) {
	f.note(Begun, f.Path(world))
	system.StartWriting(f.Path(world))
}

// SyncWorld makes the file of a world durable, and its log when there is one.
func (f *Folder) SyncWorld(world string, log bool) error {
	if err := f.sync(f.Path(world)); err != nil || !log {
		return err
	}
	return f.sync(f.Path(world) + "-wal")
}

// Place makes a world's file a copy of the file at path. One that is not durable gets
// its name at once: nobody knows it before it is made durable.
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

// Write makes a world's file of parts that follow each other. The content of a
// durable one is on the disk when it returns, its name after Sync.
func (f *Folder) Write(world string, durable bool, parts ...[]byte) (err error) {
	to := f.Path(world)
	out, err := os.OpenFile(to+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil {
			_, err = out.Write(part)
		}
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

// TemporaryName returns a name for a passing copy of a world. What a crash leaves
// of one is removed with the templates.
func TemporaryName(world string) string { return templatePrefix + "copy_" + world }

// Temporary copies the file and the log of a closed world to a world of its own,
// whose name it returns and which remove removes.
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
