package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/load/databases"
	"understudy/test/load/wire"
)

// pair is one method and its yardstick.
type pair struct{ ours, bare wire.Result }

func (p pair) ratio() float64 {
	if p.bare.Rate == 0 {
		return 0
	}
	return p.ours.Rate / p.bare.Rate
}

type startup struct {
	first time.Duration
	rss   int64
}

// figures are those of one database.
type figures struct {
	name   string
	server *throwaway.Server // nil on SQLite

	post, history pair      // on a small folder
	large, spread pair      // on a large one: the newest page, pages all over
	starts        []startup // small folder, large folder
	filled        int64
	fillRate      float64
	firstSearch   time.Duration
	search        []searchKind
	found         int
	fresh         []time.Duration
}

// report collects the figures of a run: of SQLite, then of PostgreSQL where it is measured.
type report struct {
	began     time.Time
	settings  settings
	databases []*figures
	stores    pair // the bare server that stores what a post stores
}

// write prints the table and, when a file is named, writes it there.
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
	fmt.Fprintf(&b, "# Performance\n\nWritten by `make bench` on %s; took %s.\n\n", r.began.UTC().Format("2006-01-02"), time.Since(r.began).Round(time.Second))
	fmt.Fprintf(&b, "Machine: %s, %d cores, %s/%s, %s. SQLite store, `synchronous=FULL`. Generator, server and yardstick share the machine.\n\n",
		cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(&b, "The yardstick is a bare `net/http` server in a process of its own that answers a fixed body of the same size to the\n"+
		"same request bytes. %d connections; %d rounds of %s each, turn by turn; medians.\n\n", r.settings.connections, r.settings.rounds, r.settings.duration)
	fmt.Fprintf(&b, "A second one stores the same rows as a post on SQLite: "+storedRows+", with the program's\n"+
		"tables and indexes, `synchronous=FULL`, one transaction for posts that arrive together. It does nothing else: no rules, no time of the channel, no search index.\n\n")
	if len(r.databases) > 1 {
		fmt.Fprintf(&b, "PostgreSQL, on the same machine, takes its turns with SQLite. It has %s.\n\n", databases.Settings())
	}
	r.calls(&b)
	r.searches(&b)
	r.atRest(&b)
	for _, f := range r.databases {
		fmt.Fprintf(&b, "\n%s: the large channel was filled through the API with %s durable posts a second.\n", f.name, thousands(int64(f.fillRate)))
		if f.filled < r.settings.messages {
			fmt.Fprintf(&b, "It holds %s messages and not the %s asked for: `-fill-time` %s ended the filling.\n", thousands(f.filled), thousands(r.settings.messages), r.settings.fillTime)
		}
	}
	return b.String()
}

// besides returns cells of the databases after the first, behind a row.
func (r *report) besides(cells func(f *figures) string) (out string) {
	for _, f := range r.databases[1:] {
		out += " " + cells(f) + " |"
	}
	return out
}

func (r *report) calls(b *bytes.Buffer) {
	fmt.Fprintf(b, "| call | requests/s | p50 | p99 | reply | yardstick/s | ratio | goal | |%s\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |%s\n",
		r.besides(func(f *figures) string { return f.name + " | to SQLite" }), r.besides(func(*figures) string { return "--- | ---:" }))
	first := r.databases[0]
	row := func(name string, get func(f *figures) pair, goal, met string) {
		p := get(first)
		fmt.Fprintf(b, "| %s | %.0f | %s | %s | %s | %.0f | %.0f %% | %s | %s |%s\n", name, p.ours.Rate, ms(p.ours.P50), ms(p.ours.P99),
			kib(p.ours.Size), p.bare.Rate, 100*p.ratio(), goal, met, r.besides(func(f *figures) string {
				o := get(f).ours
				return fmt.Sprintf("%.0f/s, p50 %s, p99 %s | %.2f", o.Rate, ms(o.P50), ms(o.P99), o.Rate/p.ours.Rate)
			}))
	}
	row("`chat.postMessage`, durable", func(f *figures) pair { return f.post }, "35 % or more", mark(first.post.ratio() >= 0.35))
	both, limit := r.stores, 0.0
	if both.ours.Rate > 0 {
		limit = first.post.ours.Rate / both.ours.Rate
	}
	fmt.Fprintf(b, "| the bare server that stores the same rows | %.0f | %s | %s | %s | %.0f | %.0f %% | none set; a post does %.0f %% of it | |%s\n", both.ours.Rate, ms(both.ours.P50), ms(both.ours.P99),
		kib(both.ours.Size), both.bare.Rate, 100*both.ratio(), 100*limit, r.besides(func(*figures) string { return " | " }))
	row("`conversations.history` limit 100, 1,000 messages", func(f *figures) pair { return f.history }, "40 % or more", mark(first.history.ratio() >= 0.40))
	drop := 1.0
	if small := first.history.ratio(); small > 0 {
		drop = first.large.ratio() / small
	}
	row(fmt.Sprintf("`conversations.history` limit 100, %s messages", thousands(first.filled)), func(f *figures) pair { return f.large },
		fmt.Sprintf("within 20 %% of the row above (%.0f %% of it)", 100*drop), mark(drop >= 0.8))
	row("the same channel, another page each time", func(f *figures) pair { return f.spread }, "25 % or more", mark(first.spread.ratio() >= 0.25))
}

