// Package report writes the outcomes of runs: a table for people, JUnit for CI,
// JSON for programs and one HTML file.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"understudy/internal/task/figures"
	"understudy/internal/task/outcome"
)

// Report is the outcomes of the runs of one command.
type Report struct {
	outcome.Session
	Figures   []figures.Figures `json:"figures" jsonschema:"Of each task."`
	Mean      figures.Figures   `json:"mean" jsonschema:"Over the tasks."`
	OnError   string            `json:"on_error" jsonschema:"fail: runs that ended with an error count as not passed; exclude: they do not count."`
	Threshold []Reached         `json:"thresholds"`
	Met       bool              `json:"met" jsonschema:"Whether every threshold was met; without one, whether every run passed."`
}

// Reached is a threshold with the value reached.
type Reached struct {
	Threshold string   `json:"threshold"`
	Value     *float64 `json:"value"`
	Met       bool     `json:"met"`
}

// New returns the report of a session.
func New(s outcome.Session, thresholds []*figures.Threshold, exclude bool) *Report {
	r := &Report{Session: s, OnError: "fail", Met: true, Figures: []figures.Figures{}, Threshold: []Reached{}}
	if exclude {
		r.OnError = "exclude"
	}
	all := make([][]outcome.Run, len(s.Tasks))
	for i, t := range s.Tasks {
		all[i] = r.RunsOf(t.Name)
		r.Figures = append(r.Figures, figures.Of(t.Name, all[i], s.Wanted, exclude))
	}
	r.Mean = figures.Mean(r.Figures)
	for _, t := range thresholds {
		value, met := t.Met(all, exclude)
		r.Threshold = append(r.Threshold, Reached{t.String(), value, met})
		r.Met = r.Met && met
	}
	if len(thresholds) == 0 {
		r.Met = r.Mean.Passed == r.Mean.Runs-r.Mean.Excluded && r.Mean.Passed > 0
	}
	return r
}

// Summary is a report without its runs.
type Summary struct {
	Runs        int               `json:"runs"`
	Wanted      int               `json:"wanted"`
	Seconds     float64           `json:"seconds"`
	Interrupted bool              `json:"interrupted"`
	Figures     []figures.Figures `json:"figures"`
	Mean        figures.Figures   `json:"mean"`
	Threshold   []Reached         `json:"thresholds"`
	Met         bool              `json:"met"`
}

// Summary returns the report without its runs.
func (r *Report) Summary() Summary {
	return Summary{len(r.Runs), r.Wanted * len(r.Tasks), r.Seconds, r.Interrupted, r.Figures, r.Mean, r.Threshold, r.Met}
}

// RunsOf returns the runs of a task.
func (r *Report) RunsOf(task string) (out []outcome.Run) {
	for _, run := range r.Runs {
		if run.Task == task {
			out = append(out, run)
		}
	}
	return out
}

// Table writes the figures of each task and of all for people.
func (r *Report) Table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := []string{"TASK", "RUNS", "PASSED", "FAILED", "TIMEOUT", "ERROR", "SCORE"}
	for _, t := range r.Mean.Tries {
		head = append(head, fmt.Sprintf("PASS@%d", t.K))
	}
	for _, t := range r.Mean.Tries[min(1, len(r.Mean.Tries)):] { // pass^1 is pass@1
		head = append(head, fmt.Sprintf("PASS^%d", t.K))
	}
	head = append(head, "SECONDS", "REQUESTS", "FIRINGS")
	_, _ = fmt.Fprintln(w, strings.Join(head, "\t"))
	rows := r.Figures
	if len(rows) > 1 {
		mean := r.Mean
		mean.Task = "all"
		rows = append(rows[:len(rows):len(rows)], mean)
	}
	for _, f := range rows {
		cells := []string{f.Task, fmt.Sprint(f.Runs), fmt.Sprint(f.Passed), fmt.Sprint(f.Failed), fmt.Sprint(f.Timeout), fmt.Sprint(f.Error), share(f.Score)}
		for _, t := range f.Tries {
			cells = append(cells, share(t.Any))
		}
		for _, t := range f.Tries[min(1, len(f.Tries)):] {
			cells = append(cells, share(t.Each))
		}
		if f.Usual != nil {
			cells = append(cells, fmt.Sprintf("%.1f", f.Usual.Seconds), fmt.Sprint(f.Usual.Requests), fmt.Sprint(f.Usual.Firings))
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, t := range r.Threshold {
		word := "met"
		if !t.Met {
			word = "not met"
		}
		_, _ = fmt.Fprintf(out, "threshold %s: %s, %s\n", t.Threshold, share(t.Value), word)
	}
	if r.Mean.Excluded > 0 {
		_, _ = fmt.Fprintf(out, "left out of the figures: %d of %d runs, which ended with an error\n", r.Mean.Excluded, r.Mean.Runs)
	}
	if r.Interrupted {
		_, _ = fmt.Fprintf(out, "interrupted: %d of %d runs ended\n", len(r.Runs), r.Wanted*len(r.Tasks))
	}
	return nil
}

// share formats a figure from 0 to 1.
func share(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g", *v)
}
