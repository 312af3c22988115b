package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// set changes settings of a team.
func (o *office) set(team *Team, settings map[string]any) {
	o.Helper()
	_, err := o.t.UpdateTeam(context.Background(), o.p, team.ID, CreateTeam{Settings: settings})
	o.must(err)
}

// cycles returns a text with the cycles of a team, sorted by start: number, days, a mark
// for completed ones, and the issues in each.
func (o *office) cycles(team *Team) string {
	o.Helper()
	var out []string
	o.read(func(v *View) {
		all, err := Cycles.Select(v.Tx, "WHERE t.org = ? AND t.team = ? AND t.archived = 0 ORDER BY t.starts", v.Tenant, team.ID)
		o.must(err)
		for _, c := range all {
			issues, err := Issues.Where(v, "t.cycle = ? AND t.cycle <> ''", c.ID)
			o.must(err)
			text := fmt.Sprintf("%d:%s-%s", c.Number, day(c.Starts), day(c.Ends))
			if c.Completed != 0 {
				text += "!"
			}
			for _, i := range issues {
				text += " " + i.Identifier
			}
			out = append(out, text)
		}
	})
	return strings.Join(out, ", ")
}

func day(micros int64) string { return time.UnixMicro(micros).UTC().Format("01/02") }

func (o *office) is(what, got, want string) {
	o.Helper()
	if got != want {
		o.Errorf("%s: %s, want %s", what, got, want)
	}
}

func (o *office) get(i *Issue) *Issue {
	o.Helper()
	var out *Issue
	o.read(func(v *View) {
		var err error
		out, err = Issues.Find(v, i.ID)
		o.must(err)
	})
	return out
}

// A team with cycles always has a current cycle and as many upcoming ones as its
// settings require. The open issues of an ended cycle move to the next one, with events
// without an actor.
func TestCyclesFollowTheClock(t *testing.T) {
	both(t, func(o *office) { // Sunday, 2026-03-01
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1, "upcomingCycleCount": 2})
		o.is("switched on", o.cycles(team), "1:02/23-03/02, 2:03/02-03/09, 3:03/09-03/16")
		var active string
		o.read(func(v *View) {
			found, err := v.Team("ENG")
			o.must(err)
			active = found.ActiveCycle
		})
		in := func(w *WriteIssue) { w.Cycle = opt.Some(active) }
		open, done := o.issue(team, "Open", in), o.issue(team, "Done", in)
		o.update(done, WriteIssue{State: opt.Some(o.state(team, "completed").ID)})
		before := len(o.events(1000))
		o.clock.Freeze(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
		o.is("the cycle has ended", o.cycles(team), "1:02/23-03/02! ENG-2, 2:03/02-03/09 ENG-1, 3:03/09-03/16, 4:03/16-03/23")
		o.read(func(v *View) {
			c, err := Cycles.Get(v, active)
			o.must(err)
			o.is("left over", c.Uncompleted, open.ID)
			if c.Completed != c.Ends || c.Updated != c.Ends || c.Active {
				o.Errorf("the cycle: %+v", c)
			}
		})
		var told []string
		for _, e := range o.events(1000)[before:] {
			var p Event
			o.must(json.Unmarshal(e.Payload, &p))
			told = append(told, e.Type)
			if p.Actor != nil || p.CreatedAt != "2026-03-02T00:00:00.000Z" {
				o.Errorf("%s by %v at %s", e.Type, p.Actor, p.CreatedAt)
			}
			if e.Type == "issue.updated" && p.UpdatedFrom["cycleId"] != active {
				o.Errorf("updatedFrom: %v", p.UpdatedFrom)
			}
		}
		o.is("events", strings.Join(told, " "), "cycle.created cycle.updated issue.updated")
	})
}

