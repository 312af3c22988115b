//go:build !unix

package runner

import "os/exec"

// There are no process groups that signals reach: the program alone is ended.

func inGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
