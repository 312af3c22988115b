//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// group is a command with the processes of its group and, on Linux, those that
// have left it.
type group struct {
	cmd  *exec.Cmd
	mark string
}

// startGroup starts a command as the first of a process group.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	mark, err := startChild(cmd)
	return group{cmd, mark}, err
}

// wait waits for the end of the command and kills the processes that it left.
func (g group) wait() error {
	err := waitChild(g.cmd)
	g.kill()
	endStrays(g.mark)
	return err
}

// end sends SIGTERM to the processes of the group.
func (g group) end() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the processes of the group.
func (g group) kill() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }
