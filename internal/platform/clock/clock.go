// Package clock is the only source of time. Each environment has its own Clock,
// which tests and the admin plane can freeze, advance and restart.
package clock

import (
	"sync"
	"time"
)

// Clock is an environment's time. Create one with System, At or Restore.
type Clock struct {
	mu      sync.RWMutex
	frozen  bool
	at      time.Time     // the time, while frozen
	offset  time.Duration // from real time, while running
	changed chan struct{} // closed and replaced when the clock is set
}

// Earliest and Latest bound a clock, so that all formats of the services can
// represent its times, and times a token's lifetime later.
var (
	Earliest = time.Unix(0, 0).UTC()
	Latest   = time.Date(2199, time.December, 31, 23, 59, 59, 0, time.UTC)
)

// Valid reports whether a clock may be set to t.
func Valid(t time.Time) bool { return !t.Before(Earliest) && !t.After(Latest) }

// State is what must be stored to restore the same clock.
type State struct {
	Frozen bool
	At     int64 // microseconds since 1970, while frozen
	Offset int64 // microseconds from real time, while running
}

// System returns a clock that runs with real time.
func System() *Clock { return &Clock{changed: make(chan struct{})} }

// At returns a clock frozen at t.
func At(t time.Time) *Clock {
	return &Clock{frozen: true, at: t.UTC(), changed: make(chan struct{})}
}

// Restore returns the clock that s describes. A time beyond the bounds becomes
// the bound.
func Restore(s State) *Clock {
	c := System()
	if s.Frozen {
		c.frozen, c.at = true, within(time.UnixMicro(s.At).UTC())
		return c
	}
	now := time.Now()
	c.offset = time.Duration(s.Offset) * time.Microsecond
	if at := now.Add(c.offset); !Valid(at) {
		c.offset = within(at).Sub(now)
	}
	return c
}

// Now returns what Now of the restored clock returns.
func (s State) Now() time.Time {
	if s.Frozen {
		return within(time.UnixMicro(s.At).UTC())
	}
	return within(time.Now().Add(time.Duration(s.Offset) * time.Microsecond)).UTC().Truncate(time.Microsecond)
}

func within(t time.Time) time.Time {
	if t.Before(Earliest) {
		return Earliest
	}
	if t.After(Latest) {
		return Latest
	}
	return t
}

// State returns the state for Restore.
func (c *Clock) State() State {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.frozen {
		return State{Frozen: true, At: c.at.UnixMicro()}
	}
	return State{Offset: c.offset.Microseconds()}
}

// Now returns the environment's time in UTC, in whole microseconds, which is what
// worlds store.
func (c *Clock) Now() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.frozen {
		return c.at.Truncate(time.Microsecond)
	}
	return time.Now().Add(c.offset).UTC().Truncate(time.Microsecond)
}

// Micros returns Now in microseconds since 1970, as worlds store it.
func (c *Clock) Micros() int64 { return c.Now().UnixMicro() }

// Unix returns Now in whole seconds since 1970.
func (c *Clock) Unix() int64 { return c.Now().Unix() }

// Freeze stops the clock at t.
func (c *Clock) Freeze(t time.Time) {
	c.set(func() { c.frozen, c.at = true, t.UTC() })
}

// Advance moves the clock forward by d. It returns false, and does nothing, if
// that would be past Latest. A frozen clock remains frozen.
func (c *Clock) Advance(d time.Duration) (ok bool) {
	c.set(func() {
		now := c.at
		if !c.frozen {
			now = time.Now().Add(c.offset)
		}
		if ok = Valid(now.Add(d)); !ok {
			return
		}
		if c.frozen {
			c.at = c.at.Add(d)
		} else {
			c.offset += d
		}
	})
	return ok
}

// Run restarts a frozen clock from its time.
func (c *Clock) Run() {
	c.set(func() {
		if c.frozen {
			c.frozen, c.offset = false, time.Until(c.at)
		}
	})
}

func (c *Clock) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

// Changed returns a channel that is closed when the clock is next set. Callers
// that wait for a due time must then compute it again.
func (c *Clock) Changed() <-chan struct{} {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changed
}

// WaitUntil returns a channel that is closed when the clock reaches t by running,
// or nil when the clock is frozen before t.
func (c *Clock) WaitUntil(t time.Time) <-chan time.Time {
	c.mu.RLock()
	frozen := c.frozen
	c.mu.RUnlock()
	d := t.Sub(c.Now())
	if frozen && d > 0 {
		return nil
	}
	return time.After(max(d, 0))
}

// Real returns the machine's time: for comparison with a receiver's clock, for
// durations and for deadlines, never for what an environment stores.
func Real() time.Time { return time.Now() }
