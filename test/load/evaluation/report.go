package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// report returns the tables of the page. postgres is nil if only SQLite was measured.
// spent contains the ratios of processor time by benchmark; if it is empty, the page has
// no table of them.
func report(sqlite, postgres *plane, spent map[string]spread) string {
	var b strings.Builder
	if postgres == nil {
		b.WriteString("| act | p50 ms | p99 ms |\n| --- | --- | --- |\n")
	} else {
		b.WriteString("| act | p50 ms | p99 ms | PostgreSQL p50 ms | PostgreSQL p99 ms |\n| --- | --- | --- | --- | --- |\n")
	}
	for _, name := range slices.Sorted(maps.Keys(sqlite.took)) {
		fmt.Fprintf(&b, "| %s |%s", name, sqlite.cells(name, ""))
		if postgres != nil {
			note := ""
			if strings.HasPrefix(name, "100 forks") {
				note = fmt.Sprintf(" for %d", postgres.forks)
			}
			b.WriteString(postgres.cells(name, note))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n| ratio of medians | measured | at most |")
	if postgres != nil {
		b.WriteString(" PostgreSQL |\n| --- | --- | --- | --- |\n")
	} else {
		b.WriteString("\n| --- | --- | --- |\n")
	}
	for _, r := range ratios {
		most := ""
		if r.most > 0 {
			most = fmt.Sprintf(" %g", r.most)
		}
		fmt.Fprintf(&b, "| %s | %.3g |%s |", r.what, sqlite.ratio(r), most)
		if postgres != nil {
			if len(postgres.took[r.act]) > 0 {
				fmt.Fprintf(&b, " %.3g", postgres.ratio(r))
			}
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
	if len(spent) == 0 {
		return b.String()
	}
	b.WriteString("\nProcessor time of the whole process on SQLite, of two equal environments with files in memory: a flush to a disk takes several times as long as the rest of a write, on both sides.\n" +
		"They work in turn, in blocks of some 1 ms, one with and one without, and exchange that after half of each round. A ratio is that of the fastest quarter of the blocks: the pseudomedian of 40 rounds. The last row compares equal states.\n" +
		"No garbage is collected meanwhile; how much there will be is what is allocated. It is that of one process, so a database server beside it would not be counted.\n\n" +
		"| processor time, to without | median | 95 % between | at most | memory allocated, to without |\n| --- | --- | --- | --- | --- |\n")
	const nothing = "Cause/nothing"
	names := slices.Sorted(maps.Keys(spent))
	if i := slices.Index(names, nothing); i >= 0 {
		names = append(slices.Delete(names, i, i+1), nothing)
	}
	for _, name := range names {
		what, most := "causes: "+strings.TrimPrefix(name, "Cause/"), " 1.02 "
		switch name {
		case "Faults/off":
			what, most = "20 fault rules that are off: chat.postMessage", " 1.005 "
		case "Faults/on":
			what = "20 fault rules of which none fits: chat.postMessage"
		case nothing:
			what, most = "the journal on both sides: chat.postMessage", " "
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f and %.3f |%s| %.4f |\n", what, spent[name].ratio, spent[name].low, spent[name].high, most, spent[name].memory)
	}
	return b.String()
}

// cells returns the cells of an act in its row: p50 with a note, and p99; empty ones
// for an act that was not measured.
func (p *plane) cells(name, note string) string {
	if len(p.took[name]) == 0 {
		return " | |"
	}
	return fmt.Sprintf(" %.1f%s | %.1f |", p.at(name, 50).Seconds()*1000, note, p.at(name, 99).Seconds()*1000)
}

// ratio is the ratio of the medians of two acts. most is the greatest ratio allowed on
// SQLite, 0 for a ratio without a limit, which only explains another one.
type ratio struct {
	what, act, to string
	most          float64
}

func (p *plane) ratio(r ratio) float64 { return p.at(r.act, 50).Seconds() / p.at(r.to, 50).Seconds() }

var ratios = []ratio{
	{"fork of a world in memory, to one on disk", "fork, memory", "fork, disk", 0.5},
	{"diff of a world in memory, to one on disk", "diff, memory", "diff, disk", 1},
	{"`count: 100`, to 100 forks one after another", "100 forks, count: 100", "100 forks, one after another", 0.6},
	{"100 forks from four clients, to one client", "100 forks, four clients", "100 forks, one after another", 0.55},
	{"the same from one client of each of two servers that share nothing: what the machine does", "100 forks, two servers", "100 forks, one after another", 0},
	{"`understudy run -n 200 -p 2 -- true`, wall for a run, to fork, verdict and delete", "a run of `true`, wall of 200 by 200", "fork, verdict and delete", 3},
	{"trace of 1,000 events and 5,000 requests, to the tree of the session", "its trace with 5,000 requests", "tree of a session of 1,000 events", 5},
	{"fork, verdict of 10 expectations and delete, to a fork alone", "fork, verdict of 10 expectations and delete", "a fork beside it", 2.5},
	{"verdict of 10 expectations, to the same diff without causes", "verdict of 10 expectations", "diff without causes", 1.15},
}
