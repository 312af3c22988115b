package files

import (
	"bytes"
	"os"

	"understudy/internal/platform/system"
)

// hold prevents changes of a closed world's file until release: another of its
// names may be open.
func hold(f *Folder, world string) (release func(), err error) {
	g, err := f.lockGroup(world, false)
	if err != nil || g == nil {
		return func() {}, err
	}
	return g.mu.Unlock, nil
}

// Copy makes a world's file a copy of that of a closed world.
func (f *Folder) Copy(from, to string) error {
	release, err := hold(f, from)
	if err != nil {
		return err
	}
	defer release()
	return f.Place(f.Path(from), to, false)
}

// ReadFile returns the content of a closed world's file.
func ReadFile(f *Folder, world string) ([]byte, error) {
	release, err := hold(f, world)
	if err != nil {
		return nil, err
	}
	defer release()
	return os.ReadFile(f.Path(world))
}

// ReadTaken is ReadFile for a file that cannot be opened under the world's name
// because another of its names is open. It returns nil for other files, for files
// larger than most, and for worlds with a log.
func ReadTaken(f *Folder, world string, most int64) (content []byte, err error) {
	g, err := f.lockGroup(world, false)
	if err != nil || g == nil {
		return nil, err
	}
	defer g.mu.Unlock()
	if _, open := g.others(f, world); !open || f.LogSize(world) > 0 {
		return nil, nil
	}
	info, err := os.Stat(f.Path(world))
	if err != nil || info.Size() > most {
		return nil, err
	}
	f.note(Read, f.Path(world))
	return os.ReadFile(f.Path(world))
}

// mostCompared is the size of the longest logs that are compared.
const mostCompared = 1 << 20

// Same reports whether two closed worlds have the same file and equal logs.
func Same(f *Folder, a, b string) bool {
	x, _, err := system.Inode(f.Path(a))
	if err != nil {
		return false
	}
	if y, _, err := system.Inode(f.Path(b)); err != nil || x != y {
		return false
	}
	size := f.LogSize(a)
	if size != f.LogSize(b) || size > mostCompared {
		return false
	}
	if size == 0 {
		return true
	}
	one, err := os.ReadFile(f.Path(a) + "-wal")
	if err != nil {
		return false
	}
	other, err := os.ReadFile(f.Path(b) + "-wal")
	return err == nil && bytes.Equal(one, other)
}
