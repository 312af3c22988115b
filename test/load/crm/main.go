// Command crm measures the CRM through its public wire: it starts the binary
// on a fresh folder, fills a portal with contacts by batch/create, and times
// the searches and lists that must stay fast at a million records; on SQLite,
// then on PostgreSQL.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"understudy/test/load/databases"
)

// settings are the flags.
type settings struct {
	bin, dir, database, out string
	sqlite, postgres        bool
	contacts                int
	fillTime                time.Duration
	connections             int
	searches                int
	keep                    bool
	only                    string
}

func main() {
	var s settings
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench-crm", "folder for data, on the disk to measure; emptied before and after")
	flag.BoolVar(&s.sqlite, "sqlite", true, "measure SQLite")
	flag.BoolVar(&s.postgres, "postgres", true, "measure PostgreSQL, on a server that is started for it")
	flag.StringVar(&s.database, "database", "", "a postgres:// URL to measure instead of a server of its own; its default environment must be new, or kept")
	flag.StringVar(&s.out, "out", "docs/performance/crm.md", "file for the table, empty for none")
	flag.IntVar(&s.contacts, "contacts", 1_000_000, "contacts in the portal")
	flag.DurationVar(&s.fillTime, "fill-time", 20*time.Minute, "longest time spent filling the portal")
	flag.IntVar(&s.connections, "connections", 4, "connections that write at once")
	flag.BoolVar(&s.keep, "keep", false, "measure the contacts that an earlier run with -keep left, or leave them there; on PostgreSQL, with -database")
	flag.StringVar(&s.only, "only", "", "measure only the searches whose names contain this")
	flag.IntVar(&s.searches, "searches", 300, "searches measured of each kind")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil { // PostgreSQL's account has to get in
		return err
	}
	var reports []*report
	if s.sqlite {
		r, err := bench(s, "SQLite", "")
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if s.postgres {
		url, stop, err := postgres(s)
		if err != nil {
			return err
		}
		if url == "" {
			return write(s, reports)
		}
		defer stop()
		r, err := bench(s, "PostgreSQL", url)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return write(s, reports)
}

// postgres returns the URL to measure, and a function that ends the server that
// was started for it. The URL is empty where no server is installed.
func postgres(s settings) (url string, stop func(), err error) {
	if s.database != "" {
		return s.database, func() {}, nil
	}
	p, err := databases.Start(s.dir)
	if err != nil || p == nil {
		return "", nil, err
	}
	return p.URL, p.Stop, nil
}
