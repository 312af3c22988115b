// Command environments measures the life cycle of environments through the
// admin plane of the built program, which it starts on a fresh folder: how long
// it takes to make, fork, put back and remove one, what an open and a closed one
// cost in memory, and what ten thousand of them are like.
//
//	go run ./test/load/environments -bin bin/understudy -out docs/performance/environments.md
//
// Loader and server share the machine. In the same run it copies a file of the
// same size to the same disk and asks for /api/health, as yardsticks.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"understudy/test/load/databases"
)

// settings are the flags.
type settings struct {
	bin, dir, out string
	rounds        int
	open, made    int
	worlds        int
	sqlite        bool
	postgres      bool
}

func main() {
	var s settings
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench-environments", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.out, "out", "", "file for the page, empty for none")
	flag.IntVar(&s.rounds, "rounds", 100, "how often each act is measured")
	flag.IntVar(&s.open, "open", 300, "environments that are open at once")
	flag.IntVar(&s.worlds, "worlds", 1000, "environments that are asked and written to in turn, 0 for none")
	flag.IntVar(&s.made, "made", 10_000, "environments made in all")
	flag.BoolVar(&s.sqlite, "sqlite", true, "measure SQLite")
	flag.BoolVar(&s.postgres, "postgres", true, "measure PostgreSQL too, on a throw-away server")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	if err := os.Setenv("UNDERSTUDY_BIN", s.bin); err != nil {
		return err
	}
	page := fmt.Sprintf("# Environments\n\nWritten by `make bench-environments` on %s: %d processor cores, %s/%s, %s, durable, over HTTP, the loader on the same machine.\n",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if s.sqlite {
		text, err := measure(s, "SQLite", "")
		if err != nil {
			return err
		}
		page += text
	}
	if s.postgres {
		text, err := onPostgres(s)
		if err != nil {
			return err
		}
		page += text
	}
	if s.out == "" {
		return nil
	}
	return os.WriteFile(s.out, []byte(page), 0o644)
}

// onPostgres measures less: its figures are for information, not bound to goals.
func onPostgres(s settings) (string, error) {
	p, err := databases.Start(filepath.Dir(s.dir)) // s.dir is emptied
	if err != nil || p == nil {
		return "", err
	}
	defer p.Stop()
	url, err := p.Database("bench")
	if err != nil {
		return "", err
	}
	s.rounds, s.open, s.made, s.worlds = min(s.rounds, 10), 0, 0, 0
	return measure(s, "PostgreSQL", url)
}