// mostFirstSearch is the goal for the first search after the large channel was filled.
const mostFirstSearch = 200 * time.Millisecond

func (r *report) searches(b *bytes.Buffer) {
	first := r.databases[0]
	fmt.Fprintf(b, "\nSearch over %s messages, one at a time:\n\n| `search.messages` | searches | p50 | p99 | matches (last) | goal | |%s\n| --- | ---: | ---: | ---: | ---: | --- | --- |%s\n",
		thousands(first.filled), r.besides(func(f *figures) string { return f.name }), r.besides(func(*figures) string { return "---" }))
	took := func(all []time.Duration) string {
		return "p50 " + ms(wire.Percentile(all, 50)) + ", p99 " + ms(wire.Percentile(all, 99))
	}
	row := func(name, matches, goal, met string, get func(f *figures) []time.Duration) {
		all := get(first)
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s |%s\n", name, len(all), ms(wire.Percentile(all, 50)), ms(wire.Percentile(all, 99)), matches, goal, met,
			r.besides(func(f *figures) string { return took(get(f)) }))
	}
	fmt.Fprintf(b, "| the first after the fill | 1 | %s | | | within %s | %s |%s\n", ms(first.firstSearch), ms(mostFirstSearch), mark(first.firstSearch <= mostFirstSearch),
		r.besides(func(f *figures) string { return ms(f.firstSearch) + ", " + mark(f.firstSearch <= mostFirstSearch) }))
	matched := false
	for i, k := range first.search {
		matched = matched || k.total > 0
		row(k.name, thousands(int64(k.total)), "", "", func(f *figures) []time.Duration { return f.search[i].sorted() })
	}
	all := first.allSearches()
	row("**all**", "", "p50 under 20 ms", mark(matched && wire.Percentile(all, 50) < 20*time.Millisecond), (*figures).allSearches)
	row(fmt.Sprintf("right after a post: %d of %d found", first.found, len(first.fresh)), "1", "all found", mark(first.found == len(first.fresh)),
		func(f *figures) []time.Duration { return slices.Sorted(slices.Values(f.fresh)) })
}

func (k searchKind) sorted() []time.Duration { return slices.Sorted(slices.Values(k.took)) }

// allSearches returns how long the searches of all kinds took, sorted.
func (f *figures) allSearches() (all []time.Duration) {
	for _, k := range f.search {
		all = append(all, k.took...)
	}
	slices.Sort(all)
	return all
}

func (r *report) atRest(b *bytes.Buffer) {
	first := r.databases[0]
	fmt.Fprintf(b, "\n| | small folder | folder with %s messages | goal | |%s\n| --- | ---: | ---: | --- | --- |%s\n", thousands(first.filled),
		r.besides(func(f *figures) string { return f.name + ", small | " + f.name + ", large" }), r.besides(func(*figures) string { return "---: | ---:" }))
	row := func(name, goal string, met bool, show func(startup) string) {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |%s\n", name, show(first.starts[0]), show(first.starts[1]), goal, mark(met),
			r.besides(func(f *figures) string { return show(f.starts[0]) + " | " + show(f.starts[1]) }))
	}
	small, large := first.starts[0], first.starts[1]
	row("start to first answer", "under 150 ms", max(small.first, large.first) < 150*time.Millisecond, func(s startup) string { return ms(s.first) })
	row("resident memory at rest", "under 40 MB", max(small.rss, large.rss) < 40_000_000, func(s startup) string { return megabytes(s.rss) })
}

func mark(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func kib(n int) string { return fmt.Sprintf("%.1f KiB", float64(n)/1024) }

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return "unknown processor"
}
