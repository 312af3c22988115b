package outbox

import (
	"context"

	"understudy/internal/platform/store"
)

// underWay notes whether the courier has something to do before something else
// happens: a due time, a receiver that listens again. It is called before the
// courier waits. Whoever nudges it sets busy after the nudge, so that either the
// nudge is seen here or busy is set behind this.
func (c *courier) underWay() {
	c.busy.Store(false)
	if c.inFlight > 0 || c.storing != nil || len(c.toStore) > 0 || c.more && !c.ill && !c.probing && !c.window.down || len(c.woken) > 0 {
		c.busy.Store(true)
	}
}

// Busy reports whether deliveries are being sent, or could be at once. What
// waits for a later try, or for a receiver that does not listen, is not.
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

// Pending returns how many deliveries wait, for whatever reason.
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
