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

	"understudy/test/load/wire"
)

// report is the outcome of a run.
type report struct {
	settings settings
	began    time.Time
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
	few, many := r.sizes[0], r.sizes[1]
	fmt.Fprintf(&b, "# The issue tracker under load\n\nWritten by `make bench-tracker` on %s; took %s. %d processor cores, %s, SQLite with `synchronous=FULL`.\n\n",
		r.began.Format("2006-01-02"), time.Since(r.began).Round(time.Second), runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&b, "%d connections; %d rounds of %s, turn by turn, medians. Generator and servers share the machine. graphql-js 16 is one\nprocess of Node 20 that serves the same replies from memory (documents parsed and validated once, rows in maps by id); the bare\nserver is `net/http` that sends the same bytes. Before each measurement the replies of graphql-js and of this server are compared.\n\n",
		r.settings.connections, r.settings.rounds, r.settings.duration)
	fmt.Fprintf(&b, "| query | issues | requests/s | p50 | p99 | reply | graphql-js/s | times | goal | | bare/s | share |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |\n")
	for i, q := range []struct {
		name string
		goal float64
	}{{"`issues(first: 50)` as the official client sends it", 8}, {"`issues(first: 50)`: identifier, title, priority, names of state and assignee", 4}} {
		for _, m := range r.sizes {
			l := m.lists[i]
			times := l.ours.Rate / l.peer.Rate
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.1f KiB | %s | %.1f | %.0f or more | %s | %s | %.0f %% |\n", q.name, thousands(m.issues),
				whole(l.ours.Rate), ms(l.ours.P50), ms(l.ours.P99), float64(l.ours.Size)/1024, whole(l.peer.Rate), times, q.goal, mark(times >= q.goal),
				whole(l.bare.Rate), 100*l.ours.Rate/l.bare.Rate)
		}
	}
	fmt.Fprintf(&b, "\n| | %s issues | %s issues | change | goal | |\n| --- | ---: | ---: | ---: | --- | --- |\n", thousands(few.issues), thousands(many.issues))
	line := func(name string, get func(size) wire.Result, goal bool) {
		was, is := get(few), get(many)
		change := is.Rate/was.Rate - 1
		fmt.Fprintf(&b, "| %s | %s/s, p50 %s, p99 %s | %s/s, p50 %s, p99 %s | %+.0f %% |", name, whole(was.Rate), ms(was.P50), ms(was.P99),
			whole(is.Rate), ms(is.P50), ms(is.P99), 100*change)
		if goal {
			fmt.Fprintf(&b, " within 25 %% | %s |\n", mark(math.Abs(change) <= .25 || change > 0))
		} else {
			fmt.Fprint(&b, " none set | |\n")
		}
	}
	line("the client's document", func(m size) wire.Result { return m.lists[0].ours }, true)
	line("the small document", func(m size) wire.Result { return m.lists[1].ours }, true)
	line("`issueCreate`, durable", func(m size) wire.Result { return m.create }, true)
	line("the client's document, another page each time", func(m size) wire.Result { return m.spread }, false)
	goal := 20 * time.Millisecond
	fmt.Fprintf(&b, "| `searchIssues` with totals, each search once, 2 connections | %s/s, p50 %s, p99 %s | %s/s, p50 %s, p99 %s | | p50 under %s | %s |\n", whole(few.search.Rate), ms(few.search.P50), ms(few.search.P99),
		whole(many.search.Rate), ms(many.search.P50), ms(many.search.P99), ms(goal), mark(many.search.P50 < goal))
	fmt.Fprintf(&b, "| the same, searches that were asked for before | %s/s, p50 %s, p99 %s | %s/s, p50 %s, p99 %s | | none set | |\n", whole(few.again.Rate), ms(few.again.P50), ms(few.again.P99),
		whole(many.again.Rate), ms(many.again.P50), ms(many.again.P99))
	fmt.Fprintf(&b, "| resident memory afterwards | %.0f MB | %.0f MB | | | |\n", float64(few.memory)/1e6, float64(many.memory)/1e6)
	fmt.Fprintf(&b, "\nThe large organization was filled through `issueBatchCreate`, %s issues a second; the first search after it took %s.\n", whole(many.fillRate), ms(many.catchUp))
	return b.String()
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

// resident returns the resident memory of a process in bytes, where the system
// reports it.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if os.IsNotExist(err) {
		return 0, nil
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, err
}
