package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	grace   = 5 * time.Second // between SIGTERM and SIGKILL
	mostOut = 32 << 10        // bytes of the end of a program's output that are kept
)

// program describes a process to start.
type program struct {
	words []string
	dir   string   // the working folder
	base  string   // the directory for a relative path
	env   []string // NAME=value
}

// process is a running program with all processes that it has started.
type process struct {
	group  group
	output *tail
	ended  chan struct{} // closed when the program has ended and its group is gone
	status int           // the exit status; -1 after a signal
}

// find returns the path of a program; a name without a directory is searched in
// PATH.
func (p *program) find() (string, error) {
	name := p.words[0]
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.base, name)
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("command not found: %w", err)
	}
	return filepath.Abs(path)
}

// start starts a program in a process group of its own.
func (p *program) start() (*process, error) {
	path, err := p.find()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, p.words[1:]...)
	cmd.Args[0] = p.words[0]
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, w, w
	g, err := startGroup(cmd)
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("%s cannot be started: %w", p.words[0], err)
	}
	out := &process{group: g, output: &tail{}, ended: make(chan struct{}), status: -1}
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(out.output, r)
		close(copied)
	}()
	go func() {
		err := g.wait()
		if exit := new(exec.ExitError); err == nil || errors.As(err, &exit) {
			out.status = cmd.ProcessState.ExitCode()
		}
		select { // a process that could not be killed may hold the pipe open
		case <-copied:
		case <-time.After(time.Second):
		}
		_ = r.Close()
		<-copied
		close(out.ended)
	}()
	return out, nil
}

// stop terminates a process group: it sends SIGTERM, waits for grace, and sends
// SIGKILL. now ends the wait.
func (p *process) stop(now <-chan struct{}) {
	select {
	case <-p.ended:
		return
	default:
	}
	p.group.end()
	select {
	case <-p.ended:
		return
	case <-now:
	case <-time.After(grace):
	}
	p.group.kill()
	<-p.ended
}

// wait waits until a process or ctx ends.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tail keeps the end of what is written to it, and counts the omitted bytes.
type tail struct {
	mu   sync.Mutex
	text []byte
	lost int64 // bytes omitted before text
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - mostOut; over > mostOut {
		t.text, t.lost = t.text[:copy(t.text, t.text[over:])], t.lost+int64(over)
	}
	return len(p), nil
}

// String returns the end of what was written. If bytes were omitted, its first
// line contains their number.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, lost := t.text, t.lost
	if over := len(text) - mostOut; over > 0 {
		text, lost = text[over:], lost+int64(over)
	}
	s := strings.ToValidUTF8(string(text), "�")
	if lost > 0 {
		s = fmt.Sprintf("[%d bytes before this were not kept]\n", lost) + s
	}
	return s
}
