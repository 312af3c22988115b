package tracker

import (
	"context"
	"testing"

	"understudy/internal/platform/opt"
)

// Labels of a group exclude one another, even if they join the group later.
func TestGroupsStayExclusive(t *testing.T) {
	both(t, func(o *office) {
		ctx, team := context.Background(), o.team("ENG")
		label := func(name string, group bool) string {
			c, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some(name), IsGroup: opt.Some(group)})
			o.must(err)
			return c.EntityID
		}
		kind, bug, task := label("Kind", true), label("Bug", false), label("Task", false)
		into := func(id string) error {
			_, err := o.t.UpdateLabel(ctx, o.p, id, WriteLabel{Parent: opt.Some(kind)})
			return err
		}
		i := o.issue(team, "X", func(in *WriteIssue) { in.Labels = opt.Some([]string{bug, task}) })
		o.must(into(bug))
		o.refused(into(task), BadInput)
		o.update(i, WriteIssue{Removed: []string{bug}})
		o.must(into(task))
	})
}
