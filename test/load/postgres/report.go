package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/test/load/wire"
)

// report collects the lines of the table.
type report struct {
	settings settings
	lines    []string
}

// line adds the medians of a call on both databases.
func (r *report) line(c call, sqlite, postgres []round) {
	a, b := median(sqlite), median(postgres)
	goal := ""
	if ratio := b.Rate / a.Rate; c.goal > 0 {
		goal = fmt.Sprintf("%.2f or more: met", c.goal)
		if ratio < c.goal {
			goal = fmt.Sprintf("%.2f or more: missed", c.goal)
		}
	}
	show := func(m round) string {
		return fmt.Sprintf("%.0f/s, p50 %s, p99 %s, %d µs", m.Rate, m.P50.Round(10*time.Microsecond), m.P99.Round(10*time.Microsecond), m.cpu.Microseconds())
	}
	r.lines = append(r.lines, fmt.Sprintf("| %s | %d | %s | %s | %.2f | %s |", c.name, c.callers, show(a), show(b), b.Rate/a.Rate, goal))
	fmt.Fprintln(os.Stderr, r.lines[len(r.lines)-1])
}

func median(rounds []round) round {
	results, cpu := make([]wire.Result, len(rounds)), make([]time.Duration, len(rounds))
	for i, m := range rounds {
		results[i], cpu[i] = m.Result, m.cpu
	}
	slices.Sort(cpu)
	return round{wire.Median(results), cpu[len(cpu)/2]}
}

func (r *report) write() error {
	var b strings.Builder
	fmt.Fprintf(&b, "# PostgreSQL beside SQLite\n\nWritten by `make bench-postgres` on %s: %d processor cores, %s, durable commits, a load of at most %d callers on the same machine.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), 64)
	fmt.Fprintf(&b, "%d rounds of %s, turn by turn; medians. The time in µs is processor time of server and database for each request. PostgreSQL has `%s`, else as installed.\n\n",
		r.settings.rounds, r.settings.duration, strings.Join(databaseSettings, "`, `"))
	b.WriteString("| call | callers | SQLite | PostgreSQL | ratio of rates | goal |\n| --- | ---: | --- | --- | ---: | --- |\n")
	b.WriteString(strings.Join(r.lines, "\n") + "\n")
	if r.settings.out == "" {
		fmt.Print(b.String())
		return nil
	}
	return os.WriteFile(r.settings.out, []byte(b.String()), 0o644)
}
