package tracker

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/opt"
)

// An entity that is trashed twice keeps the time of the first time. Setting trashed to
// false does not restore an entity that is only archived.
func TestTrashingKeepsTheTime(t *testing.T) {
	both(t, func(o *office) {
		ctx, team := context.Background(), o.team("ENG")
		i := o.issue(team, "Old")
		made, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some([]string{team.ID})})
		o.must(err)
		project := func(in WriteProject) *Project {
			o.clock.Advance(time.Second)
			c, err := o.t.UpdateProject(ctx, o.p, made.EntityID, in)
			o.must(err)
			return c.Entity
		}
		first, firstProject := o.update(i, WriteIssue{Trashed: opt.Some(true)}), project(WriteProject{Trashed: opt.Some(true)})
		if again := o.update(i, WriteIssue{Trashed: opt.Some(true)}); first.Archived == 0 || again.Archived != first.Archived || again.Updated != first.Updated {
			o.Errorf("issue: archived at %d, then at %d", first.Archived, again.Archived)
		}
		if again := project(WriteProject{Trashed: opt.Some(true)}); firstProject.Archived == 0 || again.Archived != firstProject.Archived {
			o.Errorf("project: archived at %d, then at %d", firstProject.Archived, again.Archived)
		}
		var types []string
		for _, e := range o.events(2) {
			types = append(types, e.Type)
		}
		if got := strings.Join(types, " "); got != "issue.deleted project.deleted" {
			o.Errorf("trashing is told as %s", got)
		}
		if back := o.update(i, WriteIssue{Trashed: opt.Null[bool]()}); back.Archived != 0 || back.Trashed {
			o.Errorf("not restored: %+v", back)
		}
		if back := project(WriteProject{Trashed: opt.Null[bool]()}); back.Archived != 0 || back.Trashed {
			o.Errorf("not restored: %+v", back)
		}
		c, err := o.t.ArchiveIssue(ctx, o.p, i.ID, false)
		o.must(err)
		if still := o.update(i, WriteIssue{Trashed: opt.Some(false)}); still.Archived != c.Entity.Archived {
			o.Error("what was archived is back, though it was in no trash")
		}
	})
}

// An issue that one write moves and trashes, or moves and restores, counts once, in its
// new team.
func TestCountsOfMovedAndTrashedIssues(t *testing.T) {
	both(t, func(o *office) {
		eng, ops := o.team("ENG"), o.team("OPS")
		i := o.issue(eng, "X")
		counts := func(want ...int64) {
			o.Helper()
			o.read(func(v *View) {
				teams, err := Teams.ByID(v, []string{eng.ID, ops.ID})
				o.must(err)
				a, b := teams[eng.ID], teams[ops.ID]
				if got := []int64{a.OpenIssues, a.HiddenIssues, b.OpenIssues, b.HiddenIssues}; !slices.Equal(got, want) {
					o.Errorf("open and hidden issues of both teams: %v, want %v", got, want)
				}
			})
		}
		counts(1, 0, 0, 0)
		o.update(i, WriteIssue{Team: opt.Some(ops.ID), Trashed: opt.Some(true)})
		counts(0, 0, 0, 1)
		o.update(i, WriteIssue{Team: opt.Some(eng.ID), Trashed: opt.Null[bool]()})
		counts(1, 0, 0, 0)
	})
}
