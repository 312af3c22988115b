// Command postgres measures writes on PostgreSQL beside the same writes on
// SQLite: the binary on a fresh folder and on a fresh database, turn by turn in
// one run, so that the ratio says what the other database costs and not what the
// machine can do at that moment.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"understudy/test/load/databases"
	"understudy/test/load/wire"
)

// settings are the flags.
type settings struct {
	bin, dir, out string
	duration      time.Duration
	rounds        int
	only          string
}

func main() {
	var s settings
	flag.StringVar(&s.bin, "bin", "bin/understudy", "the binary to measure")
	flag.StringVar(&s.dir, "dir", ".cache/bench-postgres", "folder for data, on the disk to measure; emptied before and after")
	flag.StringVar(&s.out, "out", "docs/performance/postgres.md", "file for the table, empty for none")
	flag.DurationVar(&s.duration, "duration", 2*time.Second, "length of a round")
	flag.IntVar(&s.rounds, "rounds", 7, "rounds of each database")
	flag.StringVar(&s.only, "only", "", "measure only the calls whose names contain this")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(s settings) (err error) {
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
	database, err := databases.Start(s.dir)
	if err != nil || database == nil {
		return err
	}
	defer database.Stop()
	var subjects []*subject
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		sub, err := start(filepath.Join(s.dir, name), name, database)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, sub.Stop()) }()
		subjects = append(subjects, sub)
	}
	r := &report{settings: s, rates: map[string][2]float64{}}
	for _, group := range calls {
		if err := r.measure(group, subjects); err != nil {
			return err
		}
	}
	return r.write()
}

// round is what one round of load measured.
type round struct {
	wire.Result
	cpu // for each request
}

// measure runs the calls of a group on each subject, turn by turn.
func (r *report) measure(group []call, subjects []*subject) error {
	group = slices.DeleteFunc(slices.Clone(group), func(c call) bool { return !c.named(r.settings.only) })
	loads, rounds := make([][]wire.Load, len(group)), make([][][]round, len(group))
	for i, c := range group {
		loads[i], rounds[i] = make([]wire.Load, len(subjects)), make([][]round, len(subjects))
		for j, sub := range subjects {
			next, err := c.prepare(sub)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			loads[i][j] = wire.Load{Addr: sub.Listen, Connections: c.callers, Duration: r.settings.duration / 2, Next: next, Good: c.good}
			if _, err := loads[i][j].Run(); err != nil { // warm
				return fmt.Errorf("%s: %w", c.name, err)
			}
			loads[i][j].Duration = r.settings.duration
		}
	}
	for range r.settings.rounds {
		for j, sub := range subjects {
			for i, c := range group {
				before := sub.cpu()
				res, err := loads[i][j].Run()
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				used, count := sub.cpu(), time.Duration(max(1, res.Count))
				rounds[i][j] = append(rounds[i][j], round{res, cpu{(used.server - before.server) / count, (used.database - before.database) / count}})
			}
		}
	}
	for i, c := range group {
		r.line(c, rounds[i][0], rounds[i][1])
	}
	return nil
}
