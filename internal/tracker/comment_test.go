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

// The user who resolves a thread is stored by id, in whatever form the input
// names them.
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

// Resolving a reply does not resolve its thread, and the resolver is the user
// whom the input names.
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
		// The reply is gone, and with it the link to it.
		_, err = o.t.DeleteComment(ctx, o.p, reply.ID)
		o.must(err)
		o.read(func(v *View) {
			if got, err := Comments.Get(v, root.ID); err != nil || got.ResolvingComment != "" || got.Resolved == 0 {
				o.Errorf("%+v, %v", got, err)
			}
		})
	})
}
