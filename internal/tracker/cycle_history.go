package tracker

import (
	"time"
)

// tally counts the issues of a cycle, and their points: all of them, those that
// are completed, and those that are started and not completed. An issue without
// an estimate counts one point. Canceled and trashed issues do not count.
type tally struct {
	issues, doneIssues int64
	scope, done, begun float64
}

func (t *tally) add(o tally, times float64) {
	t.issues, t.doneIssues = t.issues+int64(times)*o.issues, t.doneIssues+int64(times)*o.doneIssues
	t.scope, t.done, t.begun = t.scope+times*o.scope, t.done+times*o.done, t.begun+times*o.begun
}

// tally returns what an issue adds to the tally of its cycle.
func (i *Issue) tally() tally {
	if i.Cycle == "" || i.Canceled != 0 || i.Trashed {
		return tally{}
	}
	points := 1.0
	if i.Estimate != nil {
		points = *i.Estimate
	}
	t := tally{issues: 1, scope: points}
	switch {
	case i.Completed != 0:
		t.doneIssues, t.done = 1, points
	case i.Started != 0:
		t.begun = points
	}
	return t
}

// tallyIssue adds a change of an issue to the histories of its old and its new cycle. It
// does not change the history of the cycle that is being closed.
func (w *writer) tallyIssue(old, i *Issue) error {
	was, is := old.tally(), i.tally()
	if old.Cycle == i.Cycle {
		is.add(was, -1)
		return w.tallyCycle(i.Cycle, w.Micros(), is)
	}
	var left tally
	left.add(was, -1)
	if err := w.tallyCycle(old.Cycle, w.Micros(), left); err != nil {
		return err
	}
	return w.tallyCycle(i.Cycle, w.Micros(), is)
}

// redateTally corrects the histories for an issue that has just been created, and
// was started and completed at other times.
func (w *writer) redateTally(old, i *Issue) error {
	for at, change := range i.tallies(w.Micros()) {
		if err := w.tallyCycle(i.Cycle, at, change); err != nil {
			return err
		}
	}
	for at, change := range old.tallies(w.Micros()) {
		var undone tally
		undone.add(change, -1)
		if err := w.tallyCycle(i.Cycle, at, undone); err != nil {
			return err
		}
	}
	return nil
}

// tallies returns, by time, what an issue has added to its cycle since it joined
// the cycle at a time.
func (i *Issue) tallies(joined int64) map[int64]tally {
	now, out := i.tally(), map[int64]tally{}
	add := func(at int64, t tally) {
		sum := out[max(at, joined)]
		sum.add(t, 1)
		out[max(at, joined)] = sum
	}
	add(joined, tally{issues: now.issues, scope: now.scope})
	if i.Started != 0 {
		add(i.Started, tally{begun: now.scope})
	}
	if i.Completed != 0 {
		add(i.Completed, tally{doneIssues: now.doneIssues, done: now.done, begun: -now.scope})
	}
	return out
}

// History is the course of a cycle: its tally at its start, after each of its
// days, and now or at its end. A cycle that has not begun has none.
type History struct {
	Issues, DoneIssues []int64
	Scope, Done, Begun []float64
}

const (
	dayMicros = int64(24 * time.Hour / time.Microsecond)
	// maxDays bounds the days of a history. Its last entry sums up all later days.
	maxDays = 366
)

// moments returns the times of the entries of a cycle's history.
func (c *Cycle) moments(now int64) (out []int64) {
	if c.Starts > now {
		return nil
	}
	end := min(now, c.Ends)
	whole := (c.Ends - c.Starts + dayMicros/2) / dayMicros // rounds, because days with a change of daylight saving time are shorter or longer
	for n := range min(max(whole, 1), maxDays) {
		if at := c.Starts + n*dayMicros; n == 0 || at < end {
			out = append(out, at)
		}
	}
	if end > c.Starts {
		out = append(out, end)
	}
	return out
}

// history computes a cycle's history from its changes, which are sorted by time.
// Changes after the end of a cycle count at its end.
func (c *Cycle) history(changes []tallied, now int64) (h History) {
	var sum tally
	moments := c.moments(now)
	for n, at := range moments {
		for len(changes) > 0 && (changes[0].at <= at || n == len(moments)-1 && c.Ends <= now) {
			sum.add(changes[0].tally, 1)
			changes = changes[1:]
		}
		h.Issues, h.DoneIssues = append(h.Issues, sum.issues), append(h.DoneIssues, sum.doneIssues)
		h.Scope, h.Done, h.Begun = append(h.Scope, sum.scope), append(h.Done, sum.done), append(h.Begun, sum.begun)
	}
	return h
}

// data writes a history into the payload of an event.
func (h *History) data(into map[string]any) {
	into["issueCountHistory"], into["completedIssueCountHistory"] = orEmpty(h.Issues), orEmpty(h.DoneIssues)
	into["scopeHistory"], into["completedScopeHistory"], into["inProgressScopeHistory"] = orEmpty(h.Scope), orEmpty(h.Done), orEmpty(h.Begun)
}

// orEmpty returns a list that is not nil, so that its JSON is [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// resumeHistory continues the history of a cycle that is opened again, with the
// issues that it has now.
func (w *writer) resumeHistory(cycle string) error {
	issues, err := Issues.Where(w.View, "t.cycle = ? AND t.cycle <> ''", cycle)
	if err != nil {
		return err
	}
	now, err := tallyOf(w.Tx, w.Tenant, cycle)
	if err != nil {
		return err
	}
	var change tally
	change.add(now, -1)
	for _, i := range issues {
		change.add(i.tally(), 1)
	}
	return w.tallyCycle(cycle, w.Micros(), change)
}
