package tracker

import (
	"context"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbox"
)

// A webhook is disabled after a number of consecutive failed deliveries, with or without
// restarts between them.
func TestFailingWebhookIsSwitchedOff(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		o.t.Outbox.Deliver(Service, &outbox.Dialect{})
		c, err := o.t.CreateWebhook(ctx, o.p, WriteWebhook{URL: opt.Some("http://127.0.0.1:1/hook")})
		o.must(err)
		id, before := c.EntityID, c.LastSyncID
		ended := func(delivered bool, times int) (off bool) {
			o.Helper()
			for range times {
				if off {
					o.Fatal("switched off too early")
				}
				off, err = o.t.DeliveryEnded(ctx, id, delivered)
				o.must(err)
			}
			return off
		}
		hook := func() (h *Webhook) {
			o.Helper()
			o.read(func(v *View) {
				h, err = v.Webhook(id)
				o.must(err)
			})
			return h
		}
		pending := func() int {
			list, err := o.t.Outbox.List(ctx, outbox.Filter{Destination: id, Status: outbox.Pending, Limit: 10})
			o.must(err)
			return len(list)
		}
		o.issue(o.team("ENG"), "Told of")
		if pending() == 0 {
			o.Fatal("nothing is on its way")
		}
		ended(true, 2)
		ended(false, maxFailures-1)
		ended(true, 1) // a successful delivery
		ended(false, 5)
		o.t = New(o.world, o.t.Deps) // as after a restart
		if ended(false, maxFailures-6) || !hook().Enabled {
			o.Fatal("switched off too early")
		}
		if !ended(false, 1) {
			o.Error("not told that it was switched off")
		}
		if h := hook(); h.Enabled || h.Version <= before || h.Updated == 0 {
			o.Errorf("%+v", h)
		}
		if pending() != 0 {
			o.Error("deliveries are still on their way")
		}
		// The end of a delivery that was under way at that time changes nothing.
		if ended(false, 1) || hook().Enabled {
			o.Error("switched off twice, or on")
		}
		_, err = o.t.UpdateWebhook(ctx, o.p, id, WriteWebhook{Enabled: opt.Some(true)})
		o.must(err)
		if ended(false, maxFailures-1) || !hook().Enabled {
			o.Error("who switches it on again gets too few chances")
		}
		if _, err := o.t.DeleteWebhook(ctx, o.p, id); err != nil || ended(false, 1) || ended(true, 1) {
			o.Error("deliveries of a webhook that is gone", err)
		}
	})
}
