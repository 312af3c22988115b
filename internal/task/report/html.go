package report

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

//go:embed report.html
var pageText string

//go:embed report.css
var pageStyle string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"share": share, "text": whole, "short": short, "value": valueText, "requests": requestRows, "changes": changeRows, "trace": readTrace, "matrix": matrixOf, "reasons": reasonsOf,
	"style": func() template.CSS { return template.CSS(pageStyle) }, //nolint:gosec // our own file
	"join":  func(list []string) string { return strings.Join(list, ", ") },
	"mark": func(s outcome.State) string {
		return map[outcome.State]string{outcome.Passed: "✓", outcome.Failed: "✗", outcome.Timeout: "◷", outcome.Error: "!"}[s]
	},
	"ending": func(success bool) string { return map[bool]string{true: "succeeded", false: "failed"}[success] },
	"result": func(passed *bool) string {
		if passed == nil {
			return "undecided"
		}
		return map[bool]string{true: "ok", false: "failed"}[*passed]
	},
}).Parse(pageText))

// HTML writes the report as one file, which loads and runs nothing: everything
// from a world is escaped text.
func (r *Report) HTML(w io.Writer) error {
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// The most that the page contains of a run; the JSON report has more.
const (
	shownChanges  = 200
	shownRequests = 500
	shownValue    = 300    // characters of a name, a key or a value
	shownText     = 40_000 // characters of an instruction, an answer or an output
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// visible replaces invisible characters by visible ones: control characters,
// bidirectional controls, and zero-width characters except joiners, which are
// parts of letters and emoji.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c < 0x20:
			return 0x2400 + c
		case c == zeroWidthNonJoiner || c == zeroWidthJoiner:
			return c
		case c >= 0x7f && c < 0xa0, unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp):
			return '�'
		}
		return c
	}, s)
}

// valueText returns a JSON value as text, truncated if it is long.
func valueText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	} else if s == "" {
		s = `""`
	}
	return short(s)
}

// short returns a name, a key or a sentence, truncated and made visible.
func short(s string) string { return visible(cut(s, shownValue)) }

// whole returns a long text, truncated and made visible.
func whole(s string) string { return visible(cut(s, shownText)) }

// cut truncates a text to most characters.
func cut(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// matrix has a cell for each run.
type matrix struct {
	Head []string
	Rows []matrixRow
}

type matrixRow struct {
	Name  string
	Cells []*outcome.Run // nil where no run ended
}

// fewTasks is the most tasks that are columns, such as variants of one task; more
// are rows.
const fewTasks = 8

// matrixOf returns the matrix of all runs.
func matrixOf(r *Report) (m matrix) {
	type place struct {
		task   string
		number int
	}
	runs := make(map[place]*outcome.Run, len(r.Runs))
	for i := range r.Runs {
		runs[place{r.Runs[i].Task, r.Runs[i].Number}] = &r.Runs[i]
	}
	at := func(task, number int) *outcome.Run { return runs[place{r.Tasks[task].Name, number}] }
	if len(r.Tasks) > 1 && len(r.Tasks) <= fewTasks {
		for _, t := range r.Tasks {
			m.Head = append(m.Head, t.Name)
		}
		for n := range r.Wanted {
			row := matrixRow{Name: fmt.Sprintf("run %d", n+1)}
			for i := range r.Tasks {
				row.Cells = append(row.Cells, at(i, n+1))
			}
			m.Rows = append(m.Rows, row)
		}
		return m
	}
	for n := range r.Wanted {
		m.Head = append(m.Head, fmt.Sprintf("run %d", n+1))
	}
	for i, t := range r.Tasks {
		row := matrixRow{Name: t.Name}
		for n := range r.Wanted {
			row.Cells = append(row.Cells, at(i, n+1))
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// changeRow is a change on the page.
type changeRow struct {
	Op string
	plane.Change
	Fields []fieldRow
}

type fieldRow struct{ Name, Before, After string }

// changeRows returns the changes of a run, at most shownChanges, without the
// agent's own reports, which the trace contains.
func changeRows(d *plane.Diff) (rows []changeRow) {
	if d == nil {
		return nil
	}
	for _, part := range []struct {
		op   string
		list []plane.Change
	}{{"insert", d.Inserts}, {"update", d.Updates}, {"delete", d.Deletes}} {
		for _, c := range part.list {
			if c.Service == "ingest" {
				continue
			}
			if len(rows) == shownChanges {
				return rows
			}
			rows = append(rows, changeRow{part.op, c, fieldRows(c)})
		}
	}
	return rows
}

// fieldRows returns the fields of a change; of an update those that changed.
func fieldRows(c plane.Change) (rows []fieldRow) {
	var before, after map[string]json.RawMessage
	_ = json.Unmarshal(c.Before, &before)
	_ = json.Unmarshal(c.After, &after)
	for _, name := range sortedNames(before, after) {
		row := fieldRow{Name: short(name)}
		if v, ok := before[name]; ok {
			row.Before = valueText(v)
		}
		if v, ok := after[name]; ok {
			row.After = valueText(v)
		}
		if before == nil && (row.After == "null" || row.After == `""`) {
			continue
		}
		rows = append(rows, row)
	}
	return rows
}

// requestRows returns the requests of a run, at most shownRequests.
func requestRows(e *outcome.Evidence) []plane.Request {
	return e.Requests[:min(len(e.Requests), shownRequests)]
}
