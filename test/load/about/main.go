// The program about writes docs/performance/about.md, whose figures it reads from
// the tables beside it, and puts all pages of that folder together as
// docs/performance.md.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed about.tmpl
var text string

func main() {
	docs := flag.String("docs", "docs", "the folder of the documentation")
	flag.Parse()
	if err := write(*docs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(docs string) error {
	about, err := compose(filepath.Join(docs, "performance"))
	if err == nil {
		err = os.WriteFile(filepath.Join(docs, "performance", "about.md"), about, 0o644)
	}
	if err != nil {
		return err
	}
	all, err := join(filepath.Join(docs, "performance"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "performance.md"), all, 0o644)
}

// compose returns the page about.md of a folder with the pages of measurements. Its
// error names the row or the column that a page lacks.
func compose(folder string) ([]byte, error) {
	t, err := template.New("about").Funcs(template.FuncMap{
		"row": pages(folder).row, "line": pages(folder).line, "cell": tableRow.cell, "column": tableRow.column,
		"after": after, "number": number, "percent": percent, "ms": ms, "mib": mib, "range2": span,
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}

// join returns all pages of a folder as one, in the order of their names.
func join(folder string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return nil, err
	}
	out := []byte("# Performance\n")
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, '\n')
		for line := range strings.Lines(string(page)) {
			if line == "# Performance\n" { // the first measurements were of messaging
				line = "# Messaging\n"
			}
			if strings.HasPrefix(line, "# ") {
				line = "#" + line
			}
			out = append(out, line...)
		}
	}
	return out, nil
}
