package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/server"
)

// TestTheWorkedExample runs the block of docs/environments.md that says so.
func TestTheWorkedExample(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "environments.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "<!-- executed -->\n```sh\n")
	script, _, ended := strings.Cut(rest, "\n```\n")
	if !found || !ended {
		t.Fatal("docs/environments.md has no block that is executed")
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
	bash.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{"+ crm contact ", "+ messaging message ", "0 inserts, 0 updates, 0 deletes"} {
		if !strings.Contains(string(out), line) {
			t.Errorf("the output lacks %q:\n%s", line, out)
		}
	}
}
