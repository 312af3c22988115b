// Command evaluation measures the costs of a run of an agent beyond the agent's own work:
// forks, diffs, verdicts, traces, many forks at once. It starts the built program on a
// fresh folder. It compares acts that alternate within one run, so that the ratios are
// also valid on a machine that is busy with other work.
//
//	go run ./test/load/evaluation -bin bin/understudy -out docs/performance/evaluation.md
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

func main() {
	bin := flag.String("bin", "bin/understudy", "the binary to measure")
	dir := flag.String("dir", ".cache/bench-evaluation", "folder for data; emptied before and after")
	out := flag.String("out", "", "file for the page, empty for none")
	rounds := flag.Int("rounds", 100, "how often each act is measured")
	postgres := flag.Bool("postgres", true, "measure PostgreSQL too, on a server that is started for it")
	quick := flag.Bool("quick", false, "a look within a minute: few rounds, without processor time, no file written")
	flag.Parse()
	a := amount{rounds: *rounds, forks: 100, times: 8, runs: 200}
	if *quick {
		a, onPostgres = few, few
		*out = ""
	}
	if err := run(*bin, *dir, *out, a, *postgres, !*quick); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(bin, dir, out string, a amount, withPostgres, withCosts bool) error {
	if err := os.Setenv("UNDERSTUDY_BIN", bin); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sqlite, err := measure(filepath.Join(dir, "sqlite"), nil, a)
	if err != nil {
		return err
	}
	var spent map[string]spread
	if withCosts {
		if spent, err = costs(); err != nil {
			return err
		}
	}
	var postgres *plane
	text := ""
	if withPostgres {
		if postgres, err = measurePostgres(dir); err != nil {
			return fmt.Errorf("on PostgreSQL: %w", err)
		}
	}
	if postgres != nil {
		text = fmt.Sprintf("PostgreSQL has %s. A fork is a schema with its tables there: %d rounds, %d forks at once and %d runs.\nAn environment in memory is one there too: only its line of the catalogue waits for no disk.\n\n",
			databases.Settings(), postgres.rounds, postgres.forks, postgres.runs)
	}
	page := fmt.Sprintf("# The evaluation loop\n\nWritten by `make bench-evaluation` on %s: %d processor cores, %s/%s, %s, SQLite, the demo world, over HTTP, the loader on the same machine; %d rounds, the acts in turn.\n\n%s%s",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), a.rounds, text, report(sqlite, postgres, spent))
	fmt.Print(page)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(page), 0o644)
}

// measurePostgres measures a server on PostgreSQL. It returns nil if PostgreSQL is not
// installed.
func measurePostgres(dir string) (*plane, error) {
	database, err := databases.Start(dir)
	if err != nil || database == nil {
		return nil, err
	}
	defer database.Stop()
	flags, err := databases.Flags(database, "evaluation")
	if err != nil {
		return nil, err
	}
	return measure(filepath.Join(dir, "postgres"), flags, onPostgres)
}
