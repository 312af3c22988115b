package outbox

import (
	"cmp"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

// mostYield is how long (real time) a retry waits for earlier retries to other
// destinations, so that a receiver that hangs does not stop the others.
const mostYield = 5 * time.Second

// agenda orders the retries of all destinations by due time while the clock is
// frozen. Advancing the clock over several due times causes the same order in
// each run, whichever courier reads the clock first.
type agenda struct {
	mu    sync.Mutex
	next  map[*courier]turn
	moved chan struct{} // closed when the next retry of any courier has changed
}

// turn is the position of a retry among those of all destinations.
type turn struct{ due, id int64 }

func (t turn) before(u turn) bool {
	return cmp.Or(cmp.Compare(t.due, u.due), cmp.Compare(t.id, u.id)) < 0
}

// set stores a courier's next retry; ok is false for none.
func (a *agenda) set(c *courier, t turn, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, had := a.next[c]; had == ok && old == t {
		return
	}
	if a.next == nil {
		a.next = map[*courier]turn{}
	}
	if ok {
		a.next[c] = t
	} else {
		delete(a.next, c)
	}
	if a.moved != nil {
		close(a.moved)
		a.moved = nil
	}
}

// yields returns nil unless another courier has an earlier retry than t; then it
// returns a channel that is closed when that may have changed.
func (a *agenda) yields(c *courier, t turn) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	for other, u := range a.next {
		if other != c && u.before(t) {
			if a.moved == nil {
				a.moved = make(chan struct{})
			}
			return a.moved
		}
	}
	return nil
}

// yield reports whether a retry must wait for those of other destinations.
func (c *courier) yield(e *entry) bool {
	if e.Tries == 0 || !c.o.Clock.State().Frozen {
		return false
	}
	now := clock.Real()
	c.others = c.o.agenda.yields(c, turn{e.Due, e.ID})
	switch {
	case c.others == nil:
		c.yieldUntil = time.Time{}
	case c.yieldUntil.IsZero():
		c.yieldUntil = now.Add(mostYield)
	case !now.Before(c.yieldUntil):
		c.yieldUntil, c.others = time.Time{}, nil
	}
	return c.others != nil
}

// announce adds this courier's next retry to the agenda.
func (c *courier) announce() {
	frozen := c.o.Clock.State().Frozen
	if !frozen && !c.announced {
		return
	}
	var first turn
	found := false
	if frozen {
		for _, e := range c.window.entries {
			if t := (turn{e.Due, e.ID}); !e.done && e.Tries > 0 && (!found || t.before(first)) {
				first, found = t, true
			}
		}
	}
	c.announced = found
	c.o.agenda.set(c, first, found)
}
