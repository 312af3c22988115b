package server

import (
	"os"
	"os/exec"
	"testing"
)

// NeedTools skips the test on a machine that lacks one of the programs; in CI, where a skipped test would hide what is
// broken, it fails the test.
func NeedTools(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", tool)
		}
		t.Skipf("skipped: %s is not installed", tool)
	}
}
