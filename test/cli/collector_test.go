package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"understudy/test/server"
)

// The collector's setting is made before packages fill their tables: otherwise it
// runs while they do, which is a tenth of the work of a start.
func TestNothingIsCollectedWhileTablesAreFilled(t *testing.T) {
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(bin, "version")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOGC=") && !strings.HasPrefix(v, "GOMEMLIMIT=") {
			command.Env = append(command.Env, v)
		}
	}
	command.Env = append(command.Env, "GODEBUG=gctrace=1")
	out, err := command.CombinedOutput()
	if err != nil || strings.Contains(string(out), "gc 1 @") {
		t.Errorf("%v, %s", err, out)
	}
}
