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

// Who resolves a thread is kept by id, however the input spells it.
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
