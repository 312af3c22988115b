package outbox

import (
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
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
