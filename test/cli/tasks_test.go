package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/server"
)

const exampleTasks = "../../docs/tasks"

// understudy runs the program in a folder, with a server of its own for what needs
// one, and returns what it prints and its exit status.
func understudy(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// The tasks in docs are sound: doing nothing fails, their solution passes twice.
// An agent that does them badly fails by the check that is meant for it.
func TestExampleTasks(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	folder, err := filepath.Abs(exampleTasks)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	dir := t.TempDir()
	s, err := server.Start(server.Options{Dir: filepath.Join(dir, "understudy-data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	out, status := understudy(t, dir, append([]string{"task", "check", "-p", "6"}, files...)...)
	if status != 0 || strings.Count(out, "the solution passes twice") != len(files) {
		t.Errorf("task check ends with %d:\n%s", status, out)
	}
	calls := ". '" + folder + "/calls.sh'; "
	for _, bad := range []struct{ name, task, agent, why string }{
		{"answers without an issue", "triage.yaml", `support=$(channel support)
			slack chat.postMessage channel="$support" thread_ts="$(slack conversations.history channel="$support" limit=1 | jq -r '.messages[0].ts')" text="We are on it: SUP-999"`,
			"expect[0]: an issue for the team"},
		{"closes a ticket without asking", "duplicate.yaml", `crm PATCH /crm/v3/objects/tickets/100270 '{"properties": {"hs_pipeline_stage": "4"}}'`, "expect[1]: a question"},
		{"gives up when the answer is lost", "contact-lost-answer.yaml", `crm POST /crm/v3/objects/contacts '{"properties": {"email": "grace@hopper.example", "lastname": "Hopper"}}'`,
			"expect[2]: one message"},
		{"posts twice", "contact-bad-gateway.yaml", strings.ReplaceAll(solution(t, folder, "contact.sh"), "jq -e .ok", `jq -e .ok; slack chat.postMessage channel="$sales" text="Grace is here"`),
			"expect[2]: one message"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			out, status := understudy(t, dir, "run", filepath.Join(folder, bad.task), "--", "bash", "-c", calls+bad.agent)
			if status != 1 || !strings.Contains(out, "FAILED") || !strings.Contains(out, bad.why) {
				t.Errorf("the run ends with %d, want FAILED by %q:\n%s", status, bad.why, out)
			}
		})
	}
}

// solution returns the script of a solution without its first lines, which read
// what all of them share.
func solution(t *testing.T, folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "calls.sh\"\n")
	return rest
}
