// Package figures computes the statistics of runs of a task: the probability that
// one or all of several tries pass, and medians.
package figures

import (
	"slices"

	"understudy/internal/task/outcome"
)

// Figures are the figures of a task, or the mean of several tasks.
type Figures struct {
	Task     string    `json:"task,omitempty"`
	Runs     int       `json:"runs"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Timeout  int       `json:"timeout"`
	Error    int       `json:"error"`
	Excluded int       `json:"excluded" jsonschema:"Runs that are left out of the figures below, because they ended with an error."`
	Score    *float64  `json:"score" jsonschema:"The mean score; null where no run counts."`
	Tries    []Tries   `json:"tries"`
	Usual    *UsualRun `json:"usual" jsonschema:"Medians of the runs that count."`
}

// Tries are the probabilities for k tries, by the unbiased estimators from n runs
// of which c passed.
type Tries struct {
	K    int      `json:"k"`
	Any  *float64 `json:"pass_at" jsonschema:"pass@k, that at least one of k tries passes: 1 - C(n-c, k)/C(n, k)."`
	Each *float64 `json:"pass_hat" jsonschema:"pass^k, that each of k tries passes: C(c, k)/C(n, k)."`
}

// UsualRun contains medians.
type UsualRun struct {
	Seconds  float64 `json:"seconds"`
	Requests float64 `json:"requests"`
	Firings  float64 `json:"firings"`
}

// Of returns the figures of the runs of a task; n is their planned number.
// exclude leaves out runs that ended with an error.
func Of(task string, runs []outcome.Run, n int, exclude bool) Figures {
	f := Figures{Task: task, Runs: len(runs)}
	counted := []outcome.Run{}
	for _, run := range runs {
		switch run.State {
		case outcome.Passed:
			f.Passed++
		case outcome.Failed:
			f.Failed++
		case outcome.Timeout:
			f.Timeout++
		case outcome.Error:
			if f.Error++; exclude {
				f.Excluded++
				continue
			}
		}
		counted = append(counted, run)
	}
	for _, k := range Steps(n) {
		f.Tries = append(f.Tries, Tries{K: k, Any: passAt(len(counted), f.Passed, k), Each: passHat(len(counted), f.Passed, k)})
	}
	if len(counted) == 0 {
		return f
	}
	score := 0.0
	for _, run := range counted {
		score += run.Score / float64(len(counted))
	}
	f.Score = &score
	median := func(of func(outcome.Run) float64) float64 {
		all := make([]float64, len(counted))
		for i, run := range counted {
			all[i] = of(run)
		}
		slices.Sort(all)
		return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	f.Usual = &UsualRun{median(func(r outcome.Run) float64 { return r.Seconds }), median(func(r outcome.Run) float64 { return float64(r.Requests) }),
		median(func(r outcome.Run) float64 { return float64(r.Firings) })}
	return f
}

// Mean returns the mean over tasks: for each figure, over the tasks that have it.
func Mean(tasks []Figures) Figures {
	var out Figures
	for _, f := range tasks {
		out.Runs += f.Runs
		out.Passed += f.Passed
		out.Failed += f.Failed
		out.Timeout += f.Timeout
		out.Error += f.Error
		out.Excluded += f.Excluded
	}
	mean := func(of func(Figures) *float64) *float64 {
		sum, n := 0.0, 0
		for _, f := range tasks {
			if v := of(f); v != nil {
				sum += *v
				n++
			}
		}
		if n == 0 {
			return nil
		}
		sum /= float64(n)
		return &sum
	}
	out.Score = mean(func(f Figures) *float64 { return f.Score })
	if len(tasks) > 0 {
		for i, t := range tasks[0].Tries {
			out.Tries = append(out.Tries, Tries{K: t.K, Any: mean(func(f Figures) *float64 { return f.Tries[i].Any }),
				Each: mean(func(f Figures) *float64 { return f.Tries[i].Each })})
		}
	}
	return out
}

// Steps returns the values of k for n runs: 1, 2, 4 and so on, and n.
func Steps(n int) (out []int) {
	for k := 1; k < n; k *= 2 {
		out = append(out, k)
	}
	return append(out, max(n, 1))
}

// passAt returns 1 - C(n-c, k)/C(n, k); nil for fewer than k runs.
func passAt(n, c, k int) *float64 {
	if k > n {
		return nil
	}
	none := 1.0
	for i := range k {
		none *= float64(max(n-c-i, 0)) / float64(n-i)
	}
	none = 1 - none
	return &none
}

// passHat returns C(c, k)/C(n, k); nil for fewer than k runs.
func passHat(n, c, k int) *float64 {
	if k > n {
		return nil
	}
	all := 1.0
	for i := range k {
		all *= float64(max(c-i, 0)) / float64(n-i)
	}
	return &all
}
