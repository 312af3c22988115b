package tracker

import (
	"context"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/opt"
)

// Closed issues are archived a period after they were closed, unless they belong to an
// open parent, cycle or project. Cycles and projects without other issues are archived
// with them.
func TestClosedIssuesAreArchivedByAge(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		done := WriteIssue{State: opt.Some(o.state(team, "completed").ID)}
		p, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some([]string{team.ID})})
		o.must(err)
		plain, parent := o.issue(team, "plain"), o.issue(team, "parent")
		child := o.issue(team, "child", func(w *WriteIssue) { w.Parent = opt.Some(parent.ID) })
		planned := o.issue(team, "planned", func(w *WriteIssue) { w.Project = opt.Some(p.EntityID) })
		o.issue(team, "open")
		for _, i := range []*Issue{plain, child, planned} {
			o.update(i, done)
		}
		closed := o.get(plain).Completed
		archived := func() (out string) {
			o.read(func(v *View) {
				all, err := Issues.Where(v, "t.archived <> 0")
				o.must(err)
				for _, i := range all {
					if i.AutoArchived != i.Archived {
						o.Errorf("%s: archived %d, by itself %d", i.Title, i.Archived, i.AutoArchived)
					}
					out += i.Title + " "
				}
			})
			return out
		}
		o.clock.Freeze(time.UnixMicro(closed + 6*month - 1))
		o.is("a moment before", archived(), "")
		o.clock.Advance(time.Microsecond)
		o.is("at the time", archived(), "plain ")
		if i := o.get(plain); i.AutoArchived != closed+6*month {
			o.Errorf("archived at %d", i.AutoArchived)
		}
		o.clock.Advance(time.Hour)
		o.update(parent, done)
		o.is("the parent is closed", archived(), "plain child ")
		var status *ProjectStatus
		o.read(func(v *View) {
			all, err := v.Statuses()
			o.must(err)
			for _, s := range all {
				if s.Type == "completed" {
					status = s
				}
			}
		})
		_, err = o.t.UpdateProject(ctx, o.p, p.EntityID, WriteProject{Status: opt.Some(status.ID)})
		o.must(err)
		o.is("the project has just been completed", archived(), "plain child ")
		o.clock.Advance(30 * 24 * time.Hour)
		o.is("a month later", archived(), "plain child planned ")
		o.read(func(v *View) {
			project, err := Projects.Find(v, p.EntityID)
			o.must(err)
			if project.AutoArchived == 0 || project.Archived != project.AutoArchived {
				o.Errorf("the project: %+v", project)
			}
		})
		_, err = o.t.UnarchiveIssue(ctx, o.p, plain.ID)
		o.must(err)
		o.is("brought back", archived(), "child planned ")
		o.clock.Advance(6 * 30 * 24 * time.Hour)
		o.is("as long again", archived(), "plain parent child planned ")
	})
}

// Open issues that nobody changes are closed, unless they have new comments or belong
// to a running cycle or project.
func TestStaleIssuesAreClosed(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		var target *WorkflowState
		c, err := o.t.CreateState(ctx, o.p, CreateState{Team: team.ID, Name: "Stale", Type: "canceled", Color: "#000000"})
		o.must(err)
		target = c.Entity
		o.refused(func() error {
			_, err := o.t.UpdateTeam(ctx, o.p, team.ID, CreateTeam{Settings: map[string]any{"autoCloseStateId": o.state(team, "backlog").ID}})
			return err
		}(), BadInput)
		o.set(team, map[string]any{"autoClosePeriod": 3, "autoCloseStateId": target.ID, "autoCloseChildIssues": true})
		p, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some([]string{team.ID})})
		o.must(err)
		stale, talked := o.issue(team, "stale"), o.issue(team, "talked")
		child := o.issue(team, "child", func(w *WriteIssue) { w.Parent = opt.Some(stale.ID) })
		planned := o.issue(team, "planned", func(w *WriteIssue) { w.Project = opt.Some(p.EntityID) })
		o.clock.Advance(60 * 24 * time.Hour)
		_, err = o.t.CreateComment(ctx, o.p, CreateComment{Issue: talked.ID, Body: "Still wanted"})
		o.must(err)
		o.clock.Advance(30 * 24 * time.Hour)
		if i := o.get(stale); i.State != target.ID || i.AutoClosed != i.Created+3*month || i.Canceled != i.AutoClosed {
			o.Errorf("stale: %+v", i)
		}
		if i := o.get(child); i.Canceled == 0 {
			o.Errorf("its sub-issue: %+v", i)
		}
		for _, i := range []*Issue{talked, planned} {
			if got := o.get(i); got.closed() {
				o.Errorf("%s is closed", got.Title)
			}
		}
		o.clock.Advance(60 * 24 * time.Hour)
		if !o.get(talked).closed() || o.get(planned).closed() {
			o.Error("two months later")
		}
		reopened := o.update(stale, WriteIssue{State: opt.Some(o.state(team, "started").ID)})
		if reopened.AutoClosed != 0 {
			o.Errorf("reopened: %+v", reopened)
		}
	})
}

// The snoozing of an issue ends at its time, with an event, or when another user changes
// the issue.
func TestSnoozedIssuesWake(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		bob := o.member("bob@acme.test")
		until := o.clock.Now().Add(48 * time.Hour)
		snooze := WriteIssue{SnoozedUntil: opt.Some(until.UnixMicro())}
		a, b, c := o.issue(team, "a"), o.issue(team, "b"), o.issue(team, "c")
		for _, i := range []*Issue{a, b, c} {
			if got := o.update(i, snooze); got.SnoozedBy != o.p.Subject || got.SnoozedUntil != until.UnixMicro() {
				o.Fatalf("snoozed: %+v", got)
			}
		}
		_, err := o.t.CreateComment(ctx, bob, CreateComment{Issue: b.ID, Body: "Look"})
		o.must(err)
		_, err = o.t.UpdateIssue(ctx, bob, c.ID, WriteIssue{Priority: opt.Some(1)})
		o.must(err)
		if o.get(b).SnoozedUntil != 0 || o.get(c).SnoozedUntil != 0 {
			o.Error("it sleeps on")
		}
		o.update(a, WriteIssue{Title: opt.Some("renamed")})
		o.clock.Freeze(until.Add(-time.Second))
		if o.get(a).SnoozedUntil == 0 {
			o.Error("it is awake too early")
		}
		o.clock.Freeze(until)
		if i := o.get(a); i.SnoozedUntil != 0 || i.SnoozedBy != "" || i.Updated != until.UnixMicro() {
			o.Errorf("it sleeps on: %+v", i)
		}
		last := o.events(1)[0]
		if last.Type != "issue.updated" || last.Key != a.ID || !strings.Contains(string(last.Payload), `"snoozedUntilAt":"2026-03-03T`) {
			o.Errorf("the event: %s %s", last.Type, last.Payload)
		}
	})
}
