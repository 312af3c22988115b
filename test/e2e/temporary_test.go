package e2e

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/test/server"
)

// A server that is asked to stop before it has started ends as one that runs does.
func TestAServerThatIsStoppedWhileItStartsEndsWell(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data") // standard input is at its end
	if status, _, stderr := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--data", data, "--temporary"); status != 0 || strings.Contains(stderr, "canceled") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("its folder stays: %v", err)
	}
}

// A server that a test suite starts ends with the suite, however that ends, and leaves nothing behind.
func TestATemporaryServerEndsWithItsStarter(t *testing.T) {
	t.Parallel()
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--listen", "127.0.0.1:0", "--data", data, "--temporary")
	input, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = input
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = input.Close()
	greeting := make([]byte, len("understudy is ready"))
	if _, err := io.ReadFull(stdout, greeting); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(data, "credentials.json")); err != nil {
		t.Error(err)
	}
	began := time.Now()
	_ = output.Close()
	if err := cmd.Wait(); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data folder is still there: %v", err)
	}
}

// What is in a folder before is never removed.
func TestATemporaryServerRefusesAFolderInUse(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	note := filepath.Join(data, "thesis.txt")
	if err := os.WriteFile(note, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := run(t, nil, "serve", "--data", data, "--temporary")
	if status != 1 || !strings.Contains(stderr, "not empty") {
		t.Errorf("%d %s", status, stderr)
	}
	oneLine(t, stderr)
	if _, err := os.Stat(note); err != nil {
		t.Error(err)
	}
}
