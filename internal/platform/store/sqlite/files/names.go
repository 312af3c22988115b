package files

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"understudy/internal/platform/system"
)

// group is a file with several names.
type group struct {
	mu    sync.Mutex // held while the file is copied or gets a name
	names []string   // guarded by Folder.mu
}

// lockGroup locks and returns the group of a world's file. If there is none, it
// creates one with create, and otherwise returns nil.
func (f *Folder) lockGroup(world string, create bool) (*group, error) {
	for {
		ino, _, err := system.Inode(f.Path(world))
		if err != nil {
			return nil, err
		}
		f.mu.Lock()
		g := f.groups[ino]
		if g == nil && create {
			g = &group{names: []string{world}}
			f.groups[ino] = g
		}
		f.mu.Unlock()
		if g == nil {
			return nil, nil
		}
		g.mu.Lock()
		f.mu.Lock()
		stands := f.groups[ino] == g // it may have been dissolved meanwhile, or
		f.mu.Unlock()
		if again, _, err := system.Inode(f.Path(world)); err == nil && stands && again == ino {
			return g, nil
		}
		g.mu.Unlock() // the world got its own file
	}
}

// forgetName finds the file of a name that will be removed, and returns a
// function that removes the name from its group.
func (f *Folder) forgetName(world string) (forget func()) {
	ino, _, err := system.Inode(f.Path(world))
	if err != nil {
		return func() {}
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.leave(ino, world)
	}
}

// leave removes a name from a group, and dissolves a group with one name. The
// caller holds f.mu.
func (f *Folder) leave(ino uint64, world string) {
	g := f.groups[ino]
	if g == nil {
		return
	}
	g.names = slices.DeleteFunc(g.names, func(n string) bool { return n == world })
	if len(g.names) <= 1 {
		delete(f.groups, ino)
	}
}

// Link adds a name to the file of a world, or copies the file if the file system
// has no hard links. The file must not change meanwhile.
func (f *Folder) Link(from, to string) (linked bool, err error) {
	g, err := f.lockGroup(from, true)
	if err != nil {
		return false, err
	}
	defer g.mu.Unlock()
	err = os.Link(f.Path(from), f.Path(to))
	f.mu.Lock()
	if err == nil {
		if !slices.Contains(g.names, from) {
			g.names = append(g.names, from)
		}
		g.names = append(g.names, to)
	} else if ino, _, e := system.Inode(f.Path(from)); e == nil && len(g.names) == 1 {
		delete(f.groups, ino)
	}
	f.mu.Unlock()
	if err == nil {
		return true, nil
	}
	return false, f.copyFile(f.Path(from), f.Path(to), true)
}

// PrepareOpen prepares the opening of a world: it copies the file if another of
// its names is open. It reports whether the world's file has other names.
func (f *Folder) PrepareOpen(world string, durable bool) (shared bool, err error) {
	g, err := f.lockGroup(world, false)
	if err != nil || g == nil {
		return false, err
	}
	defer g.mu.Unlock()
	if shared, taken := g.others(f, world); !taken {
		return shared, nil
	}
	return false, f.detach(g, world, durable)
}

// others reports whether a group has names besides a world's, and whether one of
// them is open.
func (g *group) others(f *Folder, world string) (are, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(g.names) > 1, slices.ContainsFunc(g.names, func(n string) bool { return n != world && f.open[n] })
}

// detach replaces a name of a group's file by a copy. The caller holds g.mu.
func (f *Folder) detach(g *group, world string, durable bool) error {
	path := f.Path(world)
	ino, _, err := system.Inode(path)
	if err != nil {
		return err
	}
	if err := f.copyFile(path, path+".new", durable); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	f.mu.Lock()
	f.leave(ino, world)
	f.mu.Unlock()
	if !durable {
		return nil
	}
	return f.Sync()
}

// DetachOthers moves all other names of an open world's file to a common copy.
func (f *Folder) DetachOthers(world string) error {
	g, err := f.lockGroup(world, false)
	if err != nil || g == nil {
		return err
	}
	defer g.mu.Unlock()
	f.mu.Lock()
	others := slices.DeleteFunc(slices.Clone(g.names), func(n string) bool { return n == world })
	f.mu.Unlock()
	if len(others) == 0 {
		return nil
	}
	ino, _, err := system.Inode(f.Path(world))
	if err != nil {
		return err
	}
	fresh := f.Path(others[0]) + ".new"
	if err := f.copyFile(f.Path(world), fresh, true); err != nil {
		return errors.Join(fmt.Errorf("copy %s: %w", world, err), os.Remove(fresh))
	}
	// The names move to the new group before they move in the directory, so that a
	// caller that finds one at the new file waits until all have moved.
	moved, err := f.newGroup(fresh)
	if err != nil {
		return err
	}
	defer moved.mu.Unlock()
	for n, name := range others {
		to := f.Path(name)
		if n > 0 {
			_ = os.Remove(to + ".new")
			if err := os.Link(f.Path(others[0]), to+".new"); err != nil {
				if err := f.detach(g, name, true); err != nil {
					return err
				}
				continue
			}
		}
		f.mu.Lock()
		moved.names = append(moved.names, name)
		f.mu.Unlock()
		if err := os.Rename(to+".new", to); err != nil {
			return err
		}
		f.mu.Lock()
		f.leave(ino, name)
		f.mu.Unlock()
	}
	return f.Sync()
}

// newGroup creates and locks the group of a file that will get names.
func (f *Folder) newGroup(path string) (*group, error) {
	ino, _, err := system.Inode(path)
	if err != nil {
		return nil, err
	}
	g := &group{}
	g.mu.Lock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.groups[ino] = g
	return g, nil
}
