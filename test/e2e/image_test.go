package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

// The image, as its Dockerfile says: the program in an otherwise empty file
// system, as nobody, with the variables of the image and no other; and its own
// health check.
func TestTheImageRunsAndIsHealthy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, image, found := strings.Cut(string(text), "\nFROM scratch\n")
	if !found {
		t.Fatal("the image is not made from scratch")
	}
	line := func(pattern string) string {
		m := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringSubmatch(image)
		if m == nil {
			t.Fatalf("the Dockerfile has no line %s", pattern)
		}
		return m[1]
	}
	program := line(`ENTRYPOINT \["(.*)"\]`)
	if check := line(`HEALTHCHECK .*CMD \[(.*)\]`); check != `"`+program+`", "health"` || line(`CMD \["(.*)"\]`) != "serve" || line(`USER (\d+):\d+`) == "0" {
		t.Error("the Dockerfile does not say what this test runs")
	}
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^ENV (\S+)$`).FindAllStringSubmatch(image, -1) {
		env = append(env, strings.Replace(m[1], "0.0.0.0:4400", "0.0.0.0"+address[strings.LastIndex(address, ":"):], 1))
	}
	if len(env) < 3 {
		t.Fatalf("the image has the variables %q", env)
	}
	start := inImage(t, program, env)
	s := start("serve")
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = s.Process.Signal(syscall.SIGTERM)
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	}()
	for began := time.Now(); ; {
		out, err := start("health").CombinedOutput()
		if err == nil {
			if string(out) != "ready\n" {
				t.Errorf("%q", out)
			}
			return
		}
		if time.Since(began) > server.ReadyWithin {
			t.Fatalf("never healthy: %v\n%s", err, out)
		}
		oneLine(t, string(out))
		time.Sleep(20 * time.Millisecond)
	}
}

// inImage returns how to run the program in a file system like the image's.
// Only root may do that: others run it as they are, with a data folder of their own.
func inImage(t *testing.T, program string, env []string) func(verb string) *exec.Cmd {
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	data := filepath.Join(root, "data")
	if os.Getuid() != 0 {
		env = append(env, "UNDERSTUDY_DATA="+data)
		return func(verb string) *exec.Cmd {
			cmd := exec.Command(bin, verb)
			cmd.Env = env
			return cmd
		}
	}
	code, err := os.ReadFile(bin)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, program), code, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{data: 0o700, filepath.Join(root, "tmp"): 0o777 | os.ModeSticky, root: 0o755} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Skip("this process may own no other file: ", err)
	}
	return func(verb string) *exec.Cmd {
		cmd := exec.Command(program, verb)
		cmd.Env, cmd.Dir = env, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		return cmd
	}
}

func TestHealthSaysWhyNot(t *testing.T) {
	t.Parallel()
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args   []string
		status int
		said   string
	}{
		{[]string{"health", "--listen", address}, 1, "does not answer"},
		{[]string{"health", "--listen", "nowhere"}, 2, "HOST:PORT"},
	} {
		status, _, stderr := run(t, nil, row.args...)
		if status != row.status || !strings.Contains(stderr, row.said) {
			t.Errorf("%q: %d %s", row.args, status, stderr)
		}
		oneLine(t, stderr)
	}
	s, _ := server.New(t)
	if status, out, stderr := run(t, []string{"UNDERSTUDY_LISTEN=" + s.Listen}, "health"); status != 0 || out != "ready\n" {
		t.Errorf("%d %s%s", status, out, stderr)
	}
}
