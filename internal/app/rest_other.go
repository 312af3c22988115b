//go:build !linux

package app

import "runtime/debug"

// giveBack returns to the system what only starting needed.
func giveBack() { debug.FreeOSMemory() }
