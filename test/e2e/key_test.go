package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/server"
)

// A data folder whose key is another's is told so, and what to do.
func TestTheKeyOfADatabase(t *testing.T) {
	t.Parallel()
	url := server.Postgres(t)
	dir := t.TempDir()
	first, err := server.Start(server.Options{Dir: dir, Args: []string{"--database", url}})
	if err != nil {
		t.Fatal(err)
	}
	before, err := first.Credentials()
	if err == nil {
		err = first.Stop()
	}
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	addr, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time its folder is not new
		status, _, stderr := run(t, nil, "serve", "--listen", addr, "--data", other, "--database", url)
		if status != 1 || !strings.Contains(stderr, "--key-file") || !strings.Contains(stderr, "another key") {
			t.Errorf("status %d: %s", status, stderr)
		}
		oneLine(t, stderr)
	}
	key := filepath.Join(t.TempDir(), "mounted")
	text, err := os.ReadFile(filepath.Join(dir, "key"))
	if err == nil {
		err = os.WriteFile(key, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, after := server.New(t, "--database", url, "--key-file", key)
	if after.Admin.Key != before.Admin.Key || after.Messaging.BotToken != before.Messaging.BotToken {
		t.Error("the same key gives other credentials")
	}
	if out := outputWith(s, "level=WARN"); !strings.Contains(out, key) {
		t.Errorf("no warning of a key file that others may read:\n%s", out)
	}
}

// The data folder's own key is for its owner alone.
func TestAKeyThatOthersMayRead(t *testing.T) {
	t.Parallel()
	s, _ := server.New(t)
	dir := s.Dir
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	addr, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o622} {
		if err := os.Chmod(filepath.Join(dir, "key"), mode); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := run(t, nil, "serve", "--listen", addr, "--data", dir)
		if status != 1 || !strings.Contains(stderr, "chmod 600") {
			t.Errorf("mode %o: status %d: %s", mode, status, stderr)
		}
		oneLine(t, stderr)
	}
	status, _, stderr := run(t, nil, "serve", "--listen", addr, "--data", dir, "--key-file", filepath.Join(dir, "nothing"))
	if status != 1 || !strings.Contains(stderr, "key file") {
		t.Errorf("no key file: status %d: %s", status, stderr)
	}
}
