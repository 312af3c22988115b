package e2e

import (
	"net/http"
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
		t.Error("the same key makes other credentials")
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

// The key may stand in a variable, for the server and for the verbs: no file of
// the data folder is needed to reach the admin plane.
func TestTheKeyInAVariable(t *testing.T) {
	t.Parallel()
	const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	variables := []string{"UNDERSTUDY_KEY=" + key}
	s, c := server.Open(t, server.Options{Dir: t.TempDir(), Env: variables})
	if _, err := os.Stat(filepath.Join(s.Dir, "key")); !os.IsNotExist(err) {
		t.Errorf("a key file was made: %v", err)
	}
	_, same := server.Open(t, server.Options{Dir: t.TempDir(), Env: variables})
	if same.Admin.Key != c.Admin.Key || same.Messaging.BotToken == "" {
		t.Error("the same key makes another key of the admin plane")
	}
	empty := t.TempDir()
	status, out, stderr := run(t, append(variables, "UNDERSTUDY_ADMIN_URL="+s.URL+"/admin/v1", "UNDERSTUDY_DATA="+empty), "env", "list")
	if status != 0 || !strings.Contains(out, "default") {
		t.Errorf("%d %s%s", status, out, stderr)
	}
	for range 2 { // after the second rotation the first key is refused at once
		rotate(t, s)
	}
	for what, more := range map[string][]string{"by its file": nil, "by its address": {"--admin-url", s.URL + "/admin/v1"}} {
		if status, out, stderr := run(t, variables, append([]string{"env", "list", "--data", s.Dir}, more...)...); status != 0 || !strings.Contains(out, "default") {
			t.Errorf("after rotations, %s: %d %s%s", what, status, out, stderr)
		}
	}
	for _, row := range []struct {
		env  []string
		args []string
	}{
		{[]string{"UNDERSTUDY_KEY=abc"}, []string{"serve", "--data", empty}},
		{[]string{"UNDERSTUDY_KEY=abc"}, []string{"env", "list", "--data", empty}},
		{variables, []string{"serve", "--data", empty, "--key-file", filepath.Join(empty, "key")}},
	} {
		status, out, stderr := run(t, row.env, row.args...)
		if status != 2 || strings.Contains(out+stderr, "=abc") {
			t.Errorf("%q: %d %s%s", row.args, status, out, stderr)
		}
		oneLine(t, stderr)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := run(t, []string{"UNDERSTUDY_KEY=" + strings.Repeat("ab", 32)}, "serve", "--data", s.Dir, "--listen", s.Listen); status != 1 || !strings.Contains(stderr, "UNDERSTUDY_KEY") {
		t.Errorf("another key: %d %s", status, stderr)
	}
}

// rotate renews the admin key of a server.
func rotate(t *testing.T, s *server.Server) {
	t.Helper()
	c, err := s.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/admin/v1/key/rotate", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Admin.Key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		t.Fatal(reply.Status)
	}
}
