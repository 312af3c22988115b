package tracker

import (
	"context"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// The filters of an outsider do not match issues that the outsider may not see: a filter
// on a relation would reveal a private title letter by letter.
func TestFiltersTellNothingOfPrivateTeams(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		outsider := o.member("bob@acme.test")
		secret, open := o.team("SEC"), o.team("ENG")
		yes := func(f entity.Filter, users bool) func(v *View) bool {
			return func(v *View) bool {
				if users {
					p, err := Users.List(v, entity.Query{Filter: f})
					o.must(err)
					return len(p.Nodes) > 0
				}
				p, err := Issues.List(v, entity.Query{Filter: f})
				o.must(err)
				return len(p.Nodes) > 0
			}
		}
		project, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("Merger"), Teams: opt.Some([]string{secret.ID})})
		o.must(err)
		both, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("Shared"), Teams: opt.Some([]string{secret.ID, open.ID})})
		o.must(err)
		above := o.issue(secret, "Merger with Globex", func(in *WriteIssue) {
			in.Assignee, in.Project = opt.Some(o.p.Subject), opt.Some(project.EntityID)
		})
		i := o.issue(open, "Order chairs", func(in *WriteIssue) { in.Parent, in.Project = opt.Some(above.ID), opt.Some(both.EntityID) })
		o.issue(secret, "Merge the ledgers", func(in *WriteIssue) { in.Parent, in.Project = opt.Some(i.ID), opt.Some(both.EntityID) })
		_, err = o.t.UpdateTeam(ctx, o.p, secret.ID, CreateTeam{Private: opt.Some(true)})
		o.must(err)
		merger := f("title", f("startsWith", "Merge"))
		for name, ask := range map[string]func(v *View) bool{
			"parent":            yes(f("parent", merger), false),
			"parent's id":       yes(f("parent", f("id", f("eq", above.ID))), false),
			"there is a parent": yes(f("title", f("eq", i.Title), "parent", f("null", false)), false),
			"some child":        yes(f("children", f("some", merger)), false),
			"children":          yes(f("children", merger), false),
			"children's number": yes(f("children", f("length", f("eq", 1.0))), false),
			"children's issues": yes(f("children", f("null", false)), false),
			"every child":       yes(f("and", list2(f("title", f("eq", i.Title)), f("children", f("every", merger, "length", f("gt", 0.0))))), false),
			"assigned":          yes(f("assignedIssues", f("some", merger)), true),
			"project's issues":  yes(f("project", f("issues", f("some", merger))), false),
			"project's teams":   yes(f("project", f("accessibleTeams", f("some", f("key", f("eq", "SEC"))))), false),
			"creator's issues":  yes(f("creator", f("assignedIssues", merger)), false),
		} {
			o.read(func(v *View) {
				// The query of the owner must succeed, which proves that the query is valid.
				if !ask(v) {
					o.Errorf("%s: a member gets no answer", name)
				}
			})
			o.must(o.t.Read(ctx, outsider, func(v *View) error {
				if ask(v) {
					o.Errorf("%s: an outsider learns of a private team", name)
				}
				return nil
			}))
		}
		o.must(o.t.Read(ctx, outsider, func(v *View) error {
			if !yes(f("parent", f("null", true), "children", f("length", f("eq", 0.0)), "project", f("name", f("eq", "Shared"))), false)(v) {
				o.Error("what an outsider sees of the issue cannot be found")
			}
			return nil
		}))
	})
}

// A user sees the comments on a project if the user sees the project.
func TestProjectCommentsOfPrivateTeams(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		outsider := o.member("bob@acme.test")
		secret, open := o.team("SEC"), o.team("ENG")
		_, err := o.t.UpdateTeam(ctx, o.p, secret.ID, CreateTeam{Private: opt.Some(true)})
		o.must(err)
		on := func(teams ...string) *Comment {
			p, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some(teams)})
			o.must(err)
			return o.comment(CreateComment{Project: p.EntityID, Body: "We buy Globex"})
		}
		hidden, shown := on(secret.ID), on(secret.ID, open.ID)
		for p, want := range map[string]int{outsider.Subject: 1, o.p.Subject: 2} {
			who := *o.p
			who.Subject = p
			o.must(o.t.Read(ctx, &who, func(v *View) error {
				page, err := Comments.List(v, entity.Query{})
				if err == nil && len(page.Nodes) != want {
					o.Errorf("%d comments, want %d", len(page.Nodes), want)
				}
				return err
			}))
		}
		_, err = o.t.CreateComment(ctx, outsider, CreateComment{Parent: hidden.ID, Body: "Really?"})
		o.refused(err, NotFound)
		_, err = o.t.CreateComment(ctx, outsider, CreateComment{Parent: shown.ID, Body: "Hello"})
		o.must(err)
	})
}

// A user who could not see a private team before its deletion cannot see it afterwards.
func TestDeletedPrivateTeams(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		admin := o.admin("bob@acme.test")
		secret, open := o.team("SEC"), o.team("ENG")
		_, err := o.t.UpdateTeam(ctx, o.p, secret.ID, CreateTeam{Private: opt.Some(true)})
		o.must(err)
		for _, id := range []string{secret.ID, open.ID} {
			_, err := o.t.DeleteTeam(ctx, o.p, id)
			o.must(err)
		}
		o.must(o.t.Read(ctx, admin, func(v *View) error {
			gone, err := v.DeletedTeams()
			if len(gone) != 1 || gone[0].ID != open.ID {
				o.Errorf("an admin outside sees %d deleted teams", len(gone))
			}
			return err
		}))
		o.read(func(v *View) {
			if gone, err := v.DeletedTeams(); err != nil || len(gone) != 2 {
				o.Errorf("a member sees %d deleted teams, %v", len(gone), err)
			}
		})
		_, err = o.t.UnarchiveTeam(ctx, admin, "SEC")
		o.refused(err, NotFound)
		_, err = o.t.UnarchiveTeam(ctx, o.p, "SEC")
		o.must(err)
	})
}
