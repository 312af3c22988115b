// Command beside shows what test/load/against.sh measured of two programs side
// by side: a table for each load, whose figures are the medians of all rounds.
//
//	go run ./test/load/beside -page docs/decisions/0033-bench-before-and-after.md .cache/against messaging crm
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figure is a number in a cell, with thousands separated or not.
var figure = regexp.MustCompile(`\d+(,\d{3})*(\.\d+)?`)

func main() {
	page := flag.String("page", "", "a Markdown file, whose text below its last heading of the second level is replaced by the tables")
	before := flag.String("before", "an earlier commit", "the commit of the program before")
	after := flag.String("after", "this commit", "the commit of the program after")
	rounds := flag.String("rounds", "3", "over how many rounds was measured")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "beside: which folder, and which loads?")
		os.Exit(2)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %s rounds on %s, %d cores: before is %s, after is %s.\n", *rounds, time.Now().Format(time.DateOnly), runtime.NumCPU(), *before, *after)
	for _, load := range flag.Args()[1:] {
		before, after := read(flag.Arg(0), load, "before"), read(flag.Arg(0), load, "after")
		fmt.Fprintf(&b, "\n### %s\n\n| | before | after |\n| --- | --- | --- |\n", load)
		for _, name := range after.names {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", name, median(before.cells[name]), median(after.cells[name]))
		}
	}
	fmt.Print(b.String())
	if *page == "" {
		return
	}
	text, err := os.ReadFile(*page)
	if err == nil {
		err = os.WriteFile(*page, []byte(replaceLast(string(text), b.String())), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// replaceLast returns a page with other text below its last heading of the second level.
func replaceLast(page, text string) string {
	at := strings.LastIndex(page, "\n## ")
	heading, _, _ := strings.Cut(page[at+1:], "\n")
	return page[:at+1] + heading + "\n\n" + text
}

// table holds the rows of one program's pages: of each row what its cells say in each round.
type table struct {
	names []string
	cells map[string][]string
}

func read(dir, load, side string) table {
	t := table{cells: map[string][]string{}}
	paths, err := filepath.Glob(filepath.Join(dir, load+"-"+side+"-[0-9]*.md"))
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, path := range paths {
		page, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "beside:", err)
			os.Exit(1)
		}
		for _, r := range rows(string(page)) {
			if t.cells[r.name] == nil {
				t.names = append(t.names, r.name)
			}
			t.cells[r.name] = append(t.cells[r.name], r.cells)
		}
	}
	return t
}

type row struct{ name, cells string }

// rows returns the rows of all Markdown tables of a page that have figures,
// without the columns for goals. Of rows with the same name the second is
// called "name (2)".
func rows(page string) (out []row) {
	var header, last []string
	seen := map[string]int{}
	for line := range strings.Lines(page) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
		if !ok {
			header = nil
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if strings.HasPrefix(cells[0], "---") {
			header = last
			continue
		}
		last = cells
		var shown []string
		for i, cell := range cells[1:] {
			named := ""
			if i+1 < len(header) {
				named = header[i+1]
			}
			if header != nil && figure.MatchString(cell) && !strings.HasPrefix(named, "goal") && cell != "met" {
				shown = append(shown, strings.TrimSpace(named+" "+cell))
			}
		}
		if len(shown) == 0 {
			continue
		}
		name := cells[0]
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		out = append(out, row{name, strings.Join(shown, "; ")})
	}
	return out
}

// median returns the first round's text with each figure replaced by its median
// over the rounds. Rounds of another form are left out.
func median(rounds []string) string {
	if len(rounds) == 0 {
		return "not measured"
	}
	form := figure.ReplaceAllString(rounds[0], "#")
	var values [][]float64
	for _, text := range rounds {
		if figure.ReplaceAllString(text, "#") != form {
			continue
		}
		for i, f := range figure.FindAllString(text, -1) {
			n, err := strconv.ParseFloat(strings.ReplaceAll(f, ",", ""), 64)
			if err != nil {
				continue
			}
			if i == len(values) {
				values = append(values, nil)
			}
			values[i] = append(values[i], n)
		}
	}
	i := -1
	return figure.ReplaceAllStringFunc(rounds[0], func(first string) string {
		i++
		slices.Sort(values[i])
		decimals := 0
		if _, fraction, ok := strings.Cut(first, "."); ok {
			decimals = len(fraction)
		}
		return strconv.FormatFloat(values[i][len(values[i])/2], 'f', decimals, 64)
	})
}
