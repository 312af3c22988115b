// Command load measures the server against a bare net/http server that
// answers a fixed body of the same size: same machine, same generator, turn by
// turn in one run, so that the ratio says what our code costs and not what the
// machine can do. It measures the server on SQLite and on PostgreSQL.
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

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/load/databases"
)

// settings are the flags.
type settings struct {
	bin         string
	dir         string
	out         string
	postgres    bool
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
		storing bool
	)
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.out, "out", "docs/performance/messaging.md", "file for the table, empty for none")
	flag.BoolVar(&s.postgres, "postgres", true, "measure PostgreSQL too, on a server that is started for it")
	flag.Int64Var(&s.messages, "messages", 1_000_000, "messages in the large channel of each database")
	flag.DurationVar(&s.fillTime, "fill-time", 240*time.Second, "longest time spent filling a large channel")
	flag.DurationVar(&s.duration, "duration", 2*time.Second, "length of a round")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds, each of server and yardstick")
	flag.IntVar(&s.connections, "connections", 64, "connections that send at once")
	flag.IntVar(&s.searches, "searches", 400, "searches measured")
	flag.BoolVar(&quick, "quick", false, "a look within a minute: 20,000 messages, short rounds, no file written")
	flag.BoolVar(&yardMan, "reference", false, "be the bare net/http server")
	flag.BoolVar(&storing, "storing", false, "be the bare server that stores rows, which standard input describes")
	flag.Parse()
	if quick {
		s.messages, s.fillTime, s.duration, s.rounds, s.searches, s.out = 20_000, 5*time.Second, 300*time.Millisecond, 3, 100, ""
	}
	run := func() error { return bench(s) }
	switch {
	case yardMan:
		run = serveReference
	case storing:
		run = serveStoring
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
	rep := &report{began: time.Now(), settings: s, databases: []*figures{{name: "SQLite"}}}
	if s.postgres {
		server, err := databases.Start(s.dir)
		if err != nil {
			return err
		}
		if server != nil {
			defer server.Stop()
			rep.databases = append(rep.databases, &figures{name: "PostgreSQL", server: server})
		}
	}
	if err := rep.on("small", measureSmall); err != nil {
		return fmt.Errorf("on a small folder: %w", err)
	}
	if err := rep.on("large", measureLarge); err != nil {
		return fmt.Errorf("on a large folder: %w", err)
	}
	return rep.write()
}

// on starts a server on a fresh folder with each database, measures, and stops them.
func (r *report) on(size string, measure func(r *report, subs []*subject) error) error {
	var subs []*subject
	defer func() {
		for _, sub := range subs {
			sub.Kill()
		}
	}()
	for _, f := range r.databases {
		sub, err := open(filepath.Join(r.settings.dir, size+"-"+f.name), size, f.server)
		if err != nil {
			return err
		}
		sub.figures = f
		subs = append(subs, sub)
	}
	if err := measure(r, subs); err != nil {
		return err
	}
	for _, sub := range subs {
		if err := sub.Stop(); err != nil {
			return err
		}
	}
	return nil
}

// open starts the server on a new folder, on SQLite or on a new database of a
// PostgreSQL server.
func open(dir, name string, database *throwaway.Server) (*subject, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	flags, err := databases.Flags(database, name)
	if err != nil {
		return nil, err
	}
	return start(dir, flags)
}
