package main

import (
	"os"
	"runtime"
)

// addProcessor makes Go run goroutines on one thread more than there are
// processors: a thread that waits for the disk counts as running for 20 to 150 µs
// and more, and requests that are ready wait for it. GOMAXPROCS overrides it. See
// decision 0172.
func addProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
