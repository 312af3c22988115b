package tracker

import (
	"context"
	"sync"

	"understudy/internal/platform/store"
)

// maxFailures is the number of deliveries given up in a row after which a webhook
// is disabled. Each was tried four times over seven hours.
const maxFailures = 20

// healthy caches the webhooks without a failure since their last success: there
// is nothing to store when they accept another delivery.
type healthy struct {
	mu  sync.Mutex
	ids map[string]bool
}

// maxHealthy bounds the cached webhooks.
const maxHealthy = 10_000

func (h *healthy) has(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ids[id]
}

func (h *healthy) set(id string, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !on {
		delete(h.ids, id)
		return
	}
	if h.ids == nil || len(h.ids) >= maxHealthy {
		h.ids = map[string]bool{}
	}
	h.ids[id] = true
}

// DeliveryEnded counts a delivery that was accepted or given up. It disables a
// webhook that has accepted none for long, and reports whether it did; its owner
// must enable it again.
func (t *Tracker) DeliveryEnded(ctx context.Context, id string, delivered bool) (switchedOff bool, err error) {
	if delivered && t.healthy.has(id) {
		return false, nil
	}
	err = t.world.Write(ctx, func(tx *store.Tx) (err error) {
		if switchedOff = false; delivered {
			return webhookTook(tx, id)
		}
		switchedOff, err = t.failed(tx, id)
		return err
	})
	if err == nil {
		t.healthy.set(id, delivered)
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
	sync, err := t.nextSync(tx, org) // before the webhook's row is locked, as in every write of the organization
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
