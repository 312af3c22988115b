package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// report gathers the lines of the table.
type report struct {
	settings settings
	name     string
	server   string  // the database server and its settings
	rate     float64 // records a second of the fill
	pid      int
	before   int64 // highest resident memory of the run that filled the portal
	made     int
	lines    [][2]string

	firstRate float64 // rate of the first bareFirst records, 0 for fewer
}

func (r *report) line(name, value string) {
	r.lines = append(r.lines, [2]string{name, value})
	fmt.Printf("%-45s %s\n", name, value)
}

// peak returns the highest resident memory of the server, in bytes.
func (r *report) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n * 1024
		}
	}
	return 0
}

// write writes the table, a column for each database.
func write(s settings, reports []*report) error {
	if s.out == "" {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The CRM under load\n\nWritten by `make bench-crm` on %s: %d processor cores, %s, durable commits, the generator on the same machine.\n",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.Version())
	for _, r := range reports {
		if r.server != "" {
			fmt.Fprintf(&b, "%s ran beside it: %s, else as installed.\n", r.name, r.server)
		}
	}
	b.WriteString("\n|")
	for _, r := range reports {
		fmt.Fprintf(&b, " | %s", r.name)
	}
	b.WriteString(" |\n| ---" + strings.Repeat(" | ---", len(reports)) + " |\n")
	for i, l := range reports[0].lines {
		fmt.Fprintf(&b, "| %s", l[0])
		for _, r := range reports {
			fmt.Fprintf(&b, " | %s", r.lines[i][1])
		}
		b.WriteString(" |\n")
	}
	return os.WriteFile(s.out, b.Bytes(), 0o644)
}

// latencies are times of calls.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *latencies) sum() (total time.Duration) {
	for _, d := range l.all {
		total += d
	}
	return total
}

// at returns a percentile.
func (l *latencies) at(percent int) time.Duration {
	if len(l.all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l.all))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)].Round(10 * time.Microsecond)
}
