package tracker

import (
	"math"
	"time"

	"understudy/internal/tracker/entity"
)

// month is the length of a month in the settings of teams, in microseconds.
const month = 30 * 24 * int64(time.Hour/time.Microsecond)

// months returns a setting in months as microseconds.
func months(n float64) int64 { return int64(math.Round(n * float64(month))) }

// wakeIssues ends the snoozing of issues that are due.
func (r *run) wakeIssues(upTo int64) error {
	due, err := Issues.Select(r.Tx, "WHERE t.org = ? AND t.team = ? AND t.snoozed_until > 0 AND t.snoozed_until <= ? ORDER BY t.snoozed_until, t.id LIMIT ?",
		r.Tenant, r.team.ID, upTo, stepChanges)
	if err != nil {
		return err
	}
	for _, old := range due {
		i := *old
		i.SnoozedUntil, i.SnoozedBy = 0, ""
		r.at(old.SnoozedUntil)
		if _, err := r.saveIssue(old, &i, "update"); err != nil {
			return err
		}
	}
	return nil
}

// closeStale closes open issues that nobody has changed for the team's
// autoClosePeriod and that are in no running cycle or project.
func (r *run) closeStale(upTo int64) error {
	state, err := r.staleState()
	if err != nil || state == nil {
		return err
	}
	due, err := issuesToClose(r.Tx, r.Tenant, r.team.ID, months(*r.team.Options.AutoClosePeriod), upTo, stepChanges)
	if err != nil {
		return err
	}
	for _, x := range due {
		old, err := Issues.Find(r.View, x.id)
		if err != nil {
			return err
		}
		if old == nil || old.closed() || old.Archived != 0 { // closed with its parent meanwhile
			continue
		}
		was, err := States.Find(r.View, old.State)
		if err != nil {
			return err
		}
		r.at(x.due)
		i := *old
		r.enterState(&i, was, state)
		i.AutoClosed = x.due
		saved, err := r.saveIssue(old, &i, "update")
		if err != nil {
			return err
		}
		if err := r.closeRelatives(old, saved); err != nil {
			return err
		}
	}
	return nil
}

// staleState returns the state to which stale issues move: the state in the team's
// settings, or else its first canceled state. It returns nil if the team does not close
// issues by age.
func (r *run) staleState() (*WorkflowState, error) {
	o := &r.team.Options
	if o.AutoClosePeriod == nil || *o.AutoClosePeriod <= 0 {
		return nil, nil
	}
	if o.AutoCloseState != nil {
		s, err := States.Find(r.View, lower(*o.AutoCloseState))
		if err != nil || s != nil && s.Team == r.team.ID && s.Archived == 0 && s.closes() {
			return s, err
		}
	}
	return r.firstState(r.team.ID, "canceled")
}

// closes reports whether issues in the state are closed.
func (s *WorkflowState) closes() bool {
	return s.Type == "completed" || s.Type == "canceled" || s.Type == "duplicate"
}

// archiveClosed archives issues that have been closed for the team's
// autoArchivePeriod, and the cycles and projects that have no other issues.
func (r *run) archiveClosed(upTo int64) error {
	if r.team.Options.AutoArchivePeriod <= 0 {
		return nil
	}
	due, err := issuesToArchive(r.Tx, r.Tenant, r.team.ID, months(r.team.Options.AutoArchivePeriod), upTo, stepChanges)
	if err != nil {
		return err
	}
	for _, x := range due {
		old, err := Issues.Find(r.View, x.id)
		if err != nil || old == nil {
			return err
		}
		r.at(x.due)
		i := *old
		i.Archived, i.AutoArchived = x.due, x.due
		if _, err := r.saveIssue(old, &i, archiveAction); err != nil {
			return err
		}
		if err := r.archivePlan(&i); err != nil {
			return err
		}
	}
	return nil
}

// archivePlan archives the cycle and the project of an issue when all their
// issues are archived.
func (r *run) archivePlan(i *Issue) error {
	if c, err := Cycles.Find(r.View, i.Cycle); err != nil {
		return err
	} else if c != nil && c.Archived == 0 && c.Completed != 0 {
		if live, err := heldIssues(r.Tx, r.Tenant, "cycle", c.ID); err != nil {
			return err
		} else if !live {
			gone := *c
			gone.Archived, gone.AutoArchived = r.Micros(), r.Micros()
			if _, err := savedAs(r.writer, Cycles, c, &gone, "remove"); err != nil {
				return err
			}
		}
	}
	p, err := Projects.Find(r.View, i.Project)
	if err != nil || p == nil || p.Archived != 0 || p.Completed+p.Canceled == 0 {
		return err
	}
	live, err := heldIssues(r.Tx, r.Tenant, "project", p.ID)
	if err != nil || live {
		return err
	}
	gone := *p
	gone.Archived, gone.AutoArchived = r.Micros(), r.Micros()
	_, err = savedAs(r.writer, Projects, p, &gone, "remove")
	return err
}

// dueChange updates the due times of teams after a change of an issue. It updates that of
// the issue's team if the issue is snoozed, or can now be archived or closed by age. If
// the issue is closed or removed, it also updates those of the teams of its closed
// sub-issues, which can only be archived then.
func (w *writer) dueChange(old, i *Issue) error {
	moved := i.Team != old.Team
	if i.SnoozedUntil != 0 && (moved || i.SnoozedUntil != old.SnoozedUntil) {
		if err := w.dueBy(i.Team, i.SnoozedUntil); err != nil {
			return err
		}
	}
	if i.Archived == 0 && (moved || old.Archived != 0 || i.closed() != old.closed()) {
		settings, err := w.settingsOf(i.Team)
		if err != nil {
			return err
		}
		at := never
		switch {
		case i.closed() && settings.AutoArchivePeriod > 0:
			at = max(i.Completed+i.Canceled, i.Restored) + months(settings.AutoArchivePeriod)
		case !i.closed() && settings.AutoClosePeriod != nil:
			at = w.Micros() + months(*settings.AutoClosePeriod)
		}
		if at != never {
			if err := w.dueBy(i.Team, at); err != nil {
				return err
			}
		}
	}
	ended := func(i *Issue) bool { return i.closed() || i.Archived != 0 }
	if !ended(i) || ended(old) || old.ID == "" {
		return nil
	}
	teams, err := teamsOfClosedChildren(w.View, i.ID)
	for _, id := range teams {
		if err == nil {
			err = w.dueBy(id, 0)
		}
	}
	return err
}

// dueTeams makes the teams of a project due, because its issues may be archived once the
// project has ended.
func (w *writer) dueTeams(p *Project) error {
	for _, id := range entity.Split(p.TeamIDs) {
		if err := w.dueBy(id, 0); err != nil {
			return err
		}
	}
	return nil
}
