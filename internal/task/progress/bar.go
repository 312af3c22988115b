package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/task"
	"understudy/internal/task/outcome"
)

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

// NewBar returns a bar that is drawn until Close.
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

// Started shows the run of a worker.
func (b *Bar) Started(worker int, t *task.Task, number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[worker], b.since[worker] = fmt.Sprintf("%s %d/%d", t.Name, number, b.Runs), clock.Real()
}

// Ended counts a run. If it did not pass, its line remains on the terminal.
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
	_, _ = fmt.Fprintln(b.Err, "understudy:", OneLine(err.Error()))
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

// mostWorkers is how many workers have a line: more could scroll the bar away.
const mostWorkers = 12

// text returns the lines of the bar at now.
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
	for i, what := range b.running[:min(len(b.running), mostWorkers)] {
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
