// Package throwaway starts a temporary PostgreSQL server on loopback for tests
// and measurements.
package throwaway

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// ErrNone means that PostgreSQL is not installed on this machine.
var ErrNone = errors.New("no PostgreSQL server is installed (initdb and pg_ctl were not found)")

// Server is a running server.
type Server struct {
	URL  string
	dir  string
	bin  string
	cred *syscall.Credential

	forget func() // stops the handling of signals
}

// Start creates a cluster and starts its server on a free port, without
// durability, in memory if there is enough. It returns ErrNone if PostgreSQL is
// not installed.
func Start() (*Server, error) {
	return start(inMemory(), "fsync=off", "max_connections=300", "shared_buffers=64MB", "max_wal_size=256MB")
}

// StartIn is Start with the cluster on the disk, in a new directory below parent
// ("" for the system's temporary one), and with settings such as
// "shared_buffers=512MB". For root it always uses the temporary directory: the
// server's user may not be able to access others.
func StartIn(parent string, settings ...string) (*Server, error) {
	if os.Getuid() == 0 {
		parent = ""
	}
	return start(parent, settings...)
}

func start(parent string, settings ...string) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "understudy-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin}
	s.stopWhenInterrupted()
	if err := s.start(settings); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// stopWhenInterrupted stops the server when the program is interrupted.
func (s *Server) stopWhenInterrupted() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	s.forget = sync.OnceFunc(func() {
		signal.Stop(told)
		close(ended)
	})
	go func() {
		select {
		case <-ended:
		case <-told:
			s.Stop()
			os.Exit(1)
		}
	}()
}

func (s *Server) start(settings []string) error {
	if os.Getuid() == 0 { // the server refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			if u, err = user.Lookup("nobody"); err != nil {
				return err
			}
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		s.cred = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
	}
	data := filepath.Join(s.dir, "data")
	if err := s.run("initdb", "-D", data, "-U", "understudy", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	port, err := Port()
	if err != nil {
		return err
	}
	options := fmt.Sprintf("-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=''", port)
	for _, set := range settings {
		options += " -c " + set
	}
	if err := s.run("pg_ctl", "-D", data, "-w", "-l", filepath.Join(s.dir, "log"), "-o", options, "start"); err != nil {
		return err
	}
	s.URL = fmt.Sprintf("postgres://understudy@127.0.0.1:%d/postgres?sslmode=disable", port)
	return nil
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(name string) (string, error) {
	if err := s.run("createdb", "--maintenance-db="+s.URL, name); err != nil {
		return "", err
	}
	return strings.Replace(s.URL, "/postgres?", "/"+name+"?", 1), nil
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() {
	s.forget()
	_ = s.Resume() // a paused server does not stop
	if s.URL != "" {
		_ = s.run("pg_ctl", "-D", filepath.Join(s.dir, "data"), "-m", "immediate", "stop")
	}
	_ = os.RemoveAll(s.dir)
}

func (s *Server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	if s.cred != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred}
	}
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log // the server would keep a pipe open
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return nil
}

func binaries() (string, error) {
	var dirs []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	sort.Sort(sort.Reverse(sort.StringSlice(debian)))
	for _, dir := range append(dirs, debian...) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", ErrNone
}

// Pause stops all processes of the server until Resume: connections remain open
// and get no replies.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Resume continues the server after Pause.
func (s *Server) Resume() error { return s.signal(syscall.SIGCONT) }

// signal sends a signal to each process of the server.
func (s *Server) signal(sig syscall.Signal) error {
	all, err := s.Processes()
	if err != nil {
		return err
	}
	if err := syscall.Kill(all[0], sig); err != nil {
		return err
	}
	for _, pid := range all[1:] {
		_ = syscall.Kill(pid, sig) // it may have ended
	}
	return nil
}

// Processes returns the ids of the server's processes: the main one, then its
// children.
func (s *Server) Processes() ([]int, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return nil, err
	}
	all := []int{server}
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(server)).Output()
	for _, child := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(child); err == nil {
			all = append(all, pid)
		}
	}
	return all, nil
}
