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
	server.NeedTools(t, "bash", "curl", "jq", "node")
	folder, err := filepath.Abs(exampleTasks)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) < 7 {
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
	for name, text := range map[string]string{
		"bot.mjs":        strings.Replace(whole(t, folder, "contact-bot/bot.mjs"), "seen.add(id);", "", 1),
		"world.yaml":     whole(t, folder, "contact-bot/world.yaml"),
		"forgetful.yaml": strings.NewReplacer("contact-bot/", "").Replace(whole(t, folder, "contact-delivered-twice.yaml")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls := ". '" + folder + "/calls.sh'; "
	for _, bad := range []struct{ name, task, agent, why string }{
		{"answers without an issue", "triage.yaml", `support=$(channel support)
			slack chat.postMessage channel="$support" thread_ts="$(slack conversations.history channel="$support" limit=1 | jq -r '.messages[0].ts')" text="We are on it: SUP-999"`,
			"expect[0]: an issue for the team"},
		{"closes a ticket without asking", "duplicate.yaml", `crm PATCH /crm/v3/objects/tickets/100270 '{"properties": {"hs_pipeline_stage": "4"}}'`, "expect[1]: a question"},
		{"stops when the answer is lost", "contact-lost-answer.yaml", `crm POST /crm/v3/objects/contacts '{"properties": {"email": "grace@hopper.example", "lastname": "Hopper"}}'`,
			"expect[2]: one message"},
		{"posts twice", "contact-bad-gateway.yaml", strings.ReplaceAll(solution(t, folder, "contact.sh"), "jq -e .ok", `jq -e .ok; slack chat.postMessage channel="$sales" text="Grace is here"`),
			"expect[2]: one message"},
		{"does not know a delivery again", filepath.Join(dir, "forgetful.yaml"), "", "expect[2]: one message: 2 messages matched"},
	} {
		if !filepath.IsAbs(bad.task) {
			bad.task = filepath.Join(folder, bad.task)
		}
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			out, status := understudy(t, dir, "run", bad.task, "--", "bash", "-c", calls+bad.agent)
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

// What a solution did is written down as expectations in which names and captures
// stand for ids; doing nothing fails them and the solution passes.
func TestRecordedTasks(t *testing.T) {
	t.Parallel()
	server.NeedTools(t, "bash", "curl", "jq")
	folder, err := filepath.Abs(exampleTasks)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"triage.sh", "calls.sh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(whole(t, folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before, _, _ := strings.Cut(whole(t, folder, "triage.yaml"), "\nexpect:")
	if err := os.WriteFile(filepath.Join(dir, "triage.yaml"), []byte(before+"\nsolution: triage.sh # kept\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, status := understudy(t, dir, "task", "record", "triage.yaml", "-o", "recorded.yaml")
	if status != 0 {
		t.Fatalf("task record ends with %d:\n%s", status, out)
	}
	text := whole(t, dir, "recorded.yaml")
	for _, want := range []string{"{inserted: tracker.issue, where: {labelIds: {includes_all: [Sign-in]}", "priority: 2", "teamId: SUP", "properties.subject: {contains: $issue.identifier}",
		"fromObjectId: $ticket.id", "toObjectId: contacts/ida.lang8@pinewood-logistics.example", "channel: '#support'", "thread_ts: $question.ts", "solution: triage.sh # kept", "nothing_else: true"} {
		if !strings.Contains(text, want) {
			t.Errorf("the recorded task lacks %q", want)
		}
	}
	if strings.Count(text, "inserted: crm.association") != 1 || strings.Contains(text, "updatedAt") || strings.Contains(text, "reply_count") {
		t.Error("the recorded task expects what follows from the rest")
	}
	if t.Failed() {
		t.Log(text)
	}
	if out, status := understudy(t, dir, "task", "check", "recorded.yaml"); status != 0 {
		t.Errorf("task check of what was recorded ends with %d:\n%s", status, out)
	}
	for want, args := range map[string][]string{"changed nothing": {"task", "record", "triage.yaml", "--", "true"}, "did not end well: its exit status is 1": {"task", "record", "triage.yaml", "--", "false"}} {
		if out, status := understudy(t, dir, args...); status != 1 || !strings.Contains(out, want) {
			t.Errorf("%v ends with %d: %s", args, status, out)
		}
	}
}

func whole(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
