// Command evaluation measures what a run of an agent costs beside its own work:
// forks, diffs, many forks at once. It starts the built program on a fresh folder
// and compares acts that take turns within one run, so that the ratios hold on a
// machine that is busy with something else too.
//
//	go run ./test/load/evaluation -bin bin/understudy -out docs/performance/evaluation.md
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	bin := flag.String("bin", "bin/understudy", "the binary to measure")
	dir := flag.String("dir", ".cache/bench-evaluation", "folder for data; emptied before and after")
	out := flag.String("out", "", "file for the page, empty for none")
	rounds := flag.Int("rounds", 100, "how often each act is measured")
	flag.Parse()
	if err := run(*bin, *dir, *out, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(bin, dir, out string, rounds int) error {
	if err := os.Setenv("UNDERSTUDY_BIN", bin); err != nil {
		return err
	}
	text, err := measure(dir, rounds)
	if err != nil {
		return err
	}
	page := fmt.Sprintf("# The evaluation loop\n\nWritten by `make bench-evaluation` on %s: %d processor cores, %s/%s, %s, SQLite, the demo world, over HTTP, the loader on the same machine; %d rounds, the acts in turn.\n\n%s",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), rounds, text)
	fmt.Print(page)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(page), 0o644)
}
