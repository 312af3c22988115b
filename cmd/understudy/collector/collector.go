// Package collector sets how often the garbage collector runs. Go initializes
// the packages that are ready in the order of their paths, so this one, which
// imports nothing of ours and whose path is the first of ours, is initialized
// before the packages that fill their tables at the start: with the usual
// setting the collector would run twice while they do.
package collector

import (
	"os"
	"runtime/debug"
)

// percent trades memory for time: what lives is small (10 MB at rest) and what
// requests and the start leave behind is much. The usual 100 collects seventy
// times a second under load, a third of the work. GOGC overrides it.
const percent = 300

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
