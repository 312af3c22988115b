//go:build unix && !linux

package runner

import "os/exec"

// startChild starts a command. It goes on running when this program is killed.
func startChild(cmd *exec.Cmd) error { return cmd.Start() }
