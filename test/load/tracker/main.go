// Command tracker measures the issue tracker over HTTP, at a thousand issues
// and at half a million, turn by turn with one process of graphql-js that
// serves the same data from memory and with a bare net/http server that sends
// the same bytes. It starts the binary itself on a fresh folder and speaks only
// the public wire; Node runs the official client, whose requests it repeats.
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
	bin, dir, out string
	peer          string // folder of the Node programs
	schema        string
	few, many     int
	postgresMany  int
	postgres      bool
	fillTime      time.Duration
	duration      time.Duration
	rounds        int
	connections   int
	keep, fill    bool
}

func main() {
	var s settings
	var yardstick string
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench-tracker", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.out, "out", "docs/performance/tracker.md", "file for the table, empty for none")
	flag.StringVar(&s.peer, "peer", "test/load/tracker/peer", "folder of the Node programs, installed")
	flag.StringVar(&s.schema, "schema", "internal/tracker/graph/schema.graphql", "the schema that graphql-js serves")
	flag.IntVar(&s.few, "few", 1_000, "issues in the small organization")
	flag.IntVar(&s.many, "issues", 500_000, "issues in the large organization")
	flag.BoolVar(&s.postgres, "postgres", true, "measure PostgreSQL too, on a server that is started for it; not with -keep or -fill")
	flag.IntVar(&s.postgresMany, "postgres-issues", 100_000, "issues in the large organization on PostgreSQL, where filling takes longer")
	flag.DurationVar(&s.fillTime, "fill-time", 10*time.Minute, "longest time spent filling an organization")
	flag.DurationVar(&s.duration, "duration", time.Second, "length of a round")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds, each of every server")
	flag.IntVar(&s.connections, "connections", 16, "connections that send at once")
	flag.BoolVar(&s.keep, "keep", false, "measure the folders that an earlier run with -keep filled, or leave them there")
	flag.BoolVar(&s.fill, "fill", false, "only fill the folders, for a run with -keep")
	flag.StringVar(&yardstick, "yardstick", "", "be the bare net/http server of the replies in this folder")
	flag.Parse()
	run := func() error { return bench(s) }
	if yardstick != "" {
		run = func() error { return serveBare(yardstick) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(s settings) (err error) {
	for _, path := range []*string{&s.bin, &s.dir, &s.peer, &s.schema} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := os.Setenv("UNDERSTUDY_BIN", s.bin); err != nil {
		return err
	}
	if !s.keep && !s.fill {
		if err := os.RemoveAll(s.dir); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(s.dir) }()
	}
	sent, err := clientRequests(s.peer)
	if err != nil {
		return fmt.Errorf("the official client's requests: %w", err)
	}
	var database *throwaway.Server // nil where PostgreSQL is not measured
	if s.postgres && !s.keep && !s.fill {
		if database, err = databases.Start(s.dir); err != nil {
			return err
		}
		if database != nil {
			defer database.Stop()
		}
	}
	r := &report{settings: s, began: time.Now(), postgres: database != nil}
	for i, issues := range []int{s.few, s.many} {
		var beside *size
		if database != nil {
			if beside, err = s.filled(database, []int{s.few, s.postgresMany}[i]); err != nil {
				return fmt.Errorf("on PostgreSQL: %w", err)
			}
			defer beside.subject.Kill()
		}
		m, err := measure(s, sent, issues, beside)
		if err != nil {
			return fmt.Errorf("with %d issues: %w", issues, err)
		}
		defer m.subject.Kill()
		r.sizes = append(r.sizes, m)
	}
	if s.fill {
		return nil
	}
	var all []*size
	for i := range r.sizes {
		for m := &r.sizes[i]; m != nil; m = m.beside {
			all = append(all, m)
		}
	}
	if err := s.compare(all, sent["issues"]); err != nil {
		return err
	}
	for _, m := range all {
		if m.memory, m.filePages, err = resident(m.subject.PID()); err != nil {
			return err
		}
	}
	return r.write()
}
