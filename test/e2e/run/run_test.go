// Package run drives "understudy run" from outside: what is left behind when it
// is interrupted or killed, what an agent can reach, and whether the same run comes
// out the same twice.
package run

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

// host is a server and a folder with tasks.
type host struct {
	t   *testing.T
	bin string
	dir string
	url string // of the admin plane
	key string
}

// TestRuns shares one server among its parts, which come one after another: each
// looks at which environments there are.
func TestRuns(t *testing.T) {
	h := start(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, h *host)
	}{{"interrupted", interrupted}, {"killed", killed}, {"many leave no fork behind", many}, {"the same twice", twice}, {"an agent reaches its fork alone", reach}, {"an agent that does not wait for its reply", unawaited}, {"programs around an agent", programs}, {"hostile agents", hostile}, {"processes that leave their group", strays}, {"processes of a runner that was killed", abandoned}, {"much output", chatty}, {"mistakes that the rehearsal finds", rehearsed}} {
		t.Run(part.name, func(t *testing.T) {
			own := *h
			own.t, own.dir = t, t.TempDir()
			part.test(t, &own)
		})
	}
}

func start(t *testing.T) *host {
	t.Helper()
	server.NeedTools(t, "bash", "curl", "jq")
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := server.Start(server.Options{Dir: filepath.Join(dir, "understudy-data"), Args: []string{"--rate-limits", "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	c, err := s.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	return &host{t, bin, dir, c.Admin.BaseURL, c.Admin.Key}
}

func (h *host) write(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *host) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.bin, append([]string{"run", "--admin-url", h.url, "--admin-key", h.key}, args...)...)
	cmd.Dir = h.dir
	return cmd
}

// environment is what the list says of one.
type environment struct {
	ID        string
	Parent    *string
	ExpiresAt *time.Time `json:"expires_at"`
}

func (h *host) environments() (out []environment) {
	h.t.Helper()
	r, err := http.NewRequest(http.MethodGet, h.url+"/environments?limit=200&counts=false", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	var list struct{ Environments []environment }
	if err := json.NewDecoder(reply.Body).Decode(&list); err != nil {
		h.t.Fatal(err)
	}
	return list.Environments
}

func (h *host) remove(id string) {
	h.t.Helper()
	r, err := http.NewRequest(http.MethodDelete, h.url+"/environments/"+id, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	_ = reply.Body.Close()
}

// until waits until something holds.
func (h *host) until(what string, holds func() bool) {
	h.t.Helper()
	for end := time.Now().Add(60 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatal("it never came that ", what)
		}
	}
}

const idle = `{task: idle, world: {fixture: demo}, limits: {seconds: 300}, nothing_else: true}`

// sleeper writes the number of its process and waits.
const sleeper = `echo $$ >"$PIDS/$UNDERSTUDY_RUN"; exec sleep 100`

// pids returns the processes of the sleepers.
func pids(t *testing.T, dir string) (out []int) {
	files, err := filepath.Glob(filepath.Join(dir, "idle-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

func interrupted(t *testing.T, h *host) {
	pidDir := t.TempDir()
	cmd := h.command(h.write("idle.yaml", idle), "-n", "50", "-p", "3", "--json", "report.json", "--junit", "junit.xml", "--html", "report.html", "--", "sh", "-c", sleeper)
	cmd.Env = append(os.Environ(), "PIDS="+pidDir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.until("three runs are under way", func() bool { return len(pids(t, pidDir)) == 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 {
		t.Errorf("exit status %d:\n%s", status, out.String())
	}
	for _, pid := range pids(t, pidDir) {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d of a run is still there", pid)
		}
	}
	if left := h.environments(); len(left) != 1 {
		t.Errorf("environments are left behind: %v", left)
	}
	var report struct {
		Interrupted bool
		Runs        []any
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil || !report.Interrupted || len(report.Runs) != 0 {
		t.Errorf("the report: %+v %v", report, err)
	}
	for _, name := range []string{"junit.xml", "report.html"} {
		if info, err := os.Stat(filepath.Join(h.dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ended reports whether a process has ended, also one that nobody has waited for.
func ended(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err != nil || bytes.HasPrefix(state, []byte("Z"))
}

// A runner that is killed leaves its forks and its world to expire by themselves.
// On Linux its commands are killed with it.
func killed(t *testing.T, h *host) {
	pidDir := t.TempDir()
	cmd := h.command(h.write("idle.yaml", idle), "-n", "4", "-p", "2", "--", "sh", "-c", sleeper)
	cmd.Env = append(os.Environ(), "PIDS="+pidDir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.until("two runs are under way", func() bool { return len(pids(t, pidDir)) == 2 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range pids(t, pidDir) {
		if runtime.GOOS == "linux" {
			defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			h.until("the command of a killed runner has ended", func() bool { return ended(pid) })
		} else {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	left := h.environments()
	defer func() {
		for _, e := range left {
			if e.ID != "default" {
				h.remove(e.ID)
			}
		}
	}()
	if len(left) != 4 { // the default one, the world and two forks
		t.Errorf("%d environments", len(left))
	}
	for _, e := range left {
		switch {
		case e.ID == "default":
		case e.ExpiresAt == nil:
			t.Errorf("%s stays for ever", e.ID)
		case e.Parent != nil && time.Until(*e.ExpiresAt) > (300+600)*time.Second:
			t.Errorf("fork %s stays for %v", e.ID, time.Until(*e.ExpiresAt))
		}
	}
}

func many(t *testing.T, h *host) {
	runs := "40"
	if more := os.Getenv("RUNS"); more != "" {
		runs = more
	}
	out, err := h.command(h.write("idle.yaml", idle), "-n", runs, "-p", "16", "--format", "jsonl", "--", "true").Output()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	if n, _ := strconv.Atoi(runs); bytes.Count(out, []byte(`{"run":`)) != n {
		t.Errorf("%d lines of runs", bytes.Count(out, []byte(`{"run":`)))
	}
	if left := h.environments(); len(left) != 1 {
		t.Errorf("%d environments are left behind", len(left)-1)
	}
}

// The same task, seed and agent come out the same twice, to the byte.
func twice(t *testing.T, h *host) {
	tasks, err := filepath.Abs("../../../docs/tasks")
	if err != nil {
		t.Fatal(err)
	}
	unlucky := h.write("unlucky.yaml", `task: unlucky
world: {fixture: demo, seed: 7, clock: 2026-03-02T09:00:00Z}
fork:
  seed: each
  faults: [{id: unlucky, "on": request, match: {service: messaging, by: agent}, when: {probability: 0.5}, do: {error: {status: 503}}}]
expect: [{inserted: messaging.message, count: {at_least: 2}}]
nothing_else: true`)
	posts := `. ` + tasks + `/calls.sh; for i in 1 2 3 4; do slack chat.postMessage channel=C1 channel="$(jq -rn '"#support"')" text="post $i" || true; done`
	var seen [2]string
	for i := range seen {
		var all []string
		for _, args := range [][]string{{filepath.Join(tasks, "triage.yaml"), "--", "bash", filepath.Join(tasks, "triage.sh")},
			{unlucky, "-n", "2", "-p", "2", "--", "bash", "-c", posts}} {
			report := filepath.Join(h.dir, "report.json")
			out, err := h.command(append([]string{"--json", report}, args...)...).CombinedOutput()
			if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
				t.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(report)
			if err != nil {
				t.Fatal(err)
			}
			var r struct {
				Runs []struct {
					State, Output string
					Firings       int
					Seed          int
					Verdict       json.RawMessage
				}
			}
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			b, _ := json.Marshal(r)
			all = append(all, string(b))
		}
		seen[i] = strings.Join(all, "\n")
	}
	if seen[0] != seen[1] {
		t.Errorf("twice the same is\n%s\nand\n%s", seen[0], seen[1])
	}
	if !strings.Contains(seen[0], `"State":"passed"`) || strings.Count(seen[0], `"Firings":0`) > 2 || strings.Count(seen[0], `"Seed":8`) != 1 {
		t.Errorf("the runs were other ones than meant: %.3000s", seen[0])
	}
}

// prober tries every credential of its run at the addresses that the test names.
const prober = `
env >"$OUT/half.$UNDERSTUDY_RUN"
mv "$OUT/half.$UNDERSTUDY_RUN" "$OUT/env.$UNDERSTUDY_RUN" # whoever sees it may read it
while [ ! -e "$OUT/addresses" ]; do sleep 0.05; done
while read -r kind url; do
  for token in "$SLACK_BOT_TOKEN" "$HUBSPOT_ACCESS_TOKEN" "$LINEAR_API_KEY"; do
    case $kind in
    admin) curl -s -o /dev/null -w 'admin %{http_code}\n' -H "Authorization: Bearer $token" "$url/environments" ;;
    *)
      curl -s -H "Authorization: Bearer $token" "$url/messaging/api/auth.test" | jq -r '"messaging ok " + (.ok | tostring)'
      curl -s -o /dev/null -w 'crm %{http_code}\n' -H "Authorization: Bearer $token" "$url/crm/api/crm/v3/objects/contacts"
      curl -s -H "Authorization: $token" -H 'Content-Type: application/json' -d '{"query": "{ viewer { id } }"}' "$url/tracker/graphql" | jq -r '"tracker " + (.data.viewer.id // "none")'
      ;;
    esac | sed "s/^/$kind /"
  done
done <"$OUT/addresses" >"$OUT/seen.$UNDERSTUDY_RUN"
# The other run looks at this one's fork, which goes with it.
touch "$OUT/done.$UNDERSTUDY_RUN"
while [ "$(ls "$OUT" | grep -c '^done')" -lt 2 ]; do sleep 0.05; done
`

// An agent with every variable of its run reaches its own fork, and neither the
// admin plane nor the world it was forked from nor another run.
func reach(t *testing.T, h *host) {
	out := t.TempDir()
	cmd := h.command(h.write("idle.yaml", idle), "-n", "2", "-p", "2", "--", "bash", "-c", prober)
	cmd.Env = append(os.Environ(), "OUT="+out, "UNDERSTUDY_ADMIN_KEY="+h.key, "UNDERSTUDY_ADMIN_URL="+h.url, "UNDERSTUDY_KEY=k", "UNDERSTUDY_KEY_FILE=k", "UNDERSTUDY_DATABASE=postgres://secret")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.until("both runs are under way", func() bool { found, _ := filepath.Glob(filepath.Join(out, "env.*")); return len(found) == 2 })
	root := strings.TrimSuffix(h.url, "/admin/v1")
	lines := "admin " + h.url + "\nother " + root + "\n"
	for _, e := range h.environments() {
		kind := "other"
		if e.Parent != nil && strings.Contains(read(t, filepath.Join(out, "env.idle-1")), "UNDERSTUDY_ENVIRONMENT="+e.ID) {
			kind = "own"
		}
		lines += kind + " " + root + "/e/" + e.ID + "\n"
	}
	if err := os.WriteFile(filepath.Join(out, "half"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(out, "half"), filepath.Join(out, "addresses")); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	env := read(t, filepath.Join(out, "env.idle-1"))
	for _, secret := range []string{"UNDERSTUDY_ADMIN", "UNDERSTUDY_KEY", "UNDERSTUDY_DATA", h.key} {
		if strings.Contains(env, secret) {
			t.Errorf("the agent gets %s", secret)
		}
	}
	seen := read(t, filepath.Join(out, "seen.idle-1"))
	for _, want := range []string{"own messaging ok true", "own crm 200", "own tracker "} {
		if !strings.Contains(seen, want) {
			t.Errorf("the agent does not reach its own fork: %q is missing in\n%s", want, seen)
		}
	}
	for line := range strings.Lines(seen) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "own ") {
			continue
		}
		if line != "admin admin 401" && line != "other messaging ok false" && line != "other tracker none" && line != "other crm 401" && line != "other crm 404" {
			t.Errorf("the agent reaches something: %s", line)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
