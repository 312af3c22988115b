package tracker

import (
	"context"
	"fmt"
	"testing"

	"understudy/internal/platform/opt"
)

// Closing an issue also closes its sub-issues and its parent, if the settings of their
// teams require it, each with an event of its own.
func TestClosingClosesRelatives(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		parent := o.issue(team, "Parent")
		under := func(in *WriteIssue) { in.Parent = opt.Some(parent.ID) }
		a, b := o.issue(team, "A", under), o.issue(team, "B", under)
		done, canceled, started := o.state(team, "completed").ID, o.state(team, "canceled").ID, o.state(team, "started").ID
		set := func(name string, on bool) {
			_, err := o.t.UpdateTeam(context.Background(), o.p, team.ID, CreateTeam{Settings: map[string]any{name: on}})
			o.must(err)
		}
		states := func() (out string) {
			o.read(func(v *View) {
				for _, i := range []*Issue{parent, a, b} {
					found, err := Issues.Get(v, i.ID)
					o.must(err)
					out += map[string]string{done: "done ", canceled: "canceled ", started: "started "}[found.State]
				}
			})
			return out
		}
		put := func(i *Issue, state string) { o.update(i, WriteIssue{State: opt.Some(state)}) }
		want := func(when, want string) {
			o.Helper()
			if got := states(); got != want {
				o.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		reopen := func() {
			for _, i := range []*Issue{parent, a, b} {
				put(i, started)
			}
		}
		reopen()
		put(a, done)
		put(b, done)
		want("with both settings off", "started done done ")
		reopen()
		set("autoCloseParentIssues", true)
		put(a, done)
		want("one sub-issue is open", "started done started ")
		put(b, canceled)
		want("the last one closes", "done done canceled ")
		types := ""
		for _, e := range o.events(2) {
			types += e.Type + " " + e.Key + " "
		}
		if types != fmt.Sprintf("issue.updated %s issue.updated %s ", b.ID, parent.ID) {
			o.Errorf("events: %s", types)
		}
		reopen()
		set("autoCloseChildIssues", true)
		put(parent, canceled)
		want("the parent is canceled", "canceled canceled canceled ")
	})
}
