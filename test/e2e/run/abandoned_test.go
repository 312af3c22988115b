package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"understudy/test/server"
)

// deserter leaves one process in its group and one in a session of its own, and
// goes on.
const deserter = `
leave() { "$@" sh -c 'echo $$ >"$0.half"; mv "$0.half" "$0"; exec sleep 100' "$file" & until [ -e "$file" ]; do sleep 0.02; done; }
file=$PIDS/idle-group; leave env
file=$PIDS/idle-session; leave setsid
: >"$PIDS/ready"
exec sleep 100
`

// On Linux what the commands of a killed runner have started ends with the next run,
// and nothing that belongs to a runner that lives, or that has the variables of a run
// which came to its end.
func abandoned(t *testing.T, h *host) {
	if runtime.GOOS != "linux" {
		t.Skip("what a killed runner has left runs on here")
	}
	server.NeedTools(t, "setsid")
	before := h.environments()
	defer func() {
		known := fmt.Sprint(before)
		for _, e := range h.environments() {
			if !strings.Contains(known, e.ID) {
				h.remove(e.ID)
			}
		}
	}()
	task, temporary := h.write("idle.yaml", idle), t.TempDir()
	run := func(script string) {
		cmd := h.command(task, "--", "sh", "-c", script)
		cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "COPY="+filepath.Join(temporary, "mark"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	run(`echo "$UNDERSTUDY_MARK" >"$COPY"`)
	copied := exec.Command("sleep", "100") // a program that somebody starts with a copy of a run's variables
	copied.Env = append(os.Environ(), "UNDERSTUDY_MARK="+strings.TrimSpace(read(t, filepath.Join(temporary, "mark"))))
	if err := copied.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = copied.Process.Kill()
		_ = copied.Wait()
	}()
	runner := func() (*exec.Cmd, string) {
		dir := t.TempDir()
		cmd := h.command(task, "--", "sh", "-c", deserter)
		cmd.Env = append(os.Environ(), "PIDS="+dir, "TMPDIR="+temporary)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			for _, pid := range pids(t, dir) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		h.until("two processes are left", func() bool {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err == nil
		})
		return cmd, dir
	}
	_, live := runner()
	dead, left := runner()
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.Wait()
	for _, pid := range pids(t, left) {
		if ended(pid) {
			t.Fatal("what a killed runner has left has ended by itself")
		}
	}
	folders := func() []string {
		found, _ := filepath.Glob(filepath.Join(temporary, "understudy-run-*"))
		return found
	}
	if n := len(folders()); n != 2 {
		t.Errorf("%d folders of runners, want those of the two", n)
	}
	run("true")
	if n := len(folders()); n != 1 {
		t.Errorf("%d folders of runners, want that of the one that lives", n)
	}
	if ended(copied.Process.Pid) {
		t.Error("a process with a copy of a run's variables was ended")
	}
	for _, pid := range pids(t, left) {
		if !ended(pid) {
			t.Errorf("process %d of the killed runner is still there", pid)
		}
	}
	for _, pid := range pids(t, live) {
		if ended(pid) {
			t.Errorf("process %d of the other runner was ended", pid)
		}
	}
}

// A command may write without an end: the runner reads it all and keeps the end. Its
// memory and its files do not grow with what is written.
func chatty(t *testing.T, h *host) {
	task := h.write("chatty.yaml", `{task: chatty, world: {fixture: demo}, limits: {seconds: 120}, nothing_else: true}`)
	peak := func(script string) int64 {
		cmd := h.command(task, "--json", "report.json", "--", "sh", "-c", script)
		cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "passed") {
			t.Errorf("%v\n%s", err, out)
		}
		return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	}
	quiet := peak("true")
	loud := peak("yes 0123456789abcdef | head -c 200000000; echo the end | tr a-z A-Z; find \"$TMPDIR\" -size +1000k | sed 's/^/on disk: /' | tr a-z A-Z")
	report := read(t, filepath.Join(h.dir, "report.json"))
	if !strings.Contains(report, "THE END") || strings.Contains(report, "ON DISK") || !strings.Contains(report, "bytes before this were not kept") || len(report) > 200_000 {
		t.Errorf("a report of %d bytes, which ends %.300s", len(report), report[max(0, len(report)-300):])
	}
	if runtime.GOOS == "linux" && loud > quiet+50_000 { // in KiB, of 195,000 that are written
		t.Errorf("the runner took %d KiB at most, and %d KiB where nothing was written", loud, quiet)
	}
}
