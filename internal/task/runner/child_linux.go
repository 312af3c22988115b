package runner

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
)

// markName is the variable that identifies the processes of a program even after
// they have left its process group: a random number, a dot, and the identity of
// the runner.
const markName = "UNDERSTUDY_MARK"

// strayTime bounds how long endStrays waits for processes that it cannot kill,
// such as those of another user.
const strayTime = 2 * time.Second

// children are the processes that this program has started and not yet waited
// for, by id. Other children of this program are strays: descendants whose parent
// has ended.
var children = struct {
	sync.Mutex
	started map[int]*exec.Cmd
}{started: map[int]*exec.Cmd{}}

// starter returns a channel of functions that run one after another on one
// thread, which lasts as long as the program: the kernel kills a child when the
// thread that started it ends. This program becomes the parent of its orphaned
// descendants, whatever their process group.
var starter = sync.OnceValue(func() chan<- func() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// startChild starts a command that is killed when this program ends, even if it
// is killed itself. It returns the mark that the command's descendants inherit.
func startChild(cmd *exec.Cmd) (mark string, err error) {
	mark = markName + "=" + ids.Random().Hex(32) + "." + identity()
	cmd.Env = append(cmd.Env, mark)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	starter() <- func() {
		children.Lock()
		err := cmd.Start()
		if err == nil {
			children.started[cmd.Process.Pid] = cmd
		}
		children.Unlock()
		started <- err
	}
	return mark, <-started
}

// waitChild waits for the end of a command that startChild has started.
func waitChild(cmd *exec.Cmd) error {
	err := cmd.Wait()
	children.Lock()
	defer children.Unlock()
	if children.started[cmd.Process.Pid] == cmd { // the process id may have been reused
		delete(children.started, cmd.Process.Pid)
	}
	return err
}

// endStrays kills the strays with a mark, or all with "", and their children. It
// returns when they have ended.
func endStrays(mark string) {
	for end := clock.Real().Add(strayTime); killStrays(mark) && clock.Real().Before(end); {
		<-time.After(time.Millisecond)
	}
}

// killStrays kills the current strays with a mark, and reports whether there may
// be more.
func killStrays(mark string) (more bool) {
	children.Lock()
	defer children.Unlock()
	for _, pid := range listChildren() {
		if children.started[pid] != nil {
			continue
		}
		if ended, _ := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); ended == pid {
			continue
		}
		ours, ending := bears(pid, mark)
		if ours {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		more = more || ours || ending
	}
	return more
}

// bears reports whether a process has a mark; ending reports that the process is
// about to end, so that its mark can no longer be read and its children may
// become strays.
func bears(pid int, mark string) (ours, ending bool) {
	if mark == "" {
		return true, false
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
	if len(environ) > 0 {
		return bytes.Contains(environ, []byte(mark)), false
	}
	pages, _ := os.ReadFile(filepath.Join(dir, "statm"))
	return false, bytes.HasPrefix(pages, []byte("0 "))
}

// listChildren returns the children of this program's first thread, which strays
// become; none if the system does not list them.
func listChildren() (pids []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	for _, word := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
