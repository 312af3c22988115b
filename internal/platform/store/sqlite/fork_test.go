package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
)

// A fork of an open world has a file of its own, so its parent goes on as before:
// with its automatic checkpoints and without a flush.
func TestAForkLeavesItsParentAlone(t *testing.T) {
	s := newFixture(t, t.TempDir())
	parent := s.made("parent", "")
	s.write(parent, "one")
	log := s.folder.LogSize("parent")
	fork := s.made("fork", "parent")
	if s.names("parent") != 1 || s.names("fork") != 1 || log == 0 || s.folder.LogSize("parent") != log {
		t.Errorf("the files have %d and %d names, the parent's log went from %d to %d bytes",
			s.names("parent"), s.names("fork"), log, s.folder.LogSize("parent"))
	}
	w := parent.Backend().(*world)
	if w.shared.Load() || w.checkpointAt != logPages {
		t.Errorf("the parent shares its file: %v, and writes its log back at %d pages", w.shared.Load(), w.checkpointAt)
	}
	s.write(fork, "of fork")
	s.write(parent, "two")
	s.holds(fork, "one of fork")
	s.holds(parent, "one two")
	s.check(fork.Close())
	s.check(parent.Close())
	s.holdsClosed("fork", "one of fork")
	s.holdsClosed("parent", "one two")
}

// A fork with the copy that a reset goes back to costs one copy of the file with its
// log, one flush of it and one of the folder.
func TestAForkCopiesAndFlushesOnce(t *testing.T) {
	s := newFixture(t, t.TempDir())
	parent := s.made("parent", "")
	s.write(parent, "one")
	acts := s.acts()
	fork, err := s.Create(context.Background(), "fork", "parent", notes)
	s.check(err)
	s.write(fork, "of fork")
	s.copied("fork", "base")
	s.check(fork.MakeDurable(context.Background()))
	s.check(s.Sync(context.Background()))
	want := []string{"copied parent.db", "copied parent.db-wal", "began fork.db", "synced fork.db", "synced " + filepath.Base(s.dir)}
	if !slices.Equal(*acts, want) {
		t.Errorf("%q, want %q", *acts, want)
	}
	s.write(fork, "later")
	s.holds(fork, "one of fork later")
	s.check(fork.Close())
	s.check(parent.Close())
	s.holdsClosed("base", "one of fork")
	s.holdsClosed("parent", "one")
}

// acts returns what is done to files from now on.
func (s fixture) acts() *[]string {
	var acts []string
	s.folder.Note = func(act files.Act, path string) {
		acts = append(acts, fmt.Sprint(map[files.Act]string{files.Copied: "copied ", files.Synced: "synced ", files.Read: "read ", files.Begun: "began "}[act], filepath.Base(path)))
	}
	return &acts
}

// Forks of one copy, which is closed, cost a copy of its file and a flush each,
// and leave the copy alone: it is not given a file of its own for each of them.
func TestForksOfACopyCopyAndFlushOnce(t *testing.T) {
	s := newFixture(t, t.TempDir())
	parent := s.made("parent", "")
	s.write(parent, "one")
	s.copied("parent", "base")
	acts := s.acts()
	var want []string
	var forks []*store.World
	for i := range 3 {
		name := fmt.Sprint("fork", i)
		fork, err := s.Create(context.Background(), name, "base", notes)
		s.check(err)
		s.write(fork, "of "+name)
		s.check(fork.MakeDurable(context.Background()))
		forks = append(forks, fork)
		want = append(want, "copied base.db", "began "+name+".db", "synced "+name+".db")
	}
	if !slices.Equal(*acts, want) {
		t.Errorf("%q, want %q", *acts, want)
	}
	if s.names("base") != 2 {
		t.Errorf("the copy's file has %d names", s.names("base"))
	}
	for i, fork := range forks {
		s.holds(fork, fmt.Sprint("one of fork", i))
		s.check(fork.Close())
	}
	s.check(parent.Close())
	s.holdsClosed("base", "one")
}
