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
// number, the start in clock ticks since the system began, and the namespaces in which
// the two count. It is "" where the system does not say.
var identity = sync.OnceValue(func() string {
	start, err := startOf(os.Getpid())
	names := namespaces(os.Getpid())
	if err != nil || names == "" {
		return ""
	}
	return fmt.Sprintf("%d.%s.%s", os.Getpid(), start, names)
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

// namespaces returns the namespaces in which a process sees numbers and times of
// processes; "" where they cannot be read.
func namespaces(pid int) string {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "ns")
	numbers, err := os.Readlink(filepath.Join(dir, "pid"))
	times, err2 := os.Readlink(filepath.Join(dir, "time"))
	if err != nil || err2 != nil {
		return ""
	}
	return numbers + "." + times
}

// isGone reports whether the program of an identity has ended for certain: it had the
// namespaces of this program, and its number is unused or belongs to a later process.
func isGone(id string) bool {
	number, rest, _ := strings.Cut(id, ".")
	start, names, _ := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || start == "" || names == "" || names != namespaces(os.Getpid()) {
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

// endAbandoned kills the processes of this user that an earlier runner has started
// and, killed itself, has left behind. It leaves alone those of a runner that lives,
// and those that bear no mark.
func endAbandoned() {
	for end := clock.Real().Add(strayTime); killAbandoned() && clock.Real().Before(end); {
		<-time.After(time.Millisecond)
	}
}

// killAbandoned kills what there is, and reports whether there may be more: a process
// can start another before it ends.
func killAbandoned() (more bool) {
	if identity() == "" {
		return false
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !isOwn(pid) || !isGone(runnerOf(pid)) {
			continue
		}
		more = killIf(pid, func() bool { return isOwn(pid) && isGone(runnerOf(pid)) }) || more
	}
	return more
}

// isOwn reports whether a process runs as the user of this program.
func isOwn(pid int) bool {
	var stat syscall.Stat_t
	err := syscall.Stat(filepath.Join("/proc", strconv.Itoa(pid)), &stat)
	return err == nil && int(stat.Uid) == os.Getuid()
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
