package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/opt"
)

// history returns a text with the history of a cycle: issues, completed issues, points,
// completed points and started points, each from the cycle's start on.
func (o *office) history(id string) string {
	o.Helper()
	var c *Cycle
	o.read(func(v *View) {
		var err error
		c, err = v.Cycle(id)
		o.must(err)
	})
	h := c.History
	return fmt.Sprint(h.Issues, h.DoneIssues, h.Scope, h.Done, h.Begun)
}

// The history of a cycle contains the counts of each of its days, whatever the number of
// steps of the clock is. At its end it contains the issues that were still open, with
// which the history of the next cycle begins.
func TestCyclesRememberTheirDays(t *testing.T) {
	both(t, func(o *office) { // Sunday, 2026-03-01
		ctx := context.Background()
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1, "upcomingCycleCount": 2, "issueEstimationType": "linear"})
		at := func(day, hour int) { o.clock.Freeze(time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC)) }
		at(2, 0)
		var cycle, next string
		o.read(func(v *View) {
			open, err := openCycles(v, team.ID)
			o.must(err)
			cycle, next = open[0].ID, open[1].ID
		})
		o.is("at its start", o.history(cycle), "[0] [0] [0] [0] [0]")
		o.is("not begun", o.history(next), "[] [] [] [] []")
		in := func(points int) func(*WriteIssue) {
			return func(w *WriteIssue) { w.Cycle, w.Estimate = opt.Some(cycle), opt.Some(points) }
		}
		state := func(kind string) WriteIssue { return WriteIssue{State: opt.Some(o.state(team, kind).ID)} }
		at(2, 9)
		done, open, gone := o.issue(team, "Done", in(3)), o.issue(team, "Open", in(5)), o.issue(team, "Gone", in(2))
		o.is("the first day", o.history(cycle), "[0 3] [0 0] [0 10] [0 0] [0 0]")
		at(3, 9)
		o.update(done, state("started"))
		o.update(gone, WriteIssue{Cycle: opt.Null[string]()})
		at(4, 9)
		o.update(done, state("completed"))
		o.update(open, WriteIssue{Estimate: opt.Some(8)})
		canceled := o.issue(team, "Canceled", in(1))
		at(5, 0)
		o.is("the fourth day begins", o.history(cycle), "[0 3 2 3] [0 0 0 1] [0 10 8 12] [0 0 0 3] [0 0 3 0]")
		at(5, 9)
		o.update(canceled, state("canceled"))
		trashed := o.issue(team, "Trashed", in(4))
		_, err := o.t.ArchiveIssue(ctx, o.p, trashed.ID, true)
		o.must(err)
		_, err = o.t.DeleteIssue(ctx, o.p, o.issue(team, "Removed", in(4)).ID, true)
		o.must(err)
		at(20, 0) // after the end of this and the next cycle
		o.is("at its end", o.history(cycle), "[0 3 2 3 2 2 2 2] [0 0 0 1 1 1 1 1] [0 10 8 12 11 11 11 11] [0 0 0 3 3 3 3 3] [0 0 3 0 0 0 0 0]")
		o.is("the next", o.history(next), "[1 1 1 1 1 1 1 1] [0 0 0 0 0 0 0 0] [8 8 8 8 8 8 8 8] [0 0 0 0 0 0 0 0] [0 0 0 0 0 0 0 0]")
		_, err = o.t.ArchiveCycle(ctx, o.p, cycle)
		o.must(err)
		o.is("archived", o.history(cycle), "[0 3 2 3 2 2 2 2] [0 0 0 1 1 1 1 1] [0 10 8 12 11 11 11 11] [0 0 0 3 3 3 3 3] [0 0 3 0 0 0 0 0]")
		var p Event
		events := o.events(1)
		o.must(json.Unmarshal(events[0].Payload, &p))
		if got := fmt.Sprint(p.Data["scopeHistory"], p.Data["completedIssueCountHistory"]); got != "[0 10 8 12 11 11 11 11] [0 0 0 1 1 1 1 1]" {
			o.Errorf("the event %s: %s", events[0].Type, got)
		}
	})
}

// The history of a cycle that is opened again continues with the issues that the cycle
// has then. It counts all of several concurrent changes of issues.
func TestHistoriesAddUp(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		start := o.clock.Now().UnixMicro()
		made, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: team.ID, Starts: opt.Some(start), Ends: opt.Some(start + 7*dayMicros)})
		o.must(err)
		later, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: team.ID, Starts: opt.Some(start + 7*dayMicros), Ends: opt.Some(start + 14*dayMicros)})
		o.must(err)
		cycle := made.EntityID
		in := func(w *WriteIssue) { w.Cycle = opt.Some(cycle) }
		issues := []*Issue{o.issue(team, "One", in), o.issue(team, "Two", in), o.issue(team, "Three")}
		o.clock.Advance(24 * time.Hour)
		_, err = o.t.UpdateCycle(ctx, o.p, cycle, WriteCycle{Completed: opt.Some(o.clock.Micros())})
		o.must(err)
		_, err = o.t.UpdateCycle(ctx, o.p, cycle, WriteCycle{Completed: opt.Null[int64](), Ends: opt.Some(start + 6*dayMicros)})
		o.must(err)
		o.clock.Advance(time.Hour)
		if h := o.history(cycle); !strings.HasSuffix(strings.Split(h, "]")[0], " 0") {
			o.Errorf("opened again without its issues: %s", h)
		}
		done, begun := o.state(team, "completed").ID, o.state(team, "started").ID
		var wg sync.WaitGroup
		for n := range 6 {
			wg.Go(func() {
				for k := range 6 {
					change := []WriteIssue{{Cycle: opt.Some(cycle)}, {State: opt.Some(done)}, {Cycle: opt.Some(later.EntityID)}, {State: opt.Some(begun)}, {Cycle: opt.Null[string]()}, {Trashed: opt.Some(k%2 == 0)}}[(n+k)%6]
					if _, err := o.t.UpdateIssue(ctx, o.p, issues[(n+k)%3].ID, change); err != nil {
						o.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for _, id := range []string{cycle, later.EntityID} {
			var want tally
			o.read(func(v *View) {
				in, err := Issues.Where(v, "t.cycle = ? AND t.cycle <> ''", id)
				o.must(err)
				for _, i := range in {
					want.add(i.tally(), 1)
				}
				got, err := tallyOf(v.Tx, v.Tenant, id)
				o.must(err)
				if got != want {
					o.Errorf("the changes add up to %+v, the issues to %+v", got, want)
				}
			})
		}
	})
}

// A cycle may have any length, but its history is bounded.
func TestLongCyclesHaveShortHistories(t *testing.T) {
	year := int64(365) * dayMicros
	for _, tt := range []struct {
		starts, ends, now int64
		want              int
	}{{0, 7000 * year, 6999 * year, maxDays + 1}, {10, 20, 5, 0}, {10, 20, 10, 1}, {10, 20, 15, 2}, {10, 20, 30, 2},
		{0, 14*dayMicros + dayMicros/24, 20 * dayMicros, 15}, {0, 14*dayMicros - dayMicros/24, 20 * dayMicros, 15}, {0, 14 * dayMicros, 3 * dayMicros, 4}} {
		c := &Cycle{Starts: tt.starts, Ends: tt.ends}
		if got := len(c.history(nil, tt.now).Issues); got != tt.want {
			t.Errorf("%d to %d at %d: %d entries, want %d", tt.starts, tt.ends, tt.now, got, tt.want)
		}
	}
}
