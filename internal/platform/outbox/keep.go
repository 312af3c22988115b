package outbox

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/store"
)

// laneResults is what came of a lane's batch.
type laneResults struct {
	lane *lane
	list []*result
}

// settled frees a lane and gathers what is to be written down.
func (c *courier) settled(in laneResults) {
	c.inFlight--
	in.lane.busy = false
	now := c.o.Clock.Micros()
	for _, r := range in.list {
		e := c.window.entries[r.delivery.ID]
		e.Tries, e.Attempts, e.Due, e.Reason = r.tries, r.attempts, r.due, r.reason
		e.asked = false
		e.done, e.putOff = r.status != Pending, r.status == Pending && r.attempt == nil
		switch {
		case r.status == Delivered:
			c.window.up(now)
		case r.attempt == nil:
		case r.attempt.Outcome == outbound.Unreachable:
			c.window.down = true
		case r.tries == 1:
			c.window.refused++
		}
		if r.attempt == nil && r.status == Pending {
			continue // nothing has changed
		}
		if len(c.toKeep) == 0 {
			c.keepAt = clock.Real().Add(keepPause)
		}
		e.unkept++
		c.toKeep = append(c.toKeep, r)
	}
	if len(in.lane.entries) == 0 {
		c.window.drop(in.lane)
	}
	c.refresh()
}

// startKeeping writes down what was gathered, when it is time or must be now.
func (c *courier) startKeeping(now bool) {
	if c.keeping != nil || len(c.toKeep) == 0 || !now && len(c.toKeep) < keepSize && clock.Real().Before(c.keepAt) {
		return
	}
	c.keeping, c.toKeep = c.toKeep, nil
	list := c.keeping
	go func() { c.kept <- c.keep(list) }()
}

// wasKept removes the deliveries that are finished and stored from the window.
func (c *courier) wasKept(ok bool) {
	list := c.keeping
	c.keeping = nil
	if !ok && !c.o.isStopping() {
		c.toKeep = append(list, c.toKeep...)
		c.keepAt = clock.Real().Add(time.Second)
		return
	}
	if !ok {
		c.o.left.Store(true)
	}
	for _, r := range list {
		e := c.window.entries[r.delivery.ID]
		if e.unkept--; e.unkept == 0 && e.done {
			c.window.remove(e)
		}
	}
	c.refresh()
}

// refresh looks at everything once more when the window is stale: something has ended.
func (c *courier) refresh() {
	if c.window.stale {
		c.window.stale = false
		c.lookAgain()
	}
}

// keep writes down what came of deliveries, in one transaction.
func (c *courier) keep(list []*result) bool {
	ctx := context.WithoutCancel(c.o.ctx)
	err := c.o.World.Write(ctx, func(tx *store.Tx) error {
		for _, r := range list {
			if err := settle(tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.o.Log.Error("what came of deliveries was not kept", "destination", c.at.destination, "error", err)
		return false
	}
	for _, r := range list {
		if r.status == Delivered || r.status == Failed {
			c.dialect.Finished(ctx, c.at.destination, r.status == Delivered)
		}
	}
	return true
}
