package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"
)

// report is a table with a column for each program.
type report struct {
	columns []*column
	lines   []string          // in the order in which they were first measured
	goals   map[string]string // by line
}

type column struct {
	name    string
	of      *report
	figures map[string]string // by line
}

func (r *report) column(name string) *column {
	c := &column{name: name, of: r, figures: map[string]string{}}
	r.columns = append(r.columns, c)
	fmt.Println(name)
	return c
}

// line notes a figure, and whether its goal is met.
func (c *column) line(what, goal string, met bool, format string, args ...any) {
	if c.of.goals == nil {
		c.of.goals = map[string]string{}
	}
	if _, known := c.of.goals[what]; !known {
		c.of.lines = append(c.of.lines, what)
		c.of.goals[what] = goal
	}
	figure := fmt.Sprintf(format, args...)
	if goal != "" && !met {
		figure = "**" + figure + "**"
	}
	c.figures[what] = figure
	fmt.Printf("  %-75s %-20s %s\n", what, figure, goal)
}

// time notes a time, which has a goal unless that is 0.
func (c *column) time(what string, atMost, took time.Duration) {
	goal := ""
	if atMost > 0 {
		goal = "at most " + milliseconds(atMost)
	}
	c.line(what, goal, took <= atMost, "%s", milliseconds(took))
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000)
}

// write writes the table.
func (r *report) write(s settings) error {
	if s.out == "" {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Ingestion\n\nWritten by `make bench-ingest` on %s: %d events, %d processor cores, %s/%s, %s, loader and servers on the same machine.\n",
		time.Now().Format(time.DateOnly), s.events, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	b.WriteString("Times are medians of seven requests or more, over HTTP. DuckDB runs within the process that asks, on the same events, and its\nquestions are statements of SQL. A figure in bold misses its goal; both databases have the same goals, and SQLite is the default.\nWhat text index and maintenance cost is counted until a search after the last batch is answered.\n\n| what | goal |")
	for _, c := range r.columns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n| --- | --- |")
	for range r.columns {
		b.WriteString(" --- |")
	}
	b.WriteByte('\n')
	for _, what := range r.lines {
		fmt.Fprintf(&b, "| %s | %s |", what, r.goals[what])
		for _, c := range r.columns {
			fmt.Fprintf(&b, " %s |", c.figures[what])
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(s.out, b.Bytes(), 0o644)
}
