package outbox

import (
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// windowSize is how many pending deliveries of a destination are kept in memory;
	// the others are only in the store.
	windowSize = 1024
	loadSize   = 256
	// batchSize is how many deliveries of a lane are sent one after another before
	// their outcomes are stored in one transaction.
	batchSize = 16
	// lanesAtOnce is the number of concurrent requests to one destination.
	lanesAtOnce = 8
	// storePause is how long outcomes of deliveries are collected before they are
	// stored, so that they need few commits. After a crash in this time the same
	// deliveries are sent again.
	storePause = 20 * time.Millisecond
	storeSize  = 256
	// loadPause is the pause between loads while requests are in flight and the last
	// load found nothing to send concurrently.
	loadPause = 5 * time.Millisecond
	// probeEvery is the interval (real time) of connection attempts to an address
	// where nothing listens.
	probeEvery = 2 * time.Second
	// grace is how long requests in flight may take when the environment closes.
	grace = time.Second
)

// address is a destination of a service.
type address struct{ service, destination string }

// courier delivers to one destination. It runs while deliveries to it are
// pending.
type courier struct {
	o          *Outbox
	at         address
	dialect    *Dialect
	window     *window
	began      int64     // on the environment's clock
	woken      chan bool // true: check everything again
	results    chan laneResults
	storeEnded chan bool
	probed     chan bool
	passing    map[int64]int // number of deliveries by which each of these may still be overtaken

	// full is set while nothing more can be sent: new deliveries then wait in the
	// inbox without waking the courier for each; the end of that state wakes it.
	full  atomic.Bool
	inbox inbox
	busy  atomic.Bool // something is being sent, or can be sent immediately

	cursor   int64 // the largest id that was loaded
	more     bool  // the store may have pending deliveries that are not in the window
	again    bool  // those in the window may have changed in the store
	inFlight int
	loadAt   time.Time
	ill      bool      // the store failed: do not use it before loadAt
	toStore  []*result // collected results
	storeAt  time.Time
	storing  []*result // results being stored
	probing  bool
	probeAt  time.Time

	others     <-chan struct{} // closed when retries that go first may be done; nil if there are none
	yieldUntil time.Time
	announced  bool // the agenda may contain a retry of this courier
}

// courier returns the courier of a destination, and starts it if necessary; nil
// while delivery is stopped. With waiting, a new courier loads pending deliveries
// from the store before it uses its inbox. mu is held.
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
	if waiting { // it has not loaded them yet; a clock that is advanced now must wait for it
		c.announced = true
		o.agenda.set(c, turn{}, true)
	}
	o.running.Add(1)
	go c.run()
	return c, true
}

func (c *courier) nudge(everything bool) {
	defer c.busy.Store(true) // after the nudge: see underWay
	select {
	case c.woken <- everything:
	default:
		if !everything {
			return
		}
		select { // replace the weaker nudge that is pending
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
		changed := c.o.Clock.Changed() // before reading the clock, so that no change is missed
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
		// Requests in flight and probes end by themselves, but a frozen clock may not
		// move for long.
		c.full.Store(!stopping && (c.inFlight >= lanesAtOnce || c.inFlight > 0 && len(c.window.entries) >= windowSize ||
			c.pausing() || c.probing || c.mayProbe()))
		c.underWay()
		c.wait(changed, due)
	}
}

// leave unregisters the courier.
func (c *courier) leave() {
	c.o.agenda.set(c, turn{}, false)
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	if c.o.couriers[c.at] == c {
		delete(c.o.couriers, c.at)
	}
}

// idle reports whether everything known is delivered and stored.
func (c *courier) idle() bool {
	return len(c.window.entries) == 0 && len(c.toStore) == 0 && !c.more && !c.probing
}

// retire ends the courier, unless deliveries have arrived meanwhile; the next
// delivery to the destination starts another one. A stopping courier records
// whether it leaves pending deliveries.
func (c *courier) retire(stopping bool) bool {
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	more := len(c.woken) > 0
	if stopping { // the nudge may be that of Close
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

// wait blocks until there is work.
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
