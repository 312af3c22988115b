package tracker

import (
	"context"
	"net/url"
	"testing"

	"understudy/internal/platform/opt"
)

// A display name may contain characters that a URL may not contain.
func TestProfileURLs(t *testing.T) {
	both(t, func(o *office) {
		const nickname = "ann lee/100%?"
		c, err := o.t.UpdateUser(context.Background(), o.p, "me", UpdateUser{DisplayName: opt.Some(nickname)})
		o.must(err)
		o.read(func(v *View) {
			u, err := url.Parse(v.UserURL(c.Entity))
			if err != nil || u.Path != "/acme/profiles/"+nickname || u.RawQuery != "" {
				o.Errorf("%s: %v", v.UserURL(c.Entity), err)
			}
		})
	})
}
