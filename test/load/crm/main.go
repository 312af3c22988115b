// Command crm measures the CRM through its public wire: it starts the binary
// on a fresh folder, fills a portal with contacts by batch/create, and times
// the searches and lists that must stay fast at a million records.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are the flags.
type settings struct {
	bin, dir, database, out string
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
	flag.StringVar(&s.database, "database", "", "a postgres:// URL to measure instead of SQLite files; its default environment must be new")
	flag.StringVar(&s.out, "out", "docs/performance-crm.md", "file for the table, empty for none")
	flag.IntVar(&s.contacts, "contacts", 1_000_000, "contacts in the portal")
	flag.DurationVar(&s.fillTime, "fill-time", 10*time.Minute, "longest time spent filling the portal")
	flag.IntVar(&s.connections, "connections", 4, "connections that write at once")
	flag.BoolVar(&s.keep, "keep", false, "measure the contacts that an earlier run with -keep left in the folder, or leave them there")
	flag.StringVar(&s.only, "only", "", "measure only the searches whose names contain this")
	flag.IntVar(&s.searches, "searches", 300, "searches measured of each kind")
	flag.Parse()
	if err := bench(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
