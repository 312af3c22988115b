package tracker

import (
	"context"

	"understudy/internal/platform/store"
)

// maxFailures is the number of deliveries given up in a row after which a webhook
// is disabled. Each was tried four times over seven hours.
const maxFailures = 20

// maxHealthy bounds the webhooks that are cached as healthy: those without a
// failure since their last success, for which another success need not be stored.
const maxHealthy = 10_000

// DeliveryEnded counts a delivery that succeeded or was given up. It disables a
// webhook after too many failures in a row, and reports whether it did; its owner
// must enable it again.
func (t *Tracker) DeliveryEnded(ctx context.Context, id string, delivered bool) (switchedOff bool, err error) {
	_, healthy, epoch := t.healthy.Get(id)
	if delivered && healthy {
		return false, nil
	}
	err = t.world.Write(ctx, func(tx *store.Tx) (err error) {
		if switchedOff = false; delivered {
			return webhookTook(tx, id)
		}
		switchedOff, err = t.failed(tx, id)
		return err
	})
	switch {
	case err != nil:
	case delivered:
		t.healthy.Put(id, struct{}{}, epoch)
	default:
		t.healthy.Drop(id)
	}
	return switchedOff && err == nil, err
}

// failed counts a delivery that was given up. After too many in a row it
// disables the webhook, drops its pending deliveries, and reports true.
func (t *Tracker) failed(tx *store.Tx, id string) (off bool, err error) {
	org, failures, enabled, err := webhookHealth(tx, id)
	if err != nil || org == "" {
		return false, err
	}
	if off = enabled && failures+1 >= maxFailures; !off {
		return false, webhookFailed(tx, org, id)
	}
	sync, err := t.nextSync(tx, org) // before locking the webhook's row, as in every write of the organization
	if err != nil {
		return false, err
	}
	if err := webhookFailed(tx, org, id); err != nil {
		return false, err
	}
	if err := disableWebhook(tx, org, id, t.Clock.Micros(), sync); err != nil {
		return false, err
	}
	return true, t.Outbox.Cancel(tx, Service, id)
}
