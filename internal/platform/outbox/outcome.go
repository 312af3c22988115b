package outbox

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/store"
)

// laneResults is the outcomes of a lane's batch.
type laneResults struct {
	lane *lane
	list []*result
}

// finish frees a lane and collects the outcomes of its batch, which are stored
// later.
func (c *courier) finish(in laneResults) {
	c.inFlight--
	in.lane.busy = false
	now := c.o.Clock.Micros()
	for _, r := range in.list {
		e := c.window.entries[r.delivery.ID]
		e.Tries, e.Attempts, e.Due, e.Reason = r.tries, r.attempts, r.due, r.reason
		e.asked, e.Fault, e.event = false, r.fault, nil
		if r.met || r.attempt != nil {
			e.met, e.owed = r.met, r.owed // each attempt is subject to the rules once
		}
		if r.passing > 0 {
			c.passing[e.ID] = r.passing
		} else if r.attempt != nil {
			c.pass(now)
		}
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
			continue // nothing to store
		}
		if len(c.toStore) == 0 {
			c.storeAt = clock.Real().Add(storePause)
		}
		e.unstored++
		c.toStore = append(c.toStore, r)
	}
	if len(in.lane.entries) == 0 {
		c.window.drop(in.lane)
	}
	c.refresh()
}

// pass counts a delivery for those that others may overtake, and makes those due
// that have waited long enough.
func (c *courier) pass(now int64) {
	for id, left := range c.passing {
		if c.passing[id] = left - 1; left > 1 {
			continue
		}
		delete(c.passing, id)
		if e := c.window.entries[id]; e != nil {
			e.Due = now
		}
	}
}

// startStoring stores the collected outcomes after storePause, or immediately
// with now.
func (c *courier) startStoring(now bool) {
	if c.storing != nil || len(c.toStore) == 0 || !now && len(c.toStore) < storeSize && clock.Real().Before(c.storeAt) {
		return
	}
	c.storing, c.toStore = c.toStore, nil
	list := c.storing
	go func() { c.storeEnded <- c.store(list) }()
}

// stored removes finished deliveries from the window after their outcomes were
// stored.
func (c *courier) stored(ok bool) {
	list := c.storing
	c.storing = nil
	if !ok && !c.o.isStopping() {
		c.toStore = append(list, c.toStore...)
		c.storeAt = clock.Real().Add(time.Second)
		return
	}
	if !ok {
		c.o.left.Store(true)
	}
	for _, r := range list {
		e := c.window.entries[r.delivery.ID]
		if e.unstored--; e.unstored == 0 && e.done {
			c.window.remove(e)
		}
	}
	c.refresh()
}

// refresh loads all pending deliveries again if the window is stale.
func (c *courier) refresh() {
	if c.window.stale {
		c.window.stale = false
		c.refreshAll()
	}
}

// store stores outcomes of deliveries in one transaction.
func (c *courier) store(list []*result) bool {
	ctx := context.WithoutCancel(c.o.ctx)
	err := c.o.World.Write(ctx, func(tx *store.Tx) error {
		for _, r := range list {
			if err := storeOutcome(tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.o.Log.Error("the outcomes of deliveries could not be stored", "destination", c.at.destination, "error", err)
		return false
	}
	for _, r := range list {
		if r.status == Delivered || r.status == Failed {
			c.dialect.Finished(ctx, c.at.destination, r.status == Delivered)
		}
	}
	return true
}
