package cli

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/test/server"
)

// A server runs goroutines on one thread more than there are processors, unless
// GOMAXPROCS is set.
func TestAServerRunsOnOneThreadMore(t *testing.T) {
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set         string
		more, lines int
	}{{"", 1, 4000}, {"5", 0, 100}} {
		command := exec.Command(bin, "serve", "--temporary", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
		command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMAXPROCS=") })
		if c.set != "" {
			command.Env = append(command.Env, "GOMAXPROCS="+c.set)
		}
		command.Env = append(command.Env, "GODEBUG=schedtrace=5")
		input, err := command.StdinPipe() // open until the last line is read: the server stops at its end
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := command.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		first, last := 0, 0
		threads := regexp.MustCompile(`gomaxprocs=(\d+)`)
		lines := bufio.NewScanner(stderr)
		for n := 0; n < c.lines && lines.Scan(); n++ { // one each 5 ms
			if m := threads.FindStringSubmatch(lines.Text()); m != nil {
				last, _ = strconv.Atoi(m[1])
				if first == 0 { // before the program begins
					first = last
				}
			}
			if c.more > 0 && last != first {
				break
			}
		}
		_ = input.Close()
		for lines.Scan() {
		}
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
		if first == 0 || last != first+c.more || c.set != "" && strconv.Itoa(last) != c.set {
			t.Errorf("GOMAXPROCS=%s: %d threads at the beginning, then %d", c.set, first, last)
		}
	}
}
