package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/server"
)

// workedExamples are lines of the output of pages that have a block to be executed.
var workedExamples = map[string][]string{
	"environments.md": {"+ crm contact ", "+ messaging message ", "0 inserts, 0 updates, 0 deletes"},
	"verdicts.md":     {"FAILED  expect[0]", "ok      expect[0]", "ok      nothing_else", "passed, score 1"},
	"people.md":       {"messaging/jon.abel", "I am", "settled: true"},
	"faults.md":       {"no answer came", "lost-answer (drop after, carried out)"},
	"evaluation.md": {"ok     sign-in-triage: doing nothing fails; the solution passes twice", "exit status 1: the agent does not pass yet", "an issue for the team: no issue was inserted",
		"threshold pass^1>=0.9: 1, met", "passed  say-hello 1/1  score 1"},
	"traces.md": {"tool  tell  12 ms", "(by order)", "(by request)", "+ messaging message "},
	"cause.md":  {"by messaging.conversations.setTopic (agent ", "messaging.chat.postMessage (agent "},
}

// TestTheWorkedExamples runs the blocks of the pages that say so.
func TestTheWorkedExamples(t *testing.T) {
	for name, lines := range workedExamples {
		t.Run(name, func(t *testing.T) { t.Parallel(); runExample(t, name, lines) })
	}
}

func runExample(t *testing.T, name string, lines []string) {
	server.NeedTools(t, "bash", "curl", "jq")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "<!-- executed -->\n```sh\n")
	script, _, ended := strings.Cut(rest, "\n```\n")
	if !found || !ended {
		t.Fatalf("docs/%s has no block that is executed", name)
	}
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := server.Start(server.Options{Dir: filepath.Join(dir, "understudy-data")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := os.Symlink(bin, filepath.Join(dir, "understudy")); err != nil {
		t.Fatal(err)
	}
	bash := exec.Command("bash", "-euo", "pipefail", "-c", script)
	bash.Dir = dir
	tasks, err := filepath.Abs("../../docs/tasks")
	if err != nil {
		t.Fatal(err)
	}
	bash.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TASKS="+tasks)
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range lines {
		if !strings.Contains(string(out), line) {
			t.Errorf("the output lacks %q:\n%s", line, out)
		}
	}
}
