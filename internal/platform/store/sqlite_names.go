package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// A closed world that is the same as another costs nothing but a second name
// of its file. Such a file is never written to: what an open world changes
// stands in its log, and before the log is written back, the other names get a
// file of their own. SQLite finds the log by name but the locks by file, so of
// the names of one file only one may be open at a time.
type group struct {
	mu    sync.Mutex // held while the file is copied or gets a name
	names []string   // guarded by the store's mu
}

// scan learns which files have several names. It removes templates, which are
// this run's own, and what a crash has left of copies and removals.
func (s *sqliteStore) scan() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
	}
	for _, e := range entries {
		world, kind, _ := strings.Cut(e.Name(), ".")
		if kind == "db.new" || strings.HasPrefix(world, templatePrefix) || (kind == "db-wal" || kind == "db-shm") && !there[world+".db"] {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
			continue
		}
		if kind != "db" {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if ino, names := inode(info); names > 1 {
			if s.groups[ino] == nil {
				s.groups[ino] = &group{}
			}
			s.groups[ino].names = append(s.groups[ino].names, world)
		}
	}
	return nil
}

func (s *sqliteStore) Worlds(context.Context) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	var out []string
	for _, e := range entries {
		if world, ok := strings.CutSuffix(e.Name(), ".db"); ok && !strings.HasPrefix(world, templatePrefix) {
			out = append(out, world)
		}
	}
	return out, err
}

// inode gives the number of a file and how many names it has.
func inode(info os.FileInfo) (ino, names uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino, uint64(st.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 0, 1
}

// lockGroup gives the group of a world's file, locked. With make it is made
// where there is none, else nil is given.
func (s *sqliteStore) lockGroup(world string, create bool) (*group, error) {
	for {
		info, err := os.Stat(s.path(world))
		if err != nil {
			return nil, err
		}
		ino, _ := inode(info)
		s.mu.Lock()
		g := s.groups[ino]
		if g == nil && create {
			g = &group{names: []string{world}}
			s.groups[ino] = g
		}
		s.mu.Unlock()
		if g == nil {
			return nil, nil
		}
		g.mu.Lock()
		s.mu.Lock()
		stands := s.groups[ino] == g // it may have dissolved meanwhile, or
		s.mu.Unlock()
		if again, err := os.Stat(s.path(world)); err == nil && stands && os.SameFile(info, again) {
			return g, nil
		}
		g.mu.Unlock() // the world got a file of its own
	}
}

// unname finds the file of a name that is about to go, and gives what forgets
// the name once it is gone.
func (s *sqliteStore) unname(world string) (forget func()) {
	info, err := os.Stat(s.path(world))
	if err != nil {
		return func() {}
	}
	ino, _ := inode(info)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave(ino, world)
	}
}

// leave takes a name out of a group; a group of one is none. The store is locked.
func (s *sqliteStore) leave(ino uint64, world string) {
	g := s.groups[ino]
	if g == nil {
		return
	}
	g.names = slices.DeleteFunc(g.names, func(n string) bool { return n == world })
	if len(g.names) <= 1 {
		delete(s.groups, ino)
	}
}

// link gives the file of a world another name, or copies it where that cannot
// be. The file must not change meanwhile.
func (s *sqliteStore) link(from, to string) (linked bool, err error) {
	g, err := s.lockGroup(from, true)
	if err != nil {
		return false, err
	}
	defer g.mu.Unlock()
	err = os.Link(s.path(from), s.path(to))
	s.mu.Lock()
	if err == nil {
		if !slices.Contains(g.names, from) {
			g.names = append(g.names, from)
		}
		g.names = append(g.names, to)
	} else if info, e := os.Stat(s.path(from)); e == nil && len(g.names) == 1 {
		ino, _ := inode(info)
		delete(s.groups, ino)
	}
	s.mu.Unlock()
	if err == nil {
		return true, nil
	}
	return false, copyFile(s.path(from), s.path(to), true)
}

// settleNames sees to it that a world may be opened: when another name of its
// file is open, it gets a file of its own. It tells whether it has other names.
func (s *sqliteStore) settleNames(world string, durable bool) (shared bool, err error) {
	g, err := s.lockGroup(world, false)
	if err != nil || g == nil {
		return false, err
	}
	defer g.mu.Unlock()
	s.mu.Lock()
	taken := slices.ContainsFunc(g.names, func(n string) bool { return n != world && s.busy[n] })
	shared = len(g.names) > 1
	s.mu.Unlock()
	if !taken {
		return shared, nil
	}
	return false, s.replace(g, world, durable)
}

// replace gives a name of a file a copy of it. The group is locked.
func (s *sqliteStore) replace(g *group, world string, durable bool) error {
	path := s.path(world)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := copyFile(path, path+".new", durable); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	ino, _ := inode(info)
	s.mu.Lock()
	s.leave(ino, world)
	s.mu.Unlock()
	if !durable {
		return nil
	}
	return syncFile(s.dir)
}

// giveAway leaves the file of an open world to it alone: its other names get
// one copy, which they share.
func (s *sqliteStore) giveAway(world string) error {
	g, err := s.lockGroup(world, false)
	if err != nil || g == nil {
		return err
	}
	defer g.mu.Unlock()
	s.mu.Lock()
	others := slices.DeleteFunc(slices.Clone(g.names), func(n string) bool { return n == world })
	s.mu.Unlock()
	if len(others) == 0 {
		return nil
	}
	is, err := os.Stat(s.path(world))
	if err != nil {
		return err
	}
	fresh := s.path(others[0]) + ".new"
	if err := copyFile(s.path(world), fresh, true); err != nil {
		return errors.Join(fmt.Errorf("copy %s: %w", world, err), os.Remove(fresh))
	}
	// The names move from one group to the other before they move in the folder:
	// who finds one at the new file waits until all are there.
	moved, err := s.newGroup(fresh)
	if err != nil {
		return err
	}
	defer moved.mu.Unlock()
	ino, _ := inode(is)
	for n, name := range others {
		to := s.path(name)
		if n > 0 {
			_ = os.Remove(to + ".new")
			if err := os.Link(s.path(others[0]), to+".new"); err != nil {
				if err := s.replace(g, name, true); err != nil {
					return err
				}
				continue
			}
		}
		s.mu.Lock()
		moved.names = append(moved.names, name)
		s.mu.Unlock()
		if err := os.Rename(to+".new", to); err != nil {
			return err
		}
		s.mu.Lock()
		s.leave(ino, name)
		s.mu.Unlock()
	}
	return syncFile(s.dir)
}

// newGroup makes the group of a file that is about to get names, locked.
func (s *sqliteStore) newGroup(path string) (*group, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	ino, _ := inode(info)
	g := &group{}
	g.mu.Lock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[ino] = g
	return g, nil
}

// copyFile copies a file; the kernel shares blocks where it can.
func copyFile(from, to string, durable bool) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) { // it may be another name of a file in use
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil && durable {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// syncFile makes a file durable, or the names in a folder.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
