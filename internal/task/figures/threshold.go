package figures

import (
	"fmt"
	"regexp"
	"strconv"

	"understudy/internal/task/outcome"
)

// Threshold is a required value of a figure of the mean over tasks.
type Threshold struct {
	text   string
	figure string // pass@, pass^ or score
	k      int
	above  bool // the figure must be above the value, otherwise at least the value
	least  float64
}

var thresholdForm = regexp.MustCompile(`^\s*(?:(pass[@^])([0-9]{1,6})|(score))\s*(>=|>)\s*([0-9]*\.?[0-9]+)\s*$`)

// ParseThreshold parses a threshold such as pass^1>=0.9 or score>0.5. n is the
// number of runs of each task.
func ParseThreshold(text string, n int) (*Threshold, error) {
	m := thresholdForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is not a threshold: write pass@K, pass^K or score, >= or >, and a number, such as 'pass^1>=0.9'", text)
	}
	t := &Threshold{text: text, figure: m[1] + m[3], above: m[4] == ">"}
	t.least, _ = strconv.ParseFloat(m[5], 64)
	if t.least > 1 || t.above && t.least == 1 {
		return nil, fmt.Errorf("%q cannot be reached: no figure is above 1", text)
	}
	if m[2] != "" {
		if t.k, _ = strconv.Atoi(m[2]); t.k < 1 || t.k > n {
			return nil, fmt.Errorf("%q needs from 1 to %d tries: each task has %d runs", text, n, n)
		}
	}
	return t, nil
}

// String returns the threshold as it was written.
func (t *Threshold) String() string { return t.text }

// Met reports whether the mean over tasks reaches the threshold, and returns the
// mean; nil if no run counts.
func (t *Threshold) Met(runs [][]outcome.Run, exclude bool) (value *float64, met bool) {
	sum, n := 0.0, 0
	for _, of := range runs {
		f := Of("", of, len(of), exclude)
		one := f.Score
		switch counted := f.Runs - f.Excluded; t.figure {
		case "pass@":
			one = passAt(counted, f.Passed, t.k)
		case "pass^":
			one = passHat(counted, f.Passed, t.k)
		}
		if one == nil { // a task without a result counts as not passed
			return nil, false
		}
		sum += *one
		n++
	}
	if n == 0 {
		return nil, false
	}
	sum /= float64(n)
	const slack = 1e-9 // rounding error of sums
	if t.above {
		return &sum, sum > t.least+slack
	}
	return &sum, sum >= t.least-slack
}
