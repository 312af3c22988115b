package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"understudy/test/load/databases"
	"understudy/test/load/wire"
)

// report is the outcome of a run.
type report struct {
	settings settings
	began    time.Time
	postgres bool // is measured
	sizes    []size
}

func (r *report) write() error {
	text := r.text()
	fmt.Print(text)
	if r.settings.out == "" {
		return nil
	}
	return os.WriteFile(r.settings.out, []byte(text), 0o644)
}

func (r *report) text() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The issue tracker under load\n\nWritten by `make bench-tracker` on %s; took %s. %d processor cores, %s, SQLite with `synchronous=FULL`.\n\n",
		r.began.Format("2006-01-02"), time.Since(r.began).Round(time.Second), runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&b, "%d connections; %d rounds of %s, turn by turn, medians. Generator and servers share the machine. graphql-js 16 is one\nprocess of Node 20 that serves the same replies from memory (documents parsed and validated once, rows in maps by id); the bare\nserver is `net/http` that sends the same bytes. Before each measurement the replies of graphql-js and of this server are compared.\n\n",
		r.settings.connections, r.settings.rounds, r.settings.duration)
	if r.postgres {
		fmt.Fprintf(&b, "PostgreSQL, on the same machine, takes its turns with the others. It has %s. Its large organization\nhas %s issues: filling it takes longer.\n\n",
			databases.Settings(), thousands(r.sizes[1].beside.issues))
	}
	r.lists(&b)
	r.others(&b)
	return b.String()
}

// besides returns cells about PostgreSQL, behind a row; nothing where it is not measured.
func (r *report) besides(cells string, a ...any) string {
	if !r.postgres {
		return ""
	}
	return fmt.Sprintf(" "+cells+" |", a...)
}

func (r *report) lists(b *bytes.Buffer) {
	fmt.Fprintf(b, "| query | issues | requests/s | p50 | p99 | reply | graphql-js/s | times | goal | | bare/s | share |%s\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |%s\n",
		r.besides("PostgreSQL | to SQLite"), r.besides("--- | ---:"))
	for i, q := range []struct {
		name string
		goal float64
	}{{"`issues(first: 50)` as the official client sends it", 8}, {"`issues(first: 50)`: identifier, title, priority, names of state and assignee", 4}} {
		for _, m := range r.sizes {
			l := m.lists[i]
			times, beside := l.ours.Rate/l.peer.Rate, ""
			if r.postgres {
				o := m.beside.lists[i].ours
				beside = r.besides("%s | %.2f", rate(o), o.Rate/l.ours.Rate)
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %.1f KiB | %s | %.1f | %.0f or more | %s | %s | %.0f %% |%s\n", q.name, thousands(m.issues),
				whole(l.ours.Rate), ms(l.ours.P50), ms(l.ours.P99), float64(l.ours.Size)/1024, whole(l.peer.Rate), times, q.goal, mark(times >= q.goal),
				whole(l.bare.Rate), 100*l.ours.Rate/l.bare.Rate, beside)
		}
	}
}

// rate returns the figures of a load.
func rate(w wire.Result) string {
	return fmt.Sprintf("%s/s, p50 %s, p99 %s", whole(w.Rate), ms(w.P50), ms(w.P99))
}

func (r *report) others(b *bytes.Buffer) {
	few, many := r.sizes[0], r.sizes[1]
	heads, lines := "", r.besides("--- | ---")
	if r.postgres {
		heads = r.besides("PostgreSQL, %s issues | PostgreSQL, %s issues", thousands(few.beside.issues), thousands(many.beside.issues))
	}
	fmt.Fprintf(b, "\n| | %s issues | %s issues | change | goal | |%s\n| --- | ---: | ---: | ---: | --- | --- |%s\n", thousands(few.issues), thousands(many.issues), heads, lines)
	row := func(name string, show func(size) string, change, goal, met string) {
		beside := ""
		if r.postgres {
			beside = r.besides("%s | %s", show(*few.beside), show(*many.beside))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |%s\n", name, show(few), show(many), change, goal, met, beside)
	}
	line := func(name string, get func(size) wire.Result) {
		change := get(many).Rate/get(few).Rate - 1
		row(name, func(m size) string { return rate(get(m)) }, fmt.Sprintf("%+.0f %%", 100*change), "within 25 %", mark(change >= -.25))
	}
	ratio := func(name, goal string, met bool, get func(size) float64) {
		row(name, func(m size) string { return fmt.Sprintf("%.2f", get(m)) }, "", goal, mark(met))
	}
	line("the client's document", func(m size) wire.Result { return m.sized[0] })
	line("the small document", func(m size) wire.Result { return m.sized[1] })
	line("`issueCreate`, durable", func(m size) wire.Result { return m.create })
	line("the client's document, another page each time", func(m size) wire.Result { return m.spread })
	remembered := func(m size) float64 { return m.spread.Rate / m.sized[0].Rate }
	ratio("its rate, to that of the same page each time", "0.5 or more at the larger size", remembered(many) >= .5, remembered)
	tail := func(m size) float64 { return float64(m.create.P99) / float64(m.create.P50) }
	ratio("p99 of `issueCreate`, to its p50", "at most 4", max(tail(few), tail(many)) <= 4, tail)
	goal := 20 * time.Millisecond
	row("`searchIssues` with totals, each search once, 2 connections", func(m size) string { return rate(m.search) }, "", "p50 under "+ms(goal), mark(many.search.P50 < goal))
	row("the same, searches that were asked for before", func(m size) string { return rate(m.again) }, "", "none set", "")
	row("filled through `issueBatchCreate`, issues a second", func(m size) string { return whole(m.fillRate) }, "", "", "")
	row("the first search after it", func(m size) string { return ms(m.catchUp) }, "", "", "")
	row("resident memory afterwards", func(m size) string {
		return fmt.Sprintf("%.0f MB, %.0f of them pages of files", float64(m.memory)/1e6, float64(m.filePages)/1e6)
	}, "", "", "")
}

func mark(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func whole(f float64) string { return thousands(int(math.Round(f))) }

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// resident returns the resident memory of a process in bytes, and how much of it
// the system can take back because it is in files; 0 where the system does not
// report it.
func resident(pid int) (all, files int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if os.IsNotExist(err) {
		return 0, 0, nil
	}
	for line := range strings.Lines(string(text)) {
		for name, into := range map[string]*int64{"VmRSS:": &all, "RssFile:": &files} {
			rest, ok := strings.CutPrefix(line, name)
			if !ok {
				continue
			}
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0, 0, err
			}
			*into = kib << 10
		}
	}
	return all, files, err
}
