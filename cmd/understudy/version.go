package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the build: -ldflags "-X main.version=… -X main.commit=…".
var (
	version = "dev"
	commit  = ""
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && commit == "" {
				commit = s.Value
			}
		}
	}
	if commit == "" {
		commit = "unknown"
	}
	fmt.Printf("understudy %s (commit %s, %s)\n", version, commit, runtime.Version())
	return nil
}
