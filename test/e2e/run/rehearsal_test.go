package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a task names and its world has not is found before the first run, with the
// line: people who react, whom a program plays, or who are waited for.
func rehearsed(t *testing.T, h *host) {
	marker := filepath.Join(t.TempDir(), "ran")
	const demo = "world: {fixture: demo}\n"
	for _, row := range []struct{ world, lines, want string }{
		{"world: {environment: nothere}\n", "", "line 2, world.environment: There is no environment"},
		{"world: {environment: default}\n", "fork: {snapshot: nothere}", "line 4, fork: The environment has no snapshot"},
		{demo, "user: {command: [sleep, '100'], person: messaging/nobody.here}", "line 4, user: There is nobody"},
		{demo, "meanwhile: [{when: {person: messaging/nobody.here}, then: []}]", "line 4, meanwhile[0].when: There is nobody"},
		{demo, "before: [{as: q, person: messaging/jon.abel, say: {channel: \"#support\", text: x}}]\n" +
			"meanwhile: [{when: {person: messaging/lena.park, message: {channel: $q}}, then: []}]", "line 5, meanwhile[0].when: "},
		{demo, "expect: [{inserted: messaging.message, where: {nothere: 1}}, {inserted: messaging.nothere}]", "line 4, expect[1]"},
	} {
		task := h.write("mistaken.yaml", "task: mistaken\n"+row.world+"nothing_else: true\n"+row.lines+"\n")
		out, err := h.command(task, "--", "touch", marker).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), row.want) {
			t.Errorf("%s%s\n%v, want status 2 and %q\n%s", row.world, row.lines, err, row.want, out)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Fatalf("%s: the command was run", row.lines)
		}
	}
	task := h.write("waits.yaml", "task: waits\nworld: {fixture: demo}\nnothing_else: true\nuser: {command: [sleep, '100'], person: messaging/jon.abel}\n"+
		"meanwhile: [{when: {person: messaging/lena.park}, then: [{person: messaging/lena.park, say: {channel: \"#support\", text: x}}]}]\n")
	if out, err := h.command(task, "--", "true").CombinedOutput(); err != nil {
		t.Errorf("what nobody has said yet cannot be waited for: %v\n%s", err, out)
	}
}
