package tracker

import (
	"crypto/sha256"
	"time"
	_ "time/tzdata" // for the time zones of teams, on machines without a time zone database

	"understudy/internal/platform/ids"
	"understudy/internal/tracker/calendar"
	"understudy/internal/tracker/entity"
)

// plan returns the division of time into cycles by a team's settings.
func (s *TeamSettings) plan() calendar.Plan {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return calendar.Plan{Zone: zone, StartDay: time.Weekday(int(s.CycleStartDay) % 7), Weeks: max(1, int(s.CycleDuration)), Cooldown: max(0, int(s.CycleCooldown))}
}

// upcoming returns the number of cycles that are created ahead: at least one, so that
// open issues can move to it.
func (s *TeamSettings) upcoming() int { return max(1, int(s.UpcomingCycles)) }

// cycleEvent is a change of a team's cycles at a time: a cycle ends, or one must
// be created.
type cycleEvent struct {
	at   int64
	ends *Cycle // nil when a cycle is to be created
}

// nextCycleEvent returns the first event among cycles up to now, or nil.
func (r *run) nextCycleEvent(open []*Cycle, now int64) *cycleEvent {
	var first *cycleEvent
	see := func(e cycleEvent) {
		if e.at <= now && (first == nil || e.at < first.at) {
			first = &e
		}
	}
	if r.team.Options.Cycles {
		if len(open) == 0 {
			see(cycleEvent{at: min(now, max(r.team.Updated, r.lastEnd))})
		}
		for _, c := range open {
			ahead := 0
			for _, o := range open {
				if o.Starts > c.Starts {
					ahead++
				}
			}
			if ahead < r.team.Options.upcoming() {
				see(cycleEvent{at: max(c.Starts, min(now, r.team.Updated))})
			}
		}
	}
	for _, c := range open {
		see(cycleEvent{c.Ends, c})
	}
	return first
}

// happen applies an event.
func (r *run) happen(e *cycleEvent, open []*Cycle) error {
	r.at(e.at)
	if e.ends == nil {
		_, err := r.addCycle()
		return err
	}
	next := following(open, e.ends)
	if next == nil && r.team.Options.Cycles {
		var err error
		if next, err = r.addCycle(); err != nil {
			return err
		}
	}
	ended := *e.ends
	_, err := r.completeCycle(e.ends, &ended, e.at, next)
	return err
}

// addCycle creates the cycle after the team's last one. A team's first cycle begins on
// the latest start day that has passed.
func (r *run) addCycle() (*Cycle, error) {
	plan := r.team.Options.plan()
	now := time.UnixMicro(r.Micros())
	span := plan.Containing(now)
	if end := time.UnixMicro(r.lastEnd); r.lastEnd != 0 && span.Start.Before(plan.After(end).Start) {
		span = plan.After(end)
	}
	number, err := nextCycle(r.Tx, r.Tenant, r.team.ID)
	if err != nil {
		return nil, err
	}
	c := &Cycle{Base: r.fresh(derivedID(r.team.ID, "cycle", digits(number))), Team: r.team.ID, Number: number,
		Starts: span.Start.UnixMicro(), Ends: span.End.UnixMicro()}
	r.lastEnd = c.Ends
	return created(r.writer, Cycles, c)
}

// derivedID returns the id of an entity that the program creates by itself. It is
// derived from parts, so that it does not depend on the time or on other calls.
func derivedID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p + "\x00"))
	}
	return ids.FormatUUID(ids.AsVersion4([16]byte(h.Sum(nil)[:16])))
}

// completeCycle ends a cycle at a time, and saves the other changes from old to c. It
// stores the open issues in the cycle, and moves them to next unless next is nil.
func (w *writer) completeCycle(old, c *Cycle, at int64, next *Cycle) (*Cycle, error) {
	open, err := Issues.Where(w.View, "t.cycle = ? AND t.cycle <> '' AND t.completed = 0 AND t.canceled = 0 AND t.archived = 0", old.ID)
	if err != nil {
		return nil, err
	}
	left := make([]string, len(open))
	for n, i := range open {
		left[n] = i.ID
	}
	c.Completed, c.Ends, c.Uncompleted = at, min(c.Ends, at), entity.Join(left)
	if c.Ends <= c.Starts { // ended before it began
		c.Ends = c.Starts + 1
	}
	if _, err := relink(w.Tx, "tracker_cycle_uncompleted", "cycle", "issue", w.Tenant, c.ID, old.Uncompleted, c.Uncompleted); err != nil {
		return nil, err
	}
	if c, err = saved(w, Cycles, old, c); err != nil || next == nil {
		return c, err
	}
	w.closing = c.ID
	defer func() { w.closing = "" }()
	for _, was := range open {
		i := *was
		i.Cycle, i.AddedToCycle = next.ID, at
		if _, err := w.saveIssue(was, &i, "update"); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// replan adapts the cycles of a team to settings that have just been changed:
// upcoming cycles get new dates. When cycles were turned off, the current one
// ends now and upcoming ones are archived.
func (w *writer) replan(old, team *Team) error {
	was, is := &old.Options, &team.Options
	if !was.Cycles || was.Cycles == is.Cycles && was.plan() == is.plan() {
		return nil
	}
	open, err := openCycles(w.View, team.ID)
	if err != nil {
		return err
	}
	end := int64(0)
	for _, c := range open {
		switch {
		case !is.Cycles && c.Starts <= w.Micros():
			ended := *c
			_, err = w.completeCycle(c, &ended, w.Micros(), nil)
		case !is.Cycles:
			_, err = w.archiveCycle(c)
		case c.Starts <= w.Micros() || end == 0 && c == open[0]:
			end = c.Ends // the current cycle keeps its end
		default:
			span := is.plan().After(time.UnixMicro(end))
			moved := *c
			moved.Starts, moved.Ends = span.Start.UnixMicro(), span.End.UnixMicro()
			end = moved.Ends
			_, err = saved(w, Cycles, c, &moved)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joinCycle adds an issue that has entered a state to a cycle or removes it from
// one, according to its team's settings.
func (w *writer) joinCycle(i *Issue, team *Team, was string, in WriteIssue) error {
	o := &team.Options
	if in.Cycle.Set || !o.Cycles || !o.CycleLockToActive && !o.CycleAssignStarted && !o.CycleAssignCompleted || i.State == was {
		return nil
	}
	s, err := States.Find(w.View, i.State)
	if err != nil {
		return err
	}
	planned := s.Type == "unstarted" || s.Type == "started"
	if o.CycleLockToActive && s.Type == "backlog" {
		i.Cycle, i.AddedToCycle = "", 0
		return nil
	}
	locked := o.CycleLockToActive && planned
	if !locked && (i.Cycle != "" || !(o.CycleAssignStarted && s.Type == "started") && !(o.CycleAssignCompleted && s.Type == "completed")) {
		return nil
	}
	open, err := openCycles(w.View, team.ID)
	if err != nil {
		return err
	}
	for _, c := range open {
		if c.Ends > w.Micros() && (locked || c.Starts <= w.Micros()) {
			if i.Cycle != c.ID {
				i.Cycle, i.AddedToCycle = c.ID, w.Micros()
			}
			return nil
		}
	}
	return nil
}
