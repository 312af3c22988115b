package outbox

import (
	"context"
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

const (
	// windowSize is how many pending deliveries of a destination are in memory;
	// the others are in the store.
	windowSize = 1024
	loadSize   = 256
	// batchSize is how many deliveries of a lane are sent, one after another,
	// before their outcomes are stored in one transaction.
	batchSize = 16
	// lanesAtOnce is how many requests are sent to one destination at the same
	// time.
	lanesAtOnce = 8
	// storePause is how long outcomes of deliveries are collected before they
	// are stored, so that their commits stay few beside those of requests. After
	// a crash within it the same deliveries are sent again.
	storePause = 20 * time.Millisecond
	storeSize  = 256
	// loadPause is how long nothing is loaded while requests are on their way
	// and the last load has brought nothing that can be sent beside them.
	loadPause = 5 * time.Millisecond
	// probeEvery is how often an address at which nothing listens is tried (real time).
	probeEvery = 2 * time.Second
	// grace is how long requests in flight may take once the environment closes.
	grace = time.Second
)

// address is a destination of a service.
type address struct{ service, destination string }

// courier delivers to one destination. It runs while something is pending for
// it.
type courier struct {
	o          *Outbox
	at         address
	dialect    *Dialect
	window     *window
	began      int64     // on the environment's clock
	woken      chan bool // true: look at everything again
	results    chan laneResults
	storeEnded chan bool
	probed     chan bool
	passing    map[int64]int // deliveries that let so many others pass

	// While nothing more can be sent, what is new waits in the inbox without
	// waking the courier for each event: what ends that state wakes it anyway.
	full  atomic.Bool
	inbox inbox
	busy  atomic.Bool // something is being sent, or could be at once

	cursor   int64 // the largest id that was loaded
	more     bool  // there may be pending deliveries that are not in the window
	again    bool  // those that are in the window may have been changed
	inFlight int
	loadAt   time.Time
	ill      bool      // the store failed: nothing is asked of it before loadAt
	toStore  []*result // gathered
	storeAt  time.Time
	storing  []*result // being written
	probing  bool
	probeAt  time.Time

	others     <-chan struct{} // closed when those who go first may have gone; nil when nobody does
	yieldUntil time.Time
	announced  bool // the agenda may have something of this one
}

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
		o.Log.Error("it was not noted that all is delivered", "error", err)
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

// offer passes the deliveries of a committed event to their couriers.
func (o *Outbox) offer(t queued) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.started && !o.stopping {
		o.offered = max(o.offered, t.seq)
	}
	for i := range t.targets {
		d := t.delivery(i)
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

// courier returns a destination's, and starts it when it does not run; nil while
// nothing is delivered. One that is started for what waits in the store takes
// nothing from its inbox before that. mu is held.
func (o *Outbox) courier(a address, waiting bool) (c *courier, fresh bool) {
	dialect := o.dialects[a.service]
	if !o.started || o.stopping || dialect == nil {
		return nil, false
	}
	if c = o.couriers[a]; c != nil {
		return c, false
	}
	c = &courier{o: o, at: a, dialect: dialect, window: newWindow(dialect), began: o.Clock.Micros(), woken: make(chan bool, 1), more: waiting,
		results: make(chan laneResults, lanesAtOnce), storeEnded: make(chan bool, 1), probed: make(chan bool, 1), passing: map[int64]int{}}
	c.busy.Store(true)
	o.couriers[a] = c
	if waiting { // it does not know yet for what; a clock that is advanced at this moment waits for it
		c.announced = true
		o.agenda.set(c, turn{}, true)
	}
	o.running.Add(1)
	go c.run()
	return c, true
}

func (c *courier) nudge(everything bool) {
	defer c.busy.Store(true) // behind the nudge: see underWay
	select {
	case c.woken <- everything:
	default:
		if !everything {
			return
		}
		select { // a weaker nudge is waiting: replace it
		case <-c.woken:
		default:
		}
		select {
		case c.woken <- true:
		default:
		}
	}
}

func (o *Outbox) isStopping() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stopping
}

func (c *courier) run() {
	defer c.o.running.Done()
	defer c.leave()
	for {
		c.full.Store(false)
		c.takeInbox()
		changed := c.o.Clock.Changed() // before the clock is read: no change is missed
		stopping := c.o.isStopping()
		var due int64
		if !stopping {
			due = c.launch()
			c.probe()
			c.announce()
		}
		c.startStoring(stopping && c.inFlight == 0)
		if c.inFlight == 0 && c.storing == nil && (stopping || c.idle()) && c.retire(stopping) {
			return
		}
		// Requests on their way, and probes, end in time; a frozen clock may not move for long.
		c.full.Store(!stopping && (c.inFlight >= lanesAtOnce || c.inFlight > 0 && len(c.window.entries) >= windowSize ||
			c.pausing() || c.probing || c.mayProbe()))
		c.underWay()
		c.wait(changed, due)
	}
}

// leave removes the courier from the list, for whatever reason it ended.
func (c *courier) leave() {
	c.o.agenda.set(c, turn{}, false)
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	if c.o.couriers[c.at] == c {
		delete(c.o.couriers, c.at)
	}
}

// idle reports whether all that is known is done and written down.
func (c *courier) idle() bool {
	return len(c.window.entries) == 0 && len(c.toStore) == 0 && !c.more && !c.probing
}

// retire ends the courier, unless something has come in meanwhile; the next
// delivery to the destination starts another. A courier that must stop notes
// whether it leaves something pending.
func (c *courier) retire(stopping bool) bool {
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	more := len(c.woken) > 0
	if stopping { // the nudge may be that of Close, which brings nothing
		select {
		case more = <-c.woken:
		default:
		}
	}
	done := c.idle() && c.inbox.empty() && !more
	if stopping && !done {
		c.o.left.Store(true)
	}
	if stopping || done {
		delete(c.o.couriers, c.at)
	}
	return stopping || done
}

// launch sends what can be sent now and returns when something more will be due.
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
				c.o.Log.Error("deliveries were not read", "destination", c.at.destination, "error", err)
			}
			c.ill, c.loadAt = true, clock.Real().Add(time.Second)
			return due
		}
	}
}

