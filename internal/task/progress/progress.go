// Package progress shows the progress of runs: a bar with a line for each worker
// on a terminal, or otherwise a line or JSON object for each completed run.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/outcome"
)

// Lines writes a line for each completed run.
type Lines struct {
	mu    sync.Mutex
	Out   io.Writer // lines of runs
	Err   io.Writer // warnings
	Runs  int       // of each task
	Total int
}

// Started does nothing.
func (*Lines) Started(int, *task.Task, int) {}

// Ended writes the line of a run.
func (l *Lines) Ended(_ int, run *outcome.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintln(l.Out, Line(run, l.Runs))
}

// Warn writes a warning.
func (l *Lines) Warn(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintln(l.Err, "understudy:", OneLine(err.Error()))
}

// Line returns a line for a run: its state and, unless it passed, why.
func Line(run *outcome.Run, runs int) string {
	s := fmt.Sprintf("%-7s %s %d/%d  score %s  %s  %d requests", label(run.State), run.Task, run.Number, runs, number(run.Score), seconds(run.Seconds), run.Requests)
	if run.Firings > 0 {
		s += fmt.Sprintf("  %d faults fired", run.Firings)
	}
	if why := run.Why(); why != "" {
		s += "  " + why
	}
	if run.Kept {
		s += "  kept as " + run.Environment
	}
	return OneLine(s)
}

// label formats a state so that all but passed stand out.
func label(s outcome.State) string {
	if s == outcome.Passed {
		return "passed"
	}
	return strings.ToUpper(string(s))
}

// OneLine returns a text for a terminal on one line, without control characters:
// data of a world must not move the cursor.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		return c
	}, Plain(s))
}

// Plain removes the control characters of a text for a terminal, except line
// breaks and tabs.
func Plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c < 0x20 || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069:
			return '�'
		}
		return c
	}, s)
}

func number(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.3g", f), ".0") }

func seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Quiet writes only warnings.
type Quiet struct {
	mu  sync.Mutex
	Err io.Writer
}

// Started does nothing.
func (*Quiet) Started(int, *task.Task, int) {}

// Ended does nothing.
func (*Quiet) Ended(int, *outcome.Run) {}

// Warn writes a warning.
func (q *Quiet) Warn(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, _ = fmt.Fprintln(q.Err, "understudy:", OneLine(err.Error()))
}

// JSONLines writes a JSON object for each completed run.
type JSONLines struct {
	mu  sync.Mutex
	Out io.Writer
	Err io.Writer
}

// Started does nothing.
func (*JSONLines) Started(int, *task.Task, int) {}

// Ended writes the object of a run.
func (l *JSONLines) Ended(_ int, run *outcome.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	brief := *run
	brief.Evidence = nil
	l.encode(map[string]any{"run": brief})
}

// Summary writes the object for all runs.
func (l *JSONLines) Summary(v any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.encode(map[string]any{"summary": v})
}

func (l *JSONLines) encode(v any) {
	e := json.NewEncoder(l.Out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// Warn writes a warning.
func (l *JSONLines) Warn(err error) { _, _ = fmt.Fprintln(l.Err, "understudy:", OneLine(err.Error())) }