// One large step of the clock has the same result as many small ones.
func TestAJumpIsAsManySteps(t *testing.T) {
	both(t, func(o *office) {
		period := 1.0
		teams := map[string]*Team{}
		for _, key := range []string{"JUMP", "STEP"} {
			team := o.team(key)
			teams[key] = team
			o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 2, "cycleCooldownTime": 1, "upcomingCycleCount": 3,
				"timezone": "America/New_York", "autoArchivePeriod": 1, "autoClosePeriod": period})
		}
		start := o.clock.Now()
		state := func(key string) string {
			var out []string
			o.read(func(v *View) {
				all, err := Issues.Where(v, "t.team = ?", teams[key].ID)
				o.must(err)
				for _, i := range all {
					cycle := int64(0)
					if c, err := Cycles.Find(v, i.Cycle); err == nil && c != nil {
						cycle = c.Number
					}
					out = append(out, fmt.Sprintf("%s cycle %d closed %d archived %d", i.Title, cycle, i.AutoClosed, i.AutoArchived))
				}
				cycles, err := Cycles.Where(v, "t.team = ?", teams[key].ID)
				o.must(err)
				for _, c := range cycles {
					out = append(out, fmt.Sprintf("%d %d-%d %d %d %d", c.Number, c.Starts, c.Ends, c.Completed, c.Archived, len(strings.Fields(c.Uncompleted))))
				}
			})
			slices.Sort(out)
			return strings.Join(out, "\n")
		}
		for _, team := range teams {
			var active string
			o.clock.Freeze(start)
			o.read(func(v *View) {
				open, err := openCycles(v, team.ID)
				o.must(err)
				active = open[0].ID
			})
			make := func(title string, change ...func(*WriteIssue)) *Issue {
				o.clock.Freeze(start)
				return o.issue(team, title, change...)
			}
			in := func(w *WriteIssue) { w.Cycle = opt.Some(active) }
			make("planned", in)
			make("stale")
			done := make("done", in)
			parent := make("parent")
			child := make("child", func(w *WriteIssue) { w.Parent = opt.Some(parent.ID) })
			for _, i := range []*Issue{done, child} {
				o.clock.Freeze(start)
				o.update(i, WriteIssue{State: opt.Some(o.state(team, "completed").ID)})
			}
		}
		snapshot := map[string]string{}
		end := start.Add(120 * 24 * time.Hour)
		// Every read applies what is due in both teams, so each team is tested while the
		// other one is deleted.
		for _, key := range []string{"STEP", "JUMP"} {
			other := map[string]string{"STEP": "JUMP", "JUMP": "STEP"}[key]
			o.clock.Freeze(start.Add(time.Minute))
			_, err := o.t.DeleteTeam(context.Background(), o.p, teams[other].ID)
			o.must(err)
			if key == "STEP" {
				for o.clock.Now().Before(end) {
					o.clock.Advance(11 * time.Hour)
					o.read(func(*View) {})
				}
			}
			o.clock.Freeze(end)
			snapshot[key] = state(key)
			o.clock.Freeze(start.Add(time.Minute))
			_, err = o.t.UnarchiveTeam(context.Background(), o.p, teams[other].ID)
			o.must(err)
		}
		if snapshot["JUMP"] != snapshot["STEP"] {
			o.Errorf("a jump:\n%s\nsteps:\n%s", snapshot["JUMP"], snapshot["STEP"])
		}
		if !strings.Contains(snapshot["JUMP"], "planned cycle 7") || strings.Contains(snapshot["JUMP"], "stale cycle 0 closed 0") {
			o.Errorf("what happened:\n%s", snapshot["JUMP"])
		}
	})
}

// Concurrent readers and writers apply what is due only once.
func TestWhatIsDueHappensOnce(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1})
		o.issue(team, "open", func(*WriteIssue) {})
		o.clock.Advance(50 * 24 * time.Hour)
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				if n%2 == 0 {
					_, err := o.t.CreateIssue(context.Background(), o.p, WriteIssue{Team: opt.Some(team.ID), Title: opt.Some("x")})
					o.must(err)
				}
				o.must(o.t.Read(context.Background(), o.p, func(*View) error { return nil }))
				o.must(o.t.ClockMoved(context.Background()))
			})
		}
		all.Wait()
		got := o.cycles(team)
		for n := 1; n <= 11; n++ {
			if strings.Count(", "+got, fmt.Sprintf(", %d:", n)) != 1 {
				o.Fatalf("cycles: %s", got)
			}
		}
		if strings.Contains(got, "12:") {
			o.Errorf("too many: %s", got)
		}
	})
}

// Issues that enter states join the current cycle, depending on the settings of the team.
func TestIssuesJoinTheCurrentCycle(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true})
		states := map[string]string{}
		for _, kind := range []string{"backlog", "unstarted", "started", "completed"} {
			states[kind] = o.state(team, kind).ID
		}
		joined := func(kinds ...string) (out string) {
			i := o.issue(team, "x")
			for _, kind := range kinds {
				i = o.update(i, WriteIssue{State: opt.Some(states[kind])})
				out += map[bool]string{true: "in ", false: "out "}[i.Cycle != ""]
			}
			return out
		}
		o.is("off", joined("unstarted", "started", "completed"), "out out out ")
		o.set(team, map[string]any{"cycleIssueAutoAssignStarted": true})
		o.is("started", joined("unstarted", "started"), "out in ")
		o.is("not completed", joined("completed"), "out ")
		o.set(team, map[string]any{"cycleIssueAutoAssignCompleted": true})
		o.is("completed", joined("completed"), "in ")
		o.set(team, map[string]any{"cycleLockToActive": true})
		o.is("locked", joined("unstarted", "backlog", "started"), "in out in ")
	})
}

