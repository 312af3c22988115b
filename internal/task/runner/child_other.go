//go:build unix && !linux

package runner

import "os/exec"

// startChild starts a command. It keeps running if this program is killed.
func startChild(cmd *exec.Cmd) (mark string, err error) { return "", cmd.Start() }

// waitChild waits for the end of a command.
func waitChild(cmd *exec.Cmd) error { return cmd.Wait() }

// endStrays does nothing: processes that have left the group of a command keep
// running.
func endStrays(string) {}
