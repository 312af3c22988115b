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

// On a full disk captures are refused, to be sent again, and every question is
// answered. Once there is room, all that was acknowledged is there, and counted.
func TestIngestionOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("skipped: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	_, c := server.Open(t, server.Options{Dir: dir, Args: []string{"--rate-limits", "off"}})
	filler := filepath.Join(dir, "filler")
	if err := fill(filler); err != nil {
		t.Fatal(err)
	}
	acknowledged, status := 0, 0
	event := func(n int) map[string]any {
		return map[string]any{"event_id": fmt.Sprintf("cccccccc-0000-4000-8000-%012x", n), "session_id": fmt.Sprintf("dddddddd-0000-4000-8000-%012x", n%40),
			"primitive_name": fmt.Sprint("tool", n%300), "primitive_type": "tool", "args": "refund " + strings.Repeat(fmt.Sprint(n*7919, " "), 300), "latency": n, "user_id": fmt.Sprint("u", n%90)}
	}
	for n := 0; n < 5000 && status/100 != 5; n++ {
		var err error
		if status, err = askIngest(c.Ingest, http.MethodPost, "capture-event", event(n)); err != nil {
			t.Fatal(err)
		}
		if status == http.StatusOK {
			acknowledged++
		}
	}
	if status != http.StatusServiceUnavailable {
		t.Fatalf("a full disk answers %d after %d events", status, acknowledged)
	}
	for _, path := range []string{"events", "events?q=refund", "events/" + event(0)["event_id"].(string), "sessions", "sessions?tool=tool1", "sessions/" + event(0)["session_id"].(string),
		"sessions/" + event(0)["session_id"].(string) + "/tree", "users", "users?sums=true", "tools", "tools?q=refund", "tools/tool1/timeline", "agents", "models", "customers", "timeseries?group_by=tool",
		"timeseries?distinct=user_id", "errors", "overview", "overview?tool=tool1", "facets", "traits", "prices", "scores", "retention", "export", "export?format=csv"} {
		if status, err := askIngest(c.Ingest, http.MethodGet, path, nil); err != nil || status != http.StatusOK {
			t.Errorf("%s on a full disk: %d %v", path, status, err)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for n := 0; status != http.StatusOK; n++ {
		if status, _ = askIngest(c.Ingest, http.MethodPost, "capture-event", event(100_000+n)); n == 50 {
			t.Fatal("captures do not go on when there is room again")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if found, counted := listEvents(t, c.Ingest); len(found) != acknowledged+1 || counted != len(found) {
		t.Errorf("%d events are listed and %d counted, of %d", len(found), counted, acknowledged+1)
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
