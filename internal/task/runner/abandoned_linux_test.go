package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A runner is gone where its number is unused or belongs to a later process, and it
// ran in the same namespaces of the same start of the system.
func TestARunnerIsGoneOnlyForCertain(t *testing.T) {
	own := identity()
	if own == "" {
		t.Skip("the system does not say when a process began")
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	pid, rest, _ := strings.Cut(own, ".")
	start, where, _ := strings.Cut(rest, ".")
	boot, names, _ := strings.Cut(where, ".")
	number, times, _ := strings.Cut(names, ".")
	unused := fmt.Sprint(ended.Process.Pid)
	for _, c := range []struct {
		what string
		id   []string
		want bool
	}{
		{"this program", []string{pid, start, where}, false},
		{"one that has ended", []string{unused, start, where}, true},
		{"one whose number this program has now", []string{pid, start + "1", where}, true},
		{"one of another start of the system, or machine", []string{unused, start, "0" + boot, number, times}, false},
		{"one of another namespace of numbers", []string{unused, start, boot, "pid:[1]", times}, false},
		{"one of another namespace of times", []string{unused, start, boot, number, "time:[1]"}, false},
		{"one that says nothing of where it ran", []string{unused, start}, false},
		{"no program", nil, false},
		{"a group of processes", []string{"-" + unused, start, where}, false},
	} {
		if got := isGone(strings.Join(c.id, ".")); got != c.want {
			t.Errorf("%s is gone: %t", c.what, got)
		}
	}
}

// A folder counts as abandoned while its runner's name is in it and that runner is
// gone.
func TestFoldersOfKilledRunnersAreFound(t *testing.T) {
	if identity() == "" {
		t.Skip("the system does not say when a process began")
	}
	parent := t.TempDir()
	pid, rest, _ := strings.Cut(identity(), ".")
	start, where, _ := strings.Cut(rest, ".")
	gone := pid + "." + start + "1." + where
	folder := func(name, id string) {
		dir := filepath.Join(parent, name)
		err := os.Mkdir(dir, 0o700)
		if err == nil && id != "" {
			err = os.WriteFile(filepath.Join(dir, signName), []byte(id), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	folder(folderPrefix+"killed", gone)
	folder(folderPrefix+"lives", identity())
	folder(folderPrefix+"ended", "")
	folder("other", gone)
	if err := os.Symlink(filepath.Join(parent, "other"), filepath.Join(parent, folderPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	found := abandonedFolders(parent)
	if len(found) != 1 || found[gone] != filepath.Join(parent, folderPrefix+"killed") {
		t.Errorf("found %v", found)
	}
}