// pausing reports whether what is new can wait a moment.
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
		sent := make([]Delivery, len(batch)) // the entries may be changed meanwhile
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
			limit += len(c.window.entries) // those that are known already come again
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

// refreshAll makes the courier load everything that is pending, also what it
// knows already.
func (c *courier) refreshAll() { c.cursor, c.more, c.again = 0, true, true }

// wait blocks until there is something to do.
func (c *courier) wait(changed <-chan struct{}, due int64) {
	var dueAt, probeAt, loadAt, keepAt, yieldAt <-chan time.Time
	if c.others != nil {
		timer := time.NewTimer(c.yieldUntil.Sub(clock.Real()))
		defer timer.Stop()
		yieldAt = timer.C
	}
	if c.storing == nil && len(c.toStore) > 0 {
		timer := time.NewTimer(c.storeAt.Sub(clock.Real()))
		defer timer.Stop()
		keepAt = timer.C
	}
	if due > 0 {
		dueAt = c.o.Clock.WaitUntil(time.UnixMicro(due))
	}
	if c.pausing() {
		timer := time.NewTimer(c.loadAt.Sub(clock.Real()))
		defer timer.Stop()
		loadAt = timer.C
	}
	if c.mayProbe() && !c.probing {
		timer := time.NewTimer(c.probeAt.Sub(clock.Real()))
		defer timer.Stop()
		probeAt = timer.C
	}
	select {
	case everything := <-c.woken:
		if everything {
			c.refreshAll()
		}
	case in := <-c.results:
		c.finish(in)
	case ok := <-c.storeEnded:
		c.stored(ok)
	case ok := <-c.probed:
		c.probing = false
		if ok {
			c.window.up(c.o.Clock.Micros())
		}
	case <-dueAt:
	case <-probeAt:
	case <-loadAt:
	case <-keepAt:
	case <-c.others:
	case <-yieldAt:
	case <-changed:
	}
}
