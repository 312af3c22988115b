package outbox

import (
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// launch sends what can be sent now and returns the next due time.
func (c *courier) launch() (due int64) {
	for loaded := false; ; loaded = true {
		started := 0
		started, due = c.startLanes()
		if loaded && started == 0 {
			c.loadAt = clock.Real().Add(loadPause)
		}
		if !c.more || c.inFlight >= lanesAtOnce || c.window.down && len(c.window.entries) > 0 && !c.again ||
			len(c.window.entries) >= windowSize || c.pausing() {
			return due
		}
		if err := c.load(); err != nil {
			if c.o.ctx.Err() == nil {
				c.o.Log.Error("deliveries could not be read", "destination", c.at.destination, "error", err)
			}
			c.ill, c.loadAt = true, clock.Real().Add(time.Second)
			return due
		}
	}
}

// pausing reports whether new deliveries can wait for loadPause.
func (c *courier) pausing() bool {
	if c.inFlight == 0 && !c.ill {
		return false
	}
	if clock.Real().Before(c.loadAt) {
		return true
	}
	c.ill = false
	return false
}

func (c *courier) startLanes() (started int, due int64) {
	now := c.o.Clock.Micros()
	lanes, atOnce, most := c.pace()
	c.others = nil
	for _, l := range lanes {
		if c.inFlight >= atOnce {
			break
		}
		batch, at := c.window.take(l, now, most)
		if at > 0 && (due == 0 || at < due) {
			due = at
		}
		if len(batch) == 0 || c.yield(batch[0]) {
			continue
		}
		l.busy = true
		c.inFlight++
		started++
		sent := make([]Delivery, len(batch)) // copies, because the entries may change meanwhile
		for i, e := range batch {
			sent[i] = e.Delivery
		}
		go func() { c.results <- laneResults{l, c.deliver(c.o.ctx, sent)} }()
	}
	return started, due
}

// load reads pending deliveries into the window.
func (c *courier) load() error {
	var found []*Delivery
	var upTo int64
	var more bool
	err := c.o.World.Read(c.o.ctx, func(tx *store.Tx) (err error) {
		back, limit := commitSlack(tx), loadSize
		if back > 0 {
			limit += len(c.window.entries) // those in the window are read again
		}
		found, upTo, more, err = pendingAfter(tx, c.at, max(0, c.cursor-back), c.o.since.Load(), limit)
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range found {
		c.window.add(d, c.again)
	}
	c.cursor, c.more, c.again = max(c.cursor, upTo), more, c.again && more
	return nil
}

// refreshAll makes the courier load all pending deliveries, including known ones.
func (c *courier) refreshAll() { c.cursor, c.more, c.again = 0, true, true }
