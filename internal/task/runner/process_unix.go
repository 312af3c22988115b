//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// group is a command with the processes of its group.
type group struct{ cmd *exec.Cmd }

// startGroup starts a command as the first of a process group.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return group{cmd}, startChild(cmd)
}

// end asks the processes of the group to end.
func (g group) end() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the processes of the group.
func (g group) kill() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }
