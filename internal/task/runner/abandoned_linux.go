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

// identity returns a text that no other program has, including past ones: the
// process id, the start in clock ticks since boot, and the system in which the
// two are valid. It is "" if the system does not provide them.
var identity = sync.OnceValue(func() string {
	start, err := startOf(os.Getpid())
	if err != nil || system() == "" {
		return ""
	}
	return fmt.Sprintf("%d.%s.%s", os.Getpid(), start, system())
})

// system identifies where process ids and times are valid: the boot, and this
// program's namespaces, whose numbers are the same on many machines. It is "" if
// they cannot be read.
var system = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	numbers, err2 := os.Readlink("/proc/self/ns/pid")
	times, err3 := os.Readlink("/proc/self/ns/time")
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "." + numbers + "." + times
})

// startOf returns the start time of a process.
func startOf(pid int) (string, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", err
	}
	rest := stat[bytes.LastIndexByte(stat, ')')+1:] // the name before it may contain any characters
	if fields := strings.Fields(string(rest)); len(fields) > 19 {
		return fields[19], nil
	}
	return "", errors.New("the system does not say when a process began")
}

// isGone reports whether the program with an identity has certainly ended: it ran
// in this system, and its process id is unused or belongs to a later process.
func isGone(id string) bool {
	number, rest, _ := strings.Cut(id, ".")
	start, where, _ := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || start == "" || where == "" || where != system() {
		return false
	}
	if err := syscall.Kill(pid, 0); err != nil { // also finds processes that /proc hides
		return errors.Is(err, syscall.ESRCH)
	}
	now, err := startOf(pid)
	return err == nil && now != start
}

// runnerOf returns the identity of the program whose run a process belongs to; ""
// for a process without a mark, or whose environment this user may not read.
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

// signName is the file in a runner's directory that contains its identity.
const signName = "runner"

// sign writes the identity of this program into the directory of its runs. The
// directory outlives the program only if the program is killed.
func sign(folder string) error {
	if identity() == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(folder, signName), []byte(identity()), 0o600)
}

// unsign removes the file of sign.
func unsign(folder string) { _ = os.Remove(filepath.Join(folder, signName)) }

// endAbandoned kills the processes of this user that killed runners have left,
// and removes the directories of those runners, which are in parent. It ignores
// processes without a mark, with the mark of a running runner, or with that of
// one that ended normally: such a process has copied an environment with the
// mark.
func endAbandoned(parent string) {
	folders := abandonedFolders(parent)
	if len(folders) == 0 {
		return
	}
	for end := clock.Real().Add(strayTime); killAbandoned(folders); {
		if clock.Real().After(end) {
			return // the next run continues
		}
		<-time.After(time.Millisecond)
	}
	for _, dir := range folders {
		_ = os.RemoveAll(dir)
	}
}

// abandonedFolders returns the directories of this user's killed runners by the
// identity of the runner.
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

// killAbandoned kills processes that the runners of some directories have left,
// and reports whether there may be more: a process can start another before it
// ends.
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

// isOwn reports whether a file, or the process of a directory in /proc, belongs
// to the user of this program.
func isOwn(path string) bool {
	var stat syscall.Stat_t
	return syscall.Lstat(path, &stat) == nil && int(stat.Uid) == os.Getuid()
}

// killIf kills a process if holds returns true, and reports whether it did. It
// holds a process descriptor meanwhile, so that it cannot kill another process
// that gets the same id.
func killIf(pid int, holds func() bool) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	return holds() && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
