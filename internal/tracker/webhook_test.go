package tracker

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
)

func TestWebhookRegistrations(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		const url = "http://127.0.0.1:9/hook"
		for name, x := range map[string]struct {
			in   WriteWebhook
			want error
		}{
			"for no team and not for all": {WriteWebhook{URL: opt.Some(url), AllPublicTeams: opt.Some(false)}, BadInput},
			"a URL without a host":        {WriteWebhook{URL: opt.Some("http://:9/hook")}, BadArgument},
			"a port that cannot be":       {WriteWebhook{URL: opt.Some("http://127.0.0.1:70000/")}, BadArgument},
			"port 0":                      {WriteWebhook{URL: opt.Some("http://127.0.0.1:0/")}, BadArgument},
			"another scheme":              {WriteWebhook{URL: opt.Some("ftp://127.0.0.1/")}, BadArgument},
			"a secret without an end":     {WriteWebhook{URL: opt.Some(url), Secret: opt.Some(strings.Repeat("s", 256))}, BadArgument},
		} {
			if _, err := o.t.CreateWebhook(ctx, o.p, x.in); err == nil || !errorsIs(err, x.want) {
				o.Errorf("%s: got %v, want %v", name, err, x.want)
			}
		}
		c, err := o.t.CreateWebhook(ctx, o.p, WriteWebhook{URL: opt.Some("https://[::1]/hook"), ResourceTypes: opt.Some([]string{"Issue", "Comment", "Issue"})})
		o.must(err)
		if c.Entity.ResourceTypes != "Issue Comment" || !c.Entity.AllPublicTeams {
			o.Errorf("%+v", c.Entity)
		}
	})
}
