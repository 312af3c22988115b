package throwaway_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/platform/store/storetest/throwaway"
)

// waits is the variable of the program that TestMain is then: it starts a server and waits.
const waits = "UNDERSTUDY_TEST_WAITS"

func TestMain(m *testing.M) {
	if os.Getenv(waits) == "" {
		os.Exit(m.Run())
	}
	s, err := throwaway.Start()
	if errors.Is(err, throwaway.ErrNone) {
		fmt.Println("none")
		return
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	processes, err := s.Processes()
	fmt.Println("started", processes, err)
	select {}
}

func TestAnInterruptedProgramStopsItsServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil { // the server has an account of its own
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), waits+"=1", "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line == "none\n" {
		t.Skip(throwaway.ErrNone)
	}
	list, ok := strings.CutPrefix(line, "started [")
	if !ok {
		t.Fatal(line)
	}
	var process int
	if _, err := fmt.Sscan(list, &process); err != nil {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process)); len(text) > 0 { // one that has ended and nobody asked about has none
		t.Errorf("process %d of the server is still there", process)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "understudy-postgres-*")); len(left) > 0 {
		t.Error("files are left:", left)
	}
}