// A change of the settings changes the dates of upcoming cycles. When cycles are turned
// off, the current cycle ends and no upcoming one is left.
func TestChangedSettingsPlanAnew(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1})
		o.is("weeks", o.cycles(team), "1:02/23-03/02, 2:03/02-03/09, 3:03/09-03/16")
		o.set(team, map[string]any{"cycleDuration": 3, "cycleCooldownTime": 1})
		o.is("three weeks and a pause", o.cycles(team), "1:02/23-03/02, 2:03/09-03/30, 3:04/06-04/27")
		o.set(team, map[string]any{"cycleStartDay": 3, "cycleCooldownTime": 0})
		o.is("another day", o.cycles(team), "1:02/23-03/02, 2:03/04-03/25, 3:03/25-04/15")
		o.set(team, map[string]any{"upcomingCycleCount": 4})
		o.is("more ahead", o.cycles(team), "1:02/23-03/02, 2:03/04-03/25, 3:03/25-04/15, 4:04/15-05/06, 5:05/06-05/27")
		o.set(team, map[string]any{"cyclesEnabled": false})
		o.is("off", o.cycles(team), "1:02/23-03/01!")
		o.clock.Advance(100 * 24 * time.Hour)
		o.is("and off", o.cycles(team), "1:02/23-03/01!")
		o.set(team, map[string]any{"cyclesEnabled": true, "upcomingCycleCount": 1})
		o.is("on again", o.cycles(team), "1:02/23-03/01!, 6:06/03-06/24, 7:06/24-07/15")
	})
}

// Settings with which no rule could work are rejected with an error that names the
// setting.
func TestAbsurdSettingsAreRefused(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		for _, in := range []map[string]any{{"cycleDuration": 0}, {"cycleDuration": 1e9}, {"cycleDuration": -3}, {"cycleStartDay": 7}, {"cycleStartDay": 1.5},
			{"cycleCooldownTime": 1e300}, {"upcomingCycleCount": 1e6}, {"autoArchivePeriod": -1}, {"autoArchivePeriod": 1e18}, {"autoClosePeriod": 1e18},
			{"timezone": "Mars/Olympus"}, {"timezone": "../../etc/passwd"}, {"timezone": "Local"}, {"timezone": ""},
			{"issueEstimationType": "hours"}} {
			_, err := o.t.UpdateTeam(context.Background(), o.p, team.ID, CreateTeam{Settings: in})
			o.refused(err, BadArgument)
		}
	})
}

// Of the cycles that have ended only the last is in cooldown.
func TestOneCycleIsInCooldown(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1, "cycleCooldownTime": 1})
		o.read(func(*View) {})
		o.clock.Advance(17 * 24 * time.Hour)
		o.read(func(v *View) {
			for cond, want := range map[string]int{"isInCooldown": 1, "isPast": 2} {
				p, err := Cycles.List(v, entity.Query{Filter: f(cond, f("eq", true))})
				o.must(err)
				if len(p.Nodes) != want {
					o.Errorf("%s: %d cycles, want %d", cond, len(p.Nodes), want)
				}
			}
		})
	})
}

// After a step of the clock by ten years, each caller waits for a bounded part of the
// work, and all of the work is done in the end.
func TestALongJumpIsBounded(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.set(team, map[string]any{"cyclesEnabled": true, "cycleDuration": 1})
		o.read(func(*View) {})
		for n := range 3 {
			i := o.issue(team, fmt.Sprint(n))
			var active string
			o.read(func(v *View) {
				open, err := openCycles(v, team.ID)
				o.must(err)
				active = open[0].ID
			})
			o.update(i, WriteIssue{Cycle: opt.Some(active)})
		}
		o.clock.Advance(10 * 365 * 24 * time.Hour)
		began := time.Now()
		o.must(o.t.ClockMoved(context.Background()))
		if took := time.Since(began); took > 20*time.Second {
			o.Errorf("ten years took %s", took)
		}
		got := o.cycles(team)
		if !strings.Contains(got, "523:02/22-03/01 ENG-1 ENG-2 ENG-3, ") && !strings.Contains(got, "ENG-1 ENG-2 ENG-3, 524") {
			o.Errorf("the issues are not in the current cycle: …%s", got[max(0, len(got)-200):])
		}
		before := len(o.events(100000))
		o.clock.Freeze(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) // the clock goes back
		o.must(o.t.ClockMoved(context.Background()))
		if n := len(o.events(100000)); n != before {
			o.Errorf("%d events of a clock that went back", n-before)
		}
	})
}
