//go:build !linux

package memory

import "runtime/debug"

// ReleaseStartup returns to the system what only starting needed.
func ReleaseStartup() { debug.FreeOSMemory() }
