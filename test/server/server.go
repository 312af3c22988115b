// Package server runs the real binary as a process of its own, for tests that
// see it only from outside: its addresses, its files and its exit status.
//
// It takes the binary named by UNDERSTUDY_BIN, or builds one.
package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
)

// ReadyWithin bounds the wait for /healthz after a start.
const ReadyWithin = time.Minute

// Resident returns the resident memory of the server in MiB. It skips the test where the system does not say.
func (s *Server) Resident(t testing.TB) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	_, text, _ := strings.Cut(string(b), "VmRSS:")
	var kib int
	if _, err := fmt.Sscan(text, &kib); err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// CPU returns the processor time that the server has used, which the system
// counts in hundredths of a second.
func (s *Server) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	var ticks int64
	for _, at := range []int{11, 12} { // user and system
		var n int64
		if _, err := fmt.Sscan(string(fields[at]), &n); err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// Options say how to start a server. The zero value is a fresh one with default flags.
type Options struct {
	Dir    string   // data folder; the caller removes it. Required.
	Listen string   // HOST:PORT; a free port on loopback when empty
	Args   []string // further flags of serve
	Env    []string // further variables, NAME=value
	Client *http.Client
	Scheme string // http when empty
}

// Server is a running process.
type Server struct {
	URL    string // scheme://HOST:PORT, no slash at the end
	Listen string
	Dir    string
	Took   time.Duration // from start to the first answer of /healthz

	cmd    *exec.Cmd
	output *lockedBuffer
	done   chan struct{}
}

// Binary returns the path of the program to test: what UNDERSTUDY_BIN names at this
// moment, so that a process can start several programs, or one that is built once for
// each process that asks.
func Binary() (string, error) {
	bin := os.Getenv("UNDERSTUDY_BIN")
	if bin == "" {
		return built()
	}
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("UNDERSTUDY_BIN: %w", err)
	}
	return bin, nil
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "understudy-bin-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "understudy")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "./cmd/understudy")
	build.Dir = root()
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/understudy: %w\n%s", err, out)
	}
	return bin, nil
})

// root returns the folder of the module, in which every test runs and every measurement is started. The names of source
// files in a program do not say it: tests are built without them, as the program is, so that both share what is compiled.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// FreeAddress returns a loopback address that nobody listens on at this moment.
func FreeAddress() (string, error) {
	port, err := throwaway.Port()
	return fmt.Sprintf("127.0.0.1:%d", port), err
}

// Start runs the server and returns when /healthz answers 200.
func Start(o Options) (*Server, error) {
	bin, err := Binary()
	if err != nil {
		return nil, err
	}
	if o.Listen == "" {
		if o.Listen, err = FreeAddress(); err != nil {
			return nil, err
		}
	}
	if o.Scheme == "" {
		o.Scheme = "http"
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 2 * time.Second}
	}
	s := &Server{URL: o.Scheme + "://" + o.Listen, Listen: o.Listen, Dir: o.Dir, output: &lockedBuffer{}, done: make(chan struct{})}
	s.cmd = exec.Command(bin, append([]string{"serve", "--listen", o.Listen, "--data", o.Dir}, o.Args...)...)
	s.cmd.Env = append(cleanEnvironment(), o.Env...)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	if err := s.waitReady(o.Client, began); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// cleanEnvironment is this process's environment without Understudy's own variables.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNDERSTUDY_") {
			env = append(env, v)
		}
	}
	return env
}

func (s *Server) waitReady(c *http.Client, began time.Time) error {
	for time.Since(began) < ReadyWithin {
		select {
		case <-s.done:
			return fmt.Errorf("the server ended with status %d before it was ready:\n%s", s.cmd.ProcessState.ExitCode(), s.Output())
		default:
		}
		if resp, err := c.Get(s.URL + "/healthz"); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				s.Took = time.Since(began)
				return nil
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return fmt.Errorf("/healthz was not 200 within %s:\n%s", ReadyWithin, s.Output())
}

// PID is the process id.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Output is what the process wrote so far, both streams together.
func (s *Server) Output() string { return s.output.String() }

// Kill ends the process as a power cut would: SIGKILL, nothing flushed.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}

// Signal sends sig and does not wait.
func (s *Server) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Wait returns the exit status, or an error when the process still runs after d.
func (s *Server) Wait(d time.Duration) (int, error) {
	select {
	case <-s.done:
		return s.cmd.ProcessState.ExitCode(), nil
	case <-time.After(d):
		return 0, fmt.Errorf("the server still runs after %s", d)
	}
}

// Stop sends SIGTERM and waits; a process that does not end in time is killed.
// A process that ended before is left alone.
func (s *Server) Stop() error {
	select {
	case <-s.done:
		return nil
	default:
	}
	if err := s.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	status, err := s.Wait(15 * time.Second)
	if err != nil {
		s.Kill()
		return err
	}
	if status != 0 {
		return fmt.Errorf("exit status %d after SIGTERM:\n%s", status, s.Output())
	}
	return nil
}

// Run runs the binary to its end and returns its exit status and both streams.
func Run(ctx context.Context, env []string, args ...string) (status int, stdout, stderr string, err error) {
	bin, err := Binary()
	if err != nil {
		return 0, "", "", err
	}
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env = append(cleanEnvironment(), env...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && ctx.Err() == nil {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), out.String(), errOut.String(), err
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// ReadCredentials reads credentials.json as it is at this moment.
func (s *Server) ReadCredentials(into any) error {
	b, err := os.ReadFile(filepath.Join(s.Dir, "credentials.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
