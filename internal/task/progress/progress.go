// Package progress shows how runs go: a bar with a line for each worker on a
// terminal, else a line for each run that has ended, or JSON.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/task"
	"understudy/internal/task/outcome"
)

// Lines writes a line for each run that has ended.
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
	_, _ = fmt.Fprintln(l.Err, "understudy:", plain(err.Error()))
}

// Line returns a run as one line: how it ended and, unless it passed, why.
func Line(run *outcome.Run, runs int) string {
	s := fmt.Sprintf("%-7s %s %d/%d  score %s  %s  %d requests", label(run.State), run.Task, run.Number, runs, number(run.Score), seconds(run.Seconds), run.Requests)
	if run.Firings > 0 {
		s += fmt.Sprintf("  %d faults fired", run.Firings)
	}
	if why := Why(run); why != "" {
		s += "  " + why
	}
	if run.Kept {
		s += "  kept as " + run.Environment
	}
	return plain(s)
}

// label returns a state as lines show it: what is not passed stands out.
func label(s outcome.State) string {
	if s == outcome.Passed {
		return "passed"
	}
	return strings.ToUpper(string(s))
}

// Why returns why a run did not pass: its reason, or the first check that failed.
func Why(run *outcome.Run) string {
	if run.State == outcome.Passed {
		return ""
	}
	why := run.Reason
	if run.Verdict != nil {
		for _, c := range run.Verdict.Checks {
			if c.Passed == nil || *c.Passed {
				continue
			}
			text := c.ID
			for _, more := range []string{c.Name, c.Message} {
				if more != "" {
					text += ": " + more
				}
			}
			if why != "" {
				text = why + "; " + text
			}
			return text
		}
	}
	return why
}

// plain returns text for a terminal, on one line and without control characters:
// what a world holds must not move the cursor.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\r' || c == '\t':
			return ' '
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

// JSONLines writes a JSON object for each run that has ended.
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

// Summary writes the object of the whole.
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
func (l *JSONLines) Warn(err error) { _, _ = fmt.Fprintln(l.Err, "understudy:", plain(err.Error())) }

// Bar draws a bar and a line for each worker on a terminal.
type Bar struct {
	Lines
	Width   int
	Workers int

	began   time.Time
	ended   map[outcome.State]int
	running []string // by worker
	since   []time.Time
	drawn   int // lines
	stop    chan struct{}
	stopped chan struct{}
}

// NewBar returns a bar that is drawn until it is closed.
func NewBar(out io.Writer, width, workers, runs, total int) *Bar {
	b := &Bar{Lines: Lines{Out: out, Err: out, Runs: runs, Total: total}, Width: width, Workers: workers, began: clock.Real(),
		ended: map[outcome.State]int{}, running: make([]string, workers), since: make([]time.Time, workers), stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(b.stopped)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.mu.Lock()
				b.draw()
				b.mu.Unlock()
			case <-b.stop:
				return
			}
		}
	}()
	return b
}

// Close removes the bar.
func (b *Bar) Close() {
	close(b.stop)
	<-b.stopped
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// Started notes what a worker does.
func (b *Bar) Started(worker int, t *task.Task, number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[worker], b.since[worker] = fmt.Sprintf("%s %d/%d", t.Name, number, b.Runs), clock.Real()
}

// Ended counts a run. Of one that did not pass, the line stays.
func (b *Bar) Ended(worker int, run *outcome.Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended[run.State]++
	b.running[worker] = ""
	if run.State != outcome.Passed {
		b.clear()
		_, _ = fmt.Fprintln(b.Out, Line(run, b.Runs))
	}
	b.draw()
}

// Warn writes a warning above the bar.
func (b *Bar) Warn(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	_, _ = fmt.Fprintln(b.Err, "understudy:", plain(err.Error()))
}

func (b *Bar) clear() {
	if b.drawn > 0 {
		_, _ = fmt.Fprintf(b.Out, "\x1b[%dA\x1b[J", b.drawn)
	}
	b.drawn = 0
}

func (b *Bar) draw() {
	b.clear()
	lines := b.text(clock.Real())
	for _, line := range lines {
		_, _ = fmt.Fprintln(b.Out, line)
	}
	b.drawn = len(lines)
}

// text returns the lines of the bar at a time.
func (b *Bar) text(now time.Time) []string {
	done := 0
	for _, n := range b.ended {
		done += n
	}
	const cells = 24
	full := cells * done / max(b.Total, 1)
	head := fmt.Sprintf("[%s%s] %d/%d  passed %d  failed %d  error %d", strings.Repeat("█", full), strings.Repeat("·", cells-full), done, b.Total,
		b.ended[outcome.Passed], b.ended[outcome.Failed]+b.ended[outcome.Timeout], b.ended[outcome.Error])
	if done > 0 && done < b.Total {
		left := time.Duration(float64(now.Sub(b.began)) / float64(done) * float64(b.Total-done))
		head += "  " + left.Round(time.Second).String() + " left"
	}
	lines := []string{head}
	for i, what := range b.running {
		if what != "" {
			what = fmt.Sprintf("  %s  %s", what, now.Sub(b.since[i]).Round(time.Second))
		}
		lines = append(lines, what)
	}
	for i, line := range lines {
		if runes := []rune(line); len(runes) >= b.Width && b.Width > 1 {
			lines[i] = string(runes[:b.Width-1])
		}
	}
	return lines
}
