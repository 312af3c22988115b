package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set when a release is built: -ldflags "-X main.version=…".
var version = "dev"

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	fmt.Printf("understudy %s (commit %s, %s)\n", version, commit, runtime.Version())
	return nil
}
