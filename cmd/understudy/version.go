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
	fmt.Printf("understudy %s (commit %s, %s)\n", version, revision(), runtime.Version())
	return nil
}

// revision returns the commit that the program was built from, or "unknown".
func revision() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
