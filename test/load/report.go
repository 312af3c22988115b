package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

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

// report collects the figures of a run.
type report struct {
	began    time.Time
	settings settings

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

	fmt.Fprintf(&b, "| call | requests/s | p50 | p99 | reply | yardstick/s | ratio | goal | |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n")
	row := func(name string, p pair, goal string, met bool) {
		fmt.Fprintf(&b, "| %s | %.0f | %s | %s | %s | %.0f | %.0f %% | %s | %s |\n", name, p.ours.Rate, ms(p.ours.P50), ms(p.ours.P99),
			kib(p.ours.Size), p.bare.Rate, 100*p.ratio(), goal, mark(met))
	}
	row("`chat.postMessage`, durable", r.post, "25 % or more", r.post.ratio() >= 0.25)
	row("`conversations.history` limit 100, 1,000 messages", r.history, "40 % or more", r.history.ratio() >= 0.40)
	drop := 1.0
	if small := r.history.ratio(); small > 0 {
		drop = r.large.ratio() / small
	}
	row(fmt.Sprintf("`conversations.history` limit 100, %s messages", thousands(r.filled)), r.large,
		fmt.Sprintf("within 20 %% of the row above (%.0f %% of it)", 100*drop), drop >= 0.8)

	fmt.Fprintf(&b, "| the same channel, another page each time | %.0f | %s | %s | %s | %.0f | %.0f %% | none set | |\n", r.spread.ours.Rate,
		ms(r.spread.ours.P50), ms(r.spread.ours.P99), kib(r.spread.ours.Size), r.spread.bare.Rate, 100*r.spread.ratio())

	fmt.Fprintf(&b, "\nSearch over %s messages, one at a time:\n\n| `search.messages` | searches | p50 | p99 | matches (last) | goal | |\n| --- | ---: | ---: | ---: | ---: | --- | --- |\n", thousands(r.filled))
	var all []time.Duration
	matched := false
	for _, k := range r.search {
		matched = matched || k.total > 0
		slices.Sort(k.took)
		all = append(all, k.took...)
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | | |\n", k.name, len(k.took), ms(wire.Percentile(k.took, 50)), ms(wire.Percentile(k.took, 99)), thousands(int64(k.total)))
	}
	slices.Sort(all)
	fmt.Fprintf(&b, "| **all** | %d | %s | %s | | p50 under 20 ms | %s |\n", len(all), ms(wire.Percentile(all, 50)), ms(wire.Percentile(all, 99)), mark(matched && wire.Percentile(all, 50) < 20*time.Millisecond))
	slices.Sort(r.fresh)
	fmt.Fprintf(&b, "| right after a post: %d of %d found | %d | %s | %s | 1 | all found | %s |\n", r.found, len(r.fresh), len(r.fresh),
		ms(wire.Percentile(r.fresh, 50)), ms(wire.Percentile(r.fresh, 99)), mark(r.found == len(r.fresh)))

	fmt.Fprintf(&b, "\n| | small folder | folder with %s messages | goal | |\n| --- | ---: | ---: | --- | --- |\n", thousands(r.filled))
	small, large := r.starts[0], r.starts[1]
	fmt.Fprintf(&b, "| start to first answer | %s | %s | under 150 ms | %s |\n", ms(small.first), ms(large.first), mark(max(small.first, large.first) < 150*time.Millisecond))
	fmt.Fprintf(&b, "| resident memory at rest | %s | %s | under 40 MB | %s |\n", megabytes(small.rss), megabytes(large.rss), mark(max(small.rss, large.rss) < 40_000_000))
	fmt.Fprintf(&b, "\nThe large channel was filled through the API with %s durable posts a second; the first search after it took %s.\n", thousands(int64(r.fillRate)), ms(r.firstSearch))
	if r.filled < r.settings.messages {
		fmt.Fprintf(&b, "\nThe channel holds fewer than the %s messages asked for: `-fill-time` %s ended the filling.\n", thousands(r.settings.messages), r.settings.fillTime)
	}
	return b.String()
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
