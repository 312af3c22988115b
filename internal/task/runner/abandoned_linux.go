package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"understudy/internal/platform/clock"
)

// identity returns what no other program has, past ones included: the process
// number, the start in clock ticks since the system began, and where the two count.
// It is "" where the system does not say.
var identity = sync.OnceValue(func() string {
	start, err := startOf(os.Getpid())
	if err != nil || system() == "" {
		return ""
	}
	return fmt.Sprintf("%d.%s.%s", os.Getpid(), start, system())
})

// system returns where this program sees numbers and times of processes: the start
// of the kernel, and its namespaces, whose numbers are the same on many machines.
// It is "" where they cannot be read.
var system = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	numbers, err2 := os.Readlink("/proc/self/ns/pid")
	times, err3 := os.Readlink("/proc/self/ns/time")
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "." + numbers + "." + times
})

// startOf returns when a process began.
func startOf(pid int) (string, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", err
	}
	rest := stat[bytes.LastIndexByte(stat, ')')+1:] // the name before it may hold anything
	if fields := strings.Fields(string(rest)); len(fields) > 19 {
		return fields[19], nil
	}
	return "", errors.New("the system does not say when a process began")
}

// isGone reports whether the program of an identity has ended for certain: it ran where
// this program runs, and its number is unused or belongs to a later process.
func isGone(id string) bool {
	number, rest, _ := strings.Cut(id, ".")
	start, where, _ := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || start == "" || where == "" || where != system() {
		return false
	}
	if err := syscall.Kill(pid, 0); err != nil { // also finds what /proc hides
		return errors.Is(err, syscall.ESRCH)
	}
	now, err := startOf(pid)
	return err == nil && now != start
}

// runnerOf returns the identity of the program whose run a process belongs to; ""
// for a process that bears no mark, or whose environment this user may not read.
func runnerOf(pid int) string {
	environ, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if mark, ok := bytes.CutPrefix(v, []byte(markName+"=")); ok {
			_, id, _ := strings.Cut(string(mark), ".")
			return id
		}
	}
	return ""
}

// signName is the file in the folder of a runner that holds its identity.
const signName = "runner"

// sign writes the identity of this program into the folder of its runs. The folder
// outlives the program only if that is killed.
func sign(folder string) error {
	if identity() == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(folder, signName), []byte(identity()), 0o600)
}

// unsign removes what sign has written.
func unsign(folder string) { _ = os.Remove(filepath.Join(folder, signName)) }

// endAbandoned kills the processes of this user that runners have started which were
// killed themselves, and removes the folders of those runners, which are in parent.
// It leaves alone what bears no mark, that of a runner that lives, or that of one
// that came to its end: such a process has the mark from a copy of an environment.
func endAbandoned(parent string) {
	folders := abandonedFolders(parent)
	if len(folders) == 0 {
		return
	}
	for end := clock.Real().Add(strayTime); killAbandoned(folders); {
		if clock.Real().After(end) {
			return // the next run goes on
		}
		<-time.After(time.Millisecond)
	}
	for _, dir := range folders {
		_ = os.RemoveAll(dir)
	}
}

// abandonedFolders returns the folders of this user's killed runners by the identity
// of the runner.
func abandonedFolders(parent string) map[string]string {
	found := map[string]string{}
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if !strings.HasPrefix(e.Name(), folderPrefix) || !e.IsDir() || !isOwn(dir) {
			continue
		}
		if id, err := os.ReadFile(filepath.Join(dir, signName)); err == nil && isGone(string(id)) {
			found[string(id)] = dir
		}
	}
	return found
}

// killAbandoned kills what the runners of some folders have left, and reports whether
// there may be more: a process can start another before it ends.
func killAbandoned(folders map[string]string) (more bool) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		left := func() bool { return isOwn(filepath.Join("/proc", e.Name())) && folders[runnerOf(pid)] != "" }
		more = left() && killIf(pid, left) || more
	}
	return more
}

// isOwn reports whether a file, or the process of a folder of /proc, belongs to the
// user of this program.
func isOwn(path string) bool {
	var stat syscall.Stat_t
	return syscall.Lstat(path, &stat) == nil && int(stat.Uid) == os.Getuid()
}

// killIf kills a process of which something holds, and reports whether it did. The
// process is held meanwhile, so that no other one that receives its number is killed.
func killIf(pid int, holds func() bool) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	return holds() && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
