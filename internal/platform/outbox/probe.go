package outbox

import (
	"context"

	"understudy/internal/platform/clock"
)

// mayProbe returns false while the clock is frozen, which stops retries.
func (c *courier) mayProbe() bool {
	return c.window.down && c.inFlight == 0 && !c.o.Clock.State().Frozen
}

// probe tries to connect to an address at which nothing listened, so that pending
// deliveries are sent soon after the receiver is back, and in order.
func (c *courier) probe() {
	if c.probing || !c.mayProbe() || clock.Real().Before(c.probeAt) {
		return
	}
	var first *entry
	for _, e := range c.window.entries {
		if !e.done && (first == nil || e.ID < first.ID) {
			first = e
		}
	}
	c.probeAt = clock.Real().Add(probeEvery)
	if first == nil {
		return
	}
	c.probing = true
	d := first.Delivery
	c.o.running.Add(1)
	go func() {
		defer c.o.running.Done()
		ctx, cancel := context.WithTimeout(c.o.ctx, probeEvery)
		defer cancel()
		req, _, err := c.render(ctx, d)
		c.probed <- err != nil || c.o.Client.Reachable(ctx, req.URL)
	}()
}
