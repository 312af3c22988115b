package report

import "understudy/internal/task/outcome"

// The most that the head of the page contains.
const (
	shownReasons  = 10
	shownAffected = 8 // runs with one reason
)

// reasons are the reasons why runs did not pass.
type reasons struct {
	List []*reason
	More int // number of runs whose reasons are not shown
}

// reason is the reason why some runs of a task did not pass.
type reason struct {
	Task, Text string
	Runs       []*outcome.Run // the first of them
	More       int            // number of further ones
}

// reasonsOf returns the reasons why runs did not pass, in the order of the runs;
// runs of a task with the same reason are grouped.
func reasonsOf(r *Report) (out reasons) {
	type name struct{ task, text string }
	known := map[name]*reason{}
	for i := range r.Runs {
		run := &r.Runs[i]
		if run.State == outcome.Passed {
			continue
		}
		n := name{run.Task, run.Why()}
		if known[n] == nil {
			if len(out.List) == shownReasons {
				out.More++
				continue
			}
			known[n] = &reason{Task: n.task, Text: n.text}
			out.List = append(out.List, known[n])
		}
		if one := known[n]; len(one.Runs) < shownAffected {
			one.Runs = append(one.Runs, run)
		} else {
			one.More++
		}
	}
	return out
}
