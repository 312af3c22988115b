package outbox

import (
	"context"
	"time"

	"understudy/internal/platform/store"
)

// Start begins delivery, including what an earlier run left pending.
func (o *Outbox) Start(ctx context.Context) error {
	var waiting []address
	var newest int64
	err := o.World.Read(ctx, func(tx *store.Tx) error {
		since, err := firstUndelivered(tx)
		if err != nil {
			return err
		}
		if since != none {
			o.since.Store(since)
			o.marked.Store(true)
			if newest, err = newestEvent(tx); err != nil {
				return err
			}
		}
		waiting, err = addresses(tx, since)
		return err
	})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started, o.offered = o.Client != nil, newest
	for _, a := range waiting { // before new events are offered, which would overtake what is pending
		o.reloadLocked(a)
	}
	return nil
}

// StartEmpty is Start for a new world or a fork: only events appended since New
// can be pending.
func StartEmpty(ctx context.Context, o *Outbox) error {
	if o.marked.Load() {
		return o.Start(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started = o.Client != nil
	return nil
}

// Abort is Close for an environment that is reset, restored or removed: it
// cancels requests in flight, whose outcomes are no longer needed.
func (o *Outbox) Abort() {
	o.cancel()
	o.Close()
}

// Close stops delivery. Pending deliveries remain pending.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.stopping = true
	for _, c := range o.couriers {
		c.nudge(false)
	}
	o.mu.Unlock()
	done := make(chan struct{})
	go func() {
		o.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(grace):
	}
	o.cancel()
	<-done
	if o.started && o.marked.Load() && !o.left.Load() {
		o.clear()
	}
}

// clear stores that nothing is pending, unless an event was committed that
// couriers have not seen.
func (o *Outbox) clear() {
	o.mu.Lock()
	offered := o.offered
	o.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := o.World.Write(ctx, func(tx *store.Tx) error { return clearFirstUndelivered(tx, offered) })
	if err != nil {
		o.Log.Error("the end of all deliveries could not be stored", "error", err)
	}
}

// Due returns when the next pending delivery is due on the environment's clock, 0
// for now, and whether anything is pending.
func (o *Outbox) Due(ctx context.Context) (due int64, waiting bool, err error) {
	o.mu.Lock()
	waiting = len(o.couriers) > 0
	o.mu.Unlock()
	if !waiting {
		return 0, false, nil
	}
	err = o.World.Read(ctx, func(tx *store.Tx) error {
		due, waiting, err = nextDue(tx, o.since.Load())
		return err
	})
	return due, waiting, err
}

// maxKept is the largest payload that is kept in memory for its first delivery.
const maxKept = 2 << 10

// offer passes the deliveries of a committed event to their couriers.
func (o *Outbox) offer(t queued, e *Event) {
	if len(e.Payload) > maxKept {
		e = nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.started && !o.stopping {
		o.offered = max(o.offered, t.seq)
	}
	for i := range t.targets {
		d := t.delivery(i)
		d.event = e
		if c, _ := o.courier(address{d.Service, d.Destination}, false); c != nil {
			c.inbox.add(d)
			if !c.full.Load() {
				c.nudge(false)
			}
		}
	}
}

// reload makes a destination's courier load all pending deliveries.
func (o *Outbox) reload(a address) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reloadLocked(a)
}

// reloadLocked is reload for a caller that holds mu.
func (o *Outbox) reloadLocked(a address) {
	if c, fresh := o.courier(a, true); c != nil && !fresh {
		c.nudge(true)
	}
}

func (o *Outbox) isStopping() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stopping
}
