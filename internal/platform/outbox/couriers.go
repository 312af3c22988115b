package outbox

import (
	"context"
	"time"

	"understudy/internal/platform/store"
)

// Start begins to deliver, with what an earlier run has left pending.
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
	for _, a := range waiting { // before anything new is offered, which would overtake what waits
		o.reloadLocked(a)
	}
	return nil
}

// StartEmpty is Start for a world that is new, or a fork: nothing waits in it but what
// was appended since New.
func StartEmpty(ctx context.Context, o *Outbox) error {
	if o.marked.Load() {
		return o.Start(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started = o.Client != nil
	return nil
}

// Abort is Close for an environment that is reset, restored or removed: requests
// in flight are cut off, since their outcomes belong to nothing any more.
func (o *Outbox) Abort() {
	o.cancel()
	o.Close()
}

// Close stops delivering. What is pending stays pending.
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

// clear stores that all is delivered, unless an event was committed that no
// courier was offered.
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

// Due returns when the next of what waits for delivery is due on the
// environment's clock, 0 for at once, and whether anything waits.
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

// maxKept is how long the payload of an event may be that couriers keep for its
// first try, so that they need not read it.
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

// reload makes a destination's courier read everything that is pending.
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
