package run

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"understudy/test/server"
)

// Whatever an agent does, its run ends in time, with the status and the reports of
// any other.
func hostile(t *testing.T, h *host) {
	task := h.write("hostile.yaml", `{task: hostile, world: {fixture: demo}, limits: {seconds: 120}, nothing_else: true}`)
	endless := h.write("endless.yaml", `{task: endless, world: {fixture: demo}, limits: {seconds: 1}, nothing_else: true}`)
	for _, agent := range []struct {
		name, script string
		status       int
		shown        string
	}{
		{"answers with a terabyte", `truncate -s 1T "$UNDERSTUDY_ANSWER_FILE" || true`, 0, "passed"},
		{"does not end when it is asked", `trap "" TERM; while :; do sleep 0.1; done`, 1, "TIMEOUT"},
		{"closes its output and leaves processes", `exec >&- 2>&-; for i in 1 2 3; do sleep 100 & echo $! >"$PIDS/idle-$i"; done`, 0, "passed"},
		{"writes no text", `printf '\377\376\000\033[31m\303'; printf '\355\240\200\000' >"$UNDERSTUDY_ANSWER_FILE"`, 0, "passed"},
		{"writes without an end", `while :; do printf '%065536d'; done`, 1, "TIMEOUT"},
		{"makes its answer a folder", `mkdir "$UNDERSTUDY_ANSWER_FILE"`, 3, "ERROR"},
	} {
		pidDir, task := t.TempDir(), task
		if agent.shown == "TIMEOUT" {
			task = endless
		}
		cmd := h.command(task, "--json", "report.json", "--junit", "junit.xml", "--html", "report.html", "--", "bash", "-c", agent.script)
		cmd.Env = append(os.Environ(), "PIDS="+pidDir)
		out, err := cmd.CombinedOutput()
		if exit, failed := err.(*exec.ExitError); err != nil && !failed || err != nil && exit.ExitCode() != agent.status || err == nil && agent.status != 0 {
			t.Errorf("an agent that %s: %v, want status %d\n%s", agent.name, err, agent.status, out)
		}
		if text := string(out); !strings.Contains(text, agent.shown) || strings.Contains(text, "did not store") || strings.ContainsAny(text, "\x00\x1b") {
			t.Errorf("an agent that %s shows\n%q", agent.name, out)
		}
		var report any
		if err := json.Unmarshal([]byte(read(t, filepath.Join(h.dir, "report.json"))), &report); err != nil {
			t.Errorf("an agent that %s: the JSON report: %v", agent.name, err)
		}
		if err := xml.Unmarshal([]byte(read(t, filepath.Join(h.dir, "junit.xml"))), new(struct{})); err != nil {
			t.Errorf("an agent that %s: the JUnit report: %v", agent.name, err)
		}
		for _, pid := range pids(t, pidDir) {
			if runtime.GOOS == "linux" {
				h.until("what an agent has left behind has ended", func() bool { return ended(pid) })
			}
		}
	}
	if left := h.environments(); len(left) != 1 {
		t.Errorf("%d environments are left behind", len(left)-1)
	}
}

// strayer leaves a process in a session of its own. That of the first run ends with
// this run, while the second goes on with its own. One that bears no variable of
// its run ends with the program.
const strayer = `
leave() { setsid "$@" sh -c 'echo $$ >"$0.half"; mv "$0.half" "$0"; exec sleep 100' "$file" & until [ -e "$file" ]; do sleep 0.02; done; }
file=$PIDS/idle-$UNDERSTUDY_RUN; leave env
[ "$UNDERSTUDY_RUN" = idle-2 ] || exit 0
file=$PIDS/idle-bare; leave env -i PATH="$PATH"
until [ -e "$PIDS/idle-idle-1" ]; do sleep 0.02; done
while kill -0 "$(cat "$PIDS/idle-idle-1")"; do sleep 0.02; done 2>/dev/null
kill -0 "$(cat "$PIDS/idle-idle-2")"
`

// On Linux what a command leaves behind ends with its run, also outside its process
// group.
func strays(t *testing.T, h *host) {
	if runtime.GOOS != "linux" {
		t.Skip("what has left its group runs on here")
	}
	server.NeedTools(t, "setsid")
	pidDir := t.TempDir()
	cmd := h.command(h.write("idle.yaml", `{task: idle, world: {fixture: demo}, limits: {seconds: 60}, expect: [{exit: 0}], nothing_else: true}`), "-n", "2", "-p", "2", "--", "sh", "-c", strayer)
	cmd.Env = append(os.Environ(), "PIDS="+pidDir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	left := pids(t, pidDir)
	if len(left) != 3 {
		t.Errorf("%d processes were left behind, want 3", len(left))
	}
	for _, pid := range left {
		if !ended(pid) {
			t.Errorf("process %d is still there", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
