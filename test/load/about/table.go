package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pages is a folder of Markdown pages with tables.
type pages string

// tableRow is a row of a table, by the head of its columns.
type tableRow struct {
	where       string // for errors
	head, cells []string
}

// row returns the first row of a page whose text begins with a label, which may
// reach over several cells.
func (p pages) row(page, label string) (tableRow, error) {
	b, err := os.ReadFile(filepath.Join(string(p), page+".md"))
	if err != nil {
		return tableRow{}, err
	}
	var head []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		if head == nil {
			head = cellsOf(line)
		}
		if strings.HasPrefix(strings.TrimPrefix(line, "| "), label) {
			return tableRow{fmt.Sprintf("%s.md, %q", page, label), head, cellsOf(line)}, nil
		}
	}
	return tableRow{}, fmt.Errorf("%s.md has no row %q", page, label)
}

// line returns the first line of a page that begins with a text.
func (p pages) line(page, begin string) (string, error) {
	b, err := os.ReadFile(filepath.Join(string(p), page+".md"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, begin) {
			return line, nil
		}
	}
	return "", fmt.Errorf("%s.md has no line %q", page, begin)
}

func cellsOf(line string) []string {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// cell returns the cell in the column with a head.
func (r tableRow) cell(head string) (string, error) {
	for i, h := range r.head {
		if h == head && i < len(r.cells) {
			return r.cells[i], nil
		}
	}
	return "", fmt.Errorf("%s: the table has no column %q", r.where, head)
}

// column returns the cell in a column by its number from 0, for tables without heads.
func (r tableRow) column(n int) (string, error) {
	if n >= len(r.cells) {
		return "", fmt.Errorf("%s: the row has no column %d", r.where, n)
	}
	return r.cells[n], nil
}
