package outbox

import (
	"context"

	"understudy/internal/platform/store"
)

// underWay sets busy: whether the courier has work that does not depend on a due
// time or on a receiver that comes back. It is called before the courier waits.
// Whoever nudges the courier sets busy after the nudge, so that either underWay
// sees the nudge, or busy is set after underWay.
func (c *courier) underWay() {
	c.busy.Store(false)
	if c.inFlight > 0 || c.storing != nil || len(c.toStore) > 0 || c.more && !c.ill && !c.probing && !c.window.down || len(c.woken) > 0 {
		c.busy.Store(true)
	}
}

// Busy reports whether deliveries are being sent, or can be sent immediately. It
// ignores those that wait for a retry or for a receiver that does not listen.
func (o *Outbox) Busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.couriers {
		if c.busy.Load() {
			return true
		}
	}
	return false
}

// Pending returns the number of pending deliveries, for whatever reason.
func (o *Outbox) Pending(ctx context.Context) (n int64, err error) {
	o.mu.Lock()
	waiting := len(o.couriers) > 0
	o.mu.Unlock()
	if !waiting {
		return 0, nil
	}
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		n, err = countPending(tx, o.since.Load())
		return err
	})
	return n, err
}
