// Package collector sets how often the garbage collector runs. Go initializes
// packages without open dependencies in the order of their paths. This one
// imports no package of this module, and its path sorts first, so that it is
// initialized before the packages that fill their tables: with the default
// setting the collector would run twice meanwhile.
package collector

import (
	"os"
	"runtime/debug"
)

// percent trades memory for time: the live heap is small (10 MB at rest), and
// requests produce much garbage. With the default of 100 the collector runs
// seventy times a second under load, a third of the work. GOGC overrides it.
const percent = 300

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
