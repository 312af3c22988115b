package tracker

import (
	"context"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/opt"
)

// A write of the stored values changes nothing and appends no event, whatever their order
// and spelling in the input are.
func TestSameAgainIsNoChange(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		bob := o.member("bob@acme.test").Subject
		a, b := o.team("ENG"), o.team("OPS")
		var labels []string
		for _, name := range []string{"Red", "Blue"} {
			l, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some(name)})
			o.must(err)
			labels = append(labels, l.EntityID)
		}
		people, teams := []string{o.p.Subject, bob}, []string{a.ID, b.ID}
		i := o.issue(a, "X", func(in *WriteIssue) {
			in.Labels, in.Subscribers, in.Assignee = opt.Some(labels), opt.Some([]string{o.p.Subject, bob}), opt.Some(bob)
		})
		i = o.update(i, WriteIssue{Subscribers: opt.Some(people[:1])}) // bob is assigned but not subscribed
		c, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some(teams), Members: opt.Some(people)})
		o.must(err)
		var done *ProjectStatus
		o.read(func(v *View) {
			all, err := v.Statuses()
			o.must(err)
			for _, s := range all {
				if s.Type == "completed" {
					done = s
				}
			}
		})
		c, err = o.t.UpdateProject(ctx, o.p, c.EntityID, WriteProject{Status: opt.Some(done.ID)})
		o.must(err)
		cycle, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: a.ID, Starts: opt.Some(o.clock.Micros()), Ends: opt.Some(o.clock.Micros() + 1e9)})
		o.must(err)
		_, err = o.t.ArchiveCycle(ctx, o.p, cycle.EntityID)
		o.must(err)
		extra, err := o.t.CreateState(ctx, o.p, CreateState{Team: a.ID, Name: "Later", Type: "backlog", Color: "#000000"})
		o.must(err)
		_, err = o.t.ArchiveState(ctx, o.p, extra.EntityID)
		o.must(err)
		before := len(o.events(1000))
		again := func(name string, fn func() error) {
			o.Helper()
			o.clock.Advance(time.Second)
			o.must(fn())
			if all := o.events(1000); len(all) != before {
				o.Errorf("%s: told %s", name, all[len(all)-1].Payload)
				before = len(all)
			}
		}
		issue := func(in WriteIssue) func() error {
			return func() error {
				_, err := o.t.UpdateIssue(ctx, o.p, i.ID, in)
				return err
			}
		}
		project := func(in WriteProject) func() error {
			return func() error {
				_, err := o.t.UpdateProject(ctx, o.p, c.EntityID, in)
				return err
			}
		}
		again("labels", issue(WriteIssue{Labels: opt.Some([]string{labels[1], labels[0], labels[1]})}))
		again("assignee", issue(WriteIssue{Assignee: opt.Some(bob)}))
		again("the team", issue(WriteIssue{Team: opt.Some(strings.ToUpper(a.ID))}))
		again("teams", project(WriteProject{Teams: opt.Some([]string{b.ID, a.ID})}))
		again("members", project(WriteProject{Members: opt.Some([]string{bob, o.p.Subject})}))
		again("status", project(WriteProject{Status: opt.Some(strings.ToUpper(done.ID))}))
		again("an archived cycle", func() error { _, err := o.t.ArchiveCycle(ctx, o.p, cycle.EntityID); return err })
		again("an archived state", func() error { _, err := o.t.ArchiveState(ctx, o.p, extra.EntityID); return err })
	})
}
