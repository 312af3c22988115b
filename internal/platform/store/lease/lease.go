// Package lease tracks whether a resource is in use, and when it may be closed.
//
// Handle counts the users of one resource. Set does so by key, and opens each
// resource for its first user. Pool bounds how many of a kind are open. All
// waiting is event-driven; nothing here polls.
package lease

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
)

// Handle counts the users of a resource. Its zero value has none. It is safe for
// concurrent use, and acquiring it costs one atomic addition.
//
// A handle is in one of three states:
//
//	in use or idle ── Suspend, only from 0 users ──> suspended ── f returns ──> idle
//	any ── Evict ──> evicted, permanently
//
// Acquire waits for the end of a suspension, and fails after Evict.
type Handle struct {
	state   atomic.Int64 // the count of users, and the flags below
	mu      sync.Mutex
	changed chan struct{} // closed at the next change that a waiter may need
}

const (
	users     = 1<<32 - 1
	suspended = 1 << 33
	evicted   = 1 << 34
)

// Acquire adds a user until Release. It returns false, and adds none, when the
// handle is evicted.
func (h *Handle) Acquire() bool {
	for {
		if h.state.Add(1)&(suspended|evicted) == 0 {
			return true
		}
		h.Release()
		ended := h.wait(context.Background(), func(state int64) bool { return state&suspended == 0 || state&evicted != 0 })
		if ended != nil || h.Evicted() {
			return false
		}
	}
}

// Release undoes one Acquire.
func (h *Handle) Release() {
	if state := h.state.Add(-1); state&(suspended|evicted) != 0 && state&users == 0 {
		h.signal()
	}
}

// Users returns the current number of users.
func (h *Handle) Users() int { return int(h.state.Load() & users) }

// Evicted reports whether Evict was called.
func (h *Handle) Evicted() bool { return h.state.Load()&evicted != 0 }

// Suspend runs f if the resource has no users, and reports whether it did: not if
// it has users, is being suspended or is evicted. Acquire waits for the end of f.
func (h *Handle) Suspend(f func()) bool {
	if !h.state.CompareAndSwap(0, suspended) {
		return false
	}
	defer func() {
		h.state.And(^suspended)
		h.signal()
	}()
	f()
	return true
}

// Evict refuses new users, and waits until all current ones have called Release.
// It returns the error of ctx when that ends first. Calling it again waits again.
func (h *Handle) Evict(ctx context.Context) error {
	h.state.Or(evicted)
	return h.wait(ctx, func(state int64) bool { return state&(users|suspended) == 0 })
}

// wait returns when wanted accepts the state, or with the error of ctx.
func (h *Handle) wait(ctx context.Context, wanted func(state int64) bool) error {
	for {
		h.mu.Lock()
		if wanted(h.state.Load()) {
			h.mu.Unlock()
			return nil
		}
		if h.changed == nil {
			h.changed = make(chan struct{})
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// signal wakes all waiters.
func (h *Handle) signal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// Timed is a Handle with the real time of its last use.
type Timed struct {
	Handle
	used atomic.Int64
}

// Acquire is Handle.Acquire.
func (t *Timed) Acquire() bool {
	t.Touch()
	return t.Handle.Acquire()
}

// Release is Handle.Release.
func (t *Timed) Release() {
	t.Touch()
	t.Handle.Release()
}

// Touch records a use.
func (t *Timed) Touch() { t.used.Store(clock.Real().UnixMicro()) }

// LastUsed returns when the resource was last acquired, released or touched.
func (t *Timed) LastUsed() time.Time { return time.UnixMicro(t.used.Load()) }
