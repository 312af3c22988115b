// Command ingest measures ingestion and reading against the built program, on
// SQLite and on PostgreSQL, over HTTP on loopback, and DuckDB on the same events:
//
//	go run ./test/load/ingest -bin bin/understudy
//
// Loader and server share the machine. Every request waits for its reply, so
// each figure is of durable writes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"understudy/test/load/databases"
)

type settings struct {
	bin, dir, peer, out          string
	sqlite, postgres, duckdb     bool
	rates                        bool
	events, singles, spans       int
	maintained                   int
	connections, manyConnections int
}

func main() {
	var s settings
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench-ingest", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.peer, "peer", "test/load/ingest/peer", "folder of DuckDB's program, installed")
	flag.StringVar(&s.out, "out", "docs/performance/ingest.md", "file for the tables, empty for none")
	flag.BoolVar(&s.sqlite, "sqlite", true, "measure SQLite")
	flag.BoolVar(&s.postgres, "postgres", true, "measure PostgreSQL, on a server that is started for it")
	flag.BoolVar(&s.duckdb, "duckdb", true, "measure DuckDB on the same events")
	flag.BoolVar(&s.rates, "rates", false, "measure only the rate of batches, also of a program from before --lazy-events")
	flag.IntVar(&s.events, "events", 2_000_000, "events that questions are asked of")
	flag.IntVar(&s.singles, "singles", 25_000, "events sent one by one")
	flag.IntVar(&s.spans, "spans", 60_000, "spans sent by OTLP")
	flag.IntVar(&s.maintained, "maintained", 1_000_000, "events that are sent one by one, maintained and compared with batches; 0 for none")
	flag.IntVar(&s.connections, "connections", 4, "connections that send batches")
	flag.IntVar(&s.manyConnections, "many-connections", 32, "connections that send single events")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(s settings) (err error) {
	for _, path := range []*string{&s.bin, &s.dir, &s.peer} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := os.Setenv("UNDERSTUDY_BIN", s.bin); err != nil {
		return err
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil { // PostgreSQL's account has to get in
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	var r report
	if s.sqlite {
		if err := measure(s, r.column("SQLite"), func() (string, error) { return "", nil }); err != nil {
			return err
		}
	}
	if s.postgres {
		if err := measurePostgres(s, &r); err != nil {
			return err
		}
	}
	if s.duckdb {
		if err := measureDuckDB(s, &r); err != nil {
			return fmt.Errorf("DuckDB: %w", err)
		}
	}
	return r.write(s)
}

func measurePostgres(s settings, r *report) error {
	p, err := databases.Start(s.dir)
	if err != nil || p == nil {
		return err
	}
	defer p.Stop()
	n := 0
	database := func() (string, error) {
		n++
		return p.Database(fmt.Sprintf("bench_%d", n))
	}
	return measure(s, r.column("PostgreSQL"), database)
}

// measure measures everything on one kind of database. database returns the URL
// of a new one.
func measure(s settings, c *column, database func() (string, error)) error {
	if s.rates {
		return batchRate(s, c, database)
	}
	if err := attended(s, c, database); err != nil {
		return err
	}
	if err := dashboard(s, c, database); err != nil {
		return err
	}
	if s.maintained == 0 {
		return nil
	}
	return compareMaintained(s, c, database)
}
