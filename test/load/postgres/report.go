package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/test/load/databases"
	"understudy/test/load/wire"
)

// report collects the lines of the table.
type report struct {
	settings settings
	lines    []string
	rates    map[string][2]float64 // by call, on SQLite and PostgreSQL
}

// eventGoal is the least rate of single events, as a part of that of posts, on SQLite.
const eventGoal = 1.2

// line adds the medians of a call on both databases.
func (r *report) line(c call, sqlite, postgres []round) {
	a, b := median(sqlite), median(postgres)
	r.rates[c.name] = [2]float64{a.Rate, b.Rate}
	goal := ""
	if ratio := b.Rate / a.Rate; c.goal > 0 {
		goal = fmt.Sprintf("%.2f or more: met", c.goal)
		if ratio < c.goal {
			goal = fmt.Sprintf("%.2f or more: missed", c.goal)
		}
	}
	show := func(m round) string {
		used := fmt.Sprintf("%d", m.server.Microseconds())
		if m.database > 0 {
			used += fmt.Sprintf(" + %d", m.database.Microseconds())
		}
		return fmt.Sprintf("%.0f/s, p50 %s, p99 %s, %s µs", m.Rate, m.P50.Round(10*time.Microsecond), m.P99.Round(10*time.Microsecond), used)
	}
	r.lines = append(r.lines, fmt.Sprintf("| %s | %d | %s | %s | %.2f | %s |", c.name, c.callers, show(a), show(b), b.Rate/a.Rate, goal))
	fmt.Fprintln(os.Stderr, r.lines[len(r.lines)-1])
}

func median(rounds []round) round {
	results, used := make([]wire.Result, len(rounds)), make([]cpu, len(rounds))
	for i, m := range rounds {
		results[i], used[i] = m.Result, m.cpu
	}
	slices.SortFunc(used, func(a, b cpu) int { return cmp.Compare(a.server+a.database, b.server+b.database) })
	return round{wire.Median(results), used[len(used)/2]}
}

func (r *report) write() error {
	var b strings.Builder
	fmt.Fprintf(&b, "# PostgreSQL beside SQLite\n\nWritten by `make bench-postgres` on %s: %d processor cores, %s, durable commits, a load of at most %d callers on the same machine.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), 64)
	fmt.Fprintf(&b, "%d rounds of %s, turn by turn; medians. The time in µs is processor time for each request, of the server and of the database. PostgreSQL has %s.\n\n",
		r.settings.rounds, r.settings.duration, databases.Settings())
	b.WriteString("| call | callers | SQLite | PostgreSQL | ratio of rates | goal |\n| --- | ---: | --- | --- | ---: | --- |\n")
	b.WriteString(strings.Join(r.lines, "\n") + "\n")
	if posts, events := r.rates[postCall], r.rates[eventCall]; posts[0] > 0 && events[0] > 0 {
		met := "met"
		if events[0]/posts[0] < eventGoal {
			met = "missed"
		}
		fmt.Fprintf(&b, "\nSingle events come in at %.2f times the rate of posts on SQLite (goal %.1f or more: %s), at %.2f times on PostgreSQL.\n",
			events[0]/posts[0], eventGoal, met, events[1]/posts[1])
	}
	if r.settings.out == "" {
		fmt.Print(b.String())
		return nil
	}
	return os.WriteFile(r.settings.out, []byte(b.String()), 0o644)
}
