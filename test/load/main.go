// Command load measures the server against a bare net/http server that
// answers a fixed body of the same size: same machine, same generator, turn by
// turn in one run, so that the ratio says what our code costs and not what the
// machine can do.
//
// It starts the binary itself on a fresh folder, speaks only the public wire,
// and writes its table to docs/performance/messaging.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// settings are the flags.
type settings struct {
	bin         string
	dir         string
	out         string
	messages    int64
	fillTime    time.Duration
	duration    time.Duration
	rounds      int
	connections int
	searches    int
}

func main() {
	var (
		s       settings
		quick   bool
		yardMan bool
	)
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.out, "out", "docs/performance/messaging.md", "file for the table, empty for none")
	flag.Int64Var(&s.messages, "messages", 1_000_000, "messages in the large channel")
	flag.DurationVar(&s.fillTime, "fill-time", 240*time.Second, "longest time spent filling the large channel")
	flag.DurationVar(&s.duration, "duration", 2*time.Second, "length of a round")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds, each of server and yardstick")
	flag.IntVar(&s.connections, "connections", 64, "connections that send at once")
	flag.IntVar(&s.searches, "searches", 400, "searches measured")
	flag.BoolVar(&quick, "quick", false, "a look within 20 seconds: 20,000 messages, short rounds, no file written")
	flag.BoolVar(&yardMan, "reference", false, "be the bare net/http server")
	flag.Parse()
	if quick {
		s.messages, s.fillTime, s.duration, s.rounds, s.searches, s.out = 20_000, 5*time.Second, 300*time.Millisecond, 3, 100, ""
	}
	run := func() error { return bench(s) }
	if yardMan {
		run = serveReference
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(s settings) error {
	bin, err := filepath.Abs(s.bin)
	if err != nil {
		return err
	}
	if err := os.Setenv("UNDERSTUDY_BIN", bin); err != nil {
		return err
	}
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return err
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	rep := &report{began: time.Now(), settings: s}
	if err := measureSmall(s, rep); err != nil {
		return fmt.Errorf("on a small folder: %w", err)
	}
	if err := measureLarge(s, rep); err != nil {
		return fmt.Errorf("on a large folder: %w", err)
	}
	return rep.write()
}
