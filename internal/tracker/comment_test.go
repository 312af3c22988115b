package tracker

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
)

func (o *office) comment(in CreateComment) *Comment {
	o.Helper()
	c, err := o.t.CreateComment(context.Background(), o.p, in)
	o.must(err)
	return c.Entity
}

// The user who resolves a thread is stored by id, whatever the form of the user in the
// input is.
func TestResolvingUserIsKeptByID(t *testing.T) {
	both(t, func(o *office) {
		root := o.comment(CreateComment{Issue: o.issue(o.team("ENG"), "Talk").ID, Body: "Done?"})
		for _, who := range []string{"me", strings.ToUpper(o.p.Subject)} {
			c, err := o.t.UpdateComment(context.Background(), o.p, root.ID, UpdateComment{ResolvingUser: opt.Some(who)})
			o.must(err)
			if c.Entity.ResolvingUser != o.p.Subject || c.Entity.Resolved == 0 {
				o.Errorf("%s: resolved by %q", who, c.Entity.ResolvingUser)
			}
		}
	})
}

// A reply cannot be resolved. The resolver of a thread is the user in the input.
func TestResolvingByUpdate(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		bob := o.member("bob@acme.test").Subject
		root := o.comment(CreateComment{Issue: o.issue(o.team("ENG"), "Talk").ID, Body: "Done?"})
		reply := o.comment(CreateComment{Parent: root.ID, Body: "Done."})
		_, err := o.t.UpdateComment(ctx, o.p, reply.ID, UpdateComment{ResolvingUser: opt.Some(bob)})
		o.refused(err, BadInput)
		c, err := o.t.UpdateComment(ctx, o.p, root.ID, UpdateComment{ResolvingUser: opt.Some(bob), ResolvingComment: opt.Some(reply.ID)})
		o.must(err)
		if c.Entity.ResolvingUser != bob || c.Entity.ResolvingComment != reply.ID {
			o.Errorf("%+v", c.Entity)
		}
		// Deleting the reply also clears the thread's reference to it.
		_, err = o.t.DeleteComment(ctx, o.p, reply.ID)
		o.must(err)
		o.read(func(v *View) {
			if got, err := Comments.Get(v, root.ID); err != nil || got.ResolvingComment != "" || got.Resolved == 0 {
				o.Errorf("%+v, %v", got, err)
			}
		})
	})
}
