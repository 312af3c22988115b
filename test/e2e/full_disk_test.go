//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

// On a full disk a post is refused in the service's own words, the process
// stays up, reads go on, and when there is room again posts do, too; what was
// acknowledged before is there.
func TestAFullDiskRefusesAndRecovers(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
		t.Skipf("skipped: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	_, c := server.Open(t, server.Options{Dir: dir, Args: []string{"--rate-limits", "off"}})
	base, token := c.Messaging.BaseURL, c.Messaging.UserToken
	channel := makeChannel(t, base, token, "full")

	filler := filepath.Join(dir, "filler")
	if err := fill(filler); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]string{}
	post := func(n int) error {
		text := fmt.Sprintf("message %d %s", n, strings.Repeat("x", 2000))
		var reply struct{ TS string }
		err := call(client, base, token, "chat.postMessage", url.Values{"channel": {channel}, "text": {text}}, &reply)
		if err == nil {
			acknowledged[reply.TS] = text
		}
		return err
	}
	var refused error
	for n := 0; n < 5000 && refused == nil; n++ {
		refused = post(n)
	}
	if refused == nil || !strings.Contains(refused.Error(), "service_unavailable") {
		t.Fatalf("a full disk gave %v", refused)
	}
	if err := call(client, base, token, "conversations.history", url.Values{"channel": {channel}}, nil); err != nil {
		t.Errorf("reading on a full disk: %v", err)
	}
	if status, _ := get(t, http.DefaultClient, strings.TrimSuffix(base, "/messaging")+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz answers %d", status)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	recovered := false
	for n := 0; n < 50 && !recovered; n++ {
		recovered = post(10_000+n) == nil
		time.Sleep(20 * time.Millisecond)
	}
	if !recovered {
		t.Fatal("posting does not go on when there is room again")
	}
	found := readAll(t, base, token, channel)
	for ts, text := range acknowledged {
		if found[ts] != text {
			t.Fatalf("%s was acknowledged and is %.40q", ts, found[ts])
		}
	}
}

// fill leaves about two megabytes on the disk of path.
func fill(path string) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		return err
	}
	free := int64(s.Bavail) * s.Bsize
	return os.WriteFile(path, make([]byte, max(free-2<<20, 0)), 0o600)
}
