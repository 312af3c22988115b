package tracker

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
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

// The database contains the secrets of webhooks only in encrypted form. Replies contain
// them as text, and deliveries are signed with them.
func TestSecretsOfWebhooksAreSealed(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		check := func(h *Webhook, secret string) {
			o.Helper()
			stored := o.stored()
			if len(stored) != 1 || strings.Contains(stored[0], secret) || h.Secret != secret {
				o.Errorf("stored as %q, returned as %q", stored, h.Secret)
			}
			hook, err := o.t.Hook(ctx, o.org.ID, h.ID)
			o.must(err)
			o.must(o.t.Read(ctx, o.p, func(v *View) error {
				read, err := v.Webhook(h.ID)
				if err == nil && (read.Secret != secret || hook.Secret != secret) {
					o.Errorf("read as %q, signed with %q", read.Secret, hook.Secret)
				}
				return err
			}))
		}
		made, err := o.t.CreateWebhook(ctx, o.p, WriteWebhook{URL: opt.Some("http://127.0.0.1:9/"), Secret: opt.Some("a secret of my own")})
		o.must(err)
		check(made.Entity, "a secret of my own")
		changed, err := o.t.UpdateWebhook(ctx, o.p, made.Entity.ID, WriteWebhook{Secret: opt.Some("another one"), Label: opt.Some("x")})
		o.must(err)
		check(changed.Entity, "another one")
		same, err := o.t.UpdateWebhook(ctx, o.p, made.Entity.ID, WriteWebhook{Secret: opt.Some("another one")})
		o.must(err)
		if same.Entity.Version != changed.Entity.Version {
			o.Error("the same secret is a change")
		}
		rotated, err := o.t.RotateWebhookSecret(ctx, o.p, made.Entity.ID)
		o.must(err)
		check(rotated.Entity, rotated.Entity.Secret)

		// A secret that an earlier version stored in plain text.
		o.must(o.world.Write(ctx, func(tx *store.Tx) error { return setSealed(tx, o.org.ID, made.Entity.ID, "plain of old") }))
		for range 2 {
			o.must(o.t.SealSecrets(ctx))
		}
		o.t = New(o.world, o.t.Deps) // with empty caches
		hook, err := o.t.Hook(ctx, o.org.ID, made.Entity.ID)
		o.must(err)
		check(hook, "plain of old")
	})
}

// stored returns the secrets of webhooks in the form in the database.
func (o *office) stored() (out []string) {
	o.must(o.world.Read(context.Background(), func(tx *store.Tx) error {
		all, err := allSecrets(tx)
		for _, h := range all {
			out = append(out, h.sealed)
		}
		return err
	}))
	return out
}
