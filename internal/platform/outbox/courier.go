package outbox

import (
	"context"
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

const (
	// windowSize is how many pending deliveries of a destination are at hand; the rest waits in the store.
	windowSize = 1024
	loadSize   = 256
	// batchSize is how many deliveries of a lane are sent, one after another,
	// before what came of them is kept in one transaction.
	batchSize = 16
	// lanesAtOnce is how many requests are on their way to one destination.
	lanesAtOnce = 8
	// keepPause is how long what came of deliveries is gathered before it is
	// written, so that commits for it stay few beside those of requests. A crash
	// within it has the same deliveries made again.
	keepPause = 20 * time.Millisecond
	keepSize  = 256
	// loadPause is how long nothing is loaded while requests are on their way
	// and the last load has brought nothing that can be sent beside them.
	loadPause = 5 * time.Millisecond
	// probeEvery is how often an address at which nothing listens is tried (real time).
	probeEvery = 2 * time.Second
	// grace is what requests in flight get when the environment closes.
	grace = time.Second
)

// address is a destination of a service.
type address struct{ service, destination string }

// courier delivers to one destination. It runs while something is pending there.
type courier struct {
	o       *Outbox
	at      address
	dialect *Dialect
	window  *window
	woken   chan bool // true: look at everything again
	results chan laneResults
	kept    chan bool
	probed  chan bool

	// While nothing more can be sent, news waits here instead of waking the
	// courier for each event: what ends that state wakes it anyway.
	full atomic.Bool
	news atomic.Bool

	cursor   int64 // the largest id that was loaded
	more     bool  // there may be pending deliveries that are not in the window
	inFlight int
	loadAt   time.Time
	ill      bool      // the store failed: nothing is asked of it before loadAt
	toKeep   []*result // gathered
	keepAt   time.Time
	keeping  []*result // being written
	probing  bool
	probeAt  time.Time
}

// Start begins to deliver, with what an earlier run has left.
func (o *Outbox) Start(ctx context.Context) error {
	var waiting []address
	err := o.World.Read(ctx, func(tx *store.Tx) (err error) {
		waiting, err = addresses(tx)
		return err
	})
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.started = o.Client != nil
	o.mu.Unlock()
	for _, a := range waiting {
		o.wake(a, true)
	}
	return nil
}

// Close stops delivering. What is pending stays so.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.stopping = true
	for _, c := range o.couriers {
		c.nudge(true)
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
}

// wake has a destination's courier look, and starts it when it does not run.
func (o *Outbox) wake(a address, everything bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.started || o.stopping {
		return
	}
	if c := o.couriers[a]; c != nil {
		c.nudge(everything)
		return
	}
	dialect := o.dialects[a.service]
	if dialect == nil {
		return
	}
	c := &courier{o: o, at: a, dialect: dialect, window: newWindow(dialect), woken: make(chan bool, 1), more: true,
		results: make(chan laneResults, lanesAtOnce), kept: make(chan bool, 1), probed: make(chan bool, 1)}
	o.couriers[a] = c
	o.running.Add(1)
	go c.run()
}

func (c *courier) nudge(everything bool) {
	if !everything && c.full.Load() {
		c.news.Store(true)
		if c.full.Load() {
			return
		}
	}
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
		if c.news.Swap(false) {
			c.more = true
		}
		changed := c.o.Clock.Changed() // before the clock is read: no change is missed
		stopping := c.o.isStopping()
		var due int64
		if !stopping {
			due = c.launch()
			c.probe()
		}
		c.startKeeping(stopping && c.inFlight == 0)
		if c.inFlight == 0 && c.keeping == nil && (stopping || c.retire()) {
			return
		}
		// Requests on their way, and probes, end in time; a frozen clock may not move for long.
		c.full.Store(!stopping && (c.inFlight >= lanesAtOnce || c.inFlight > 0 && len(c.window.entries) >= windowSize ||
			c.pausing() || c.probing || c.mayProbe()))
		c.wait(changed, due)
	}
}

// leave takes the courier off the list, whatever ended it.
func (c *courier) leave() {
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	if c.o.couriers[c.at] == c {
		delete(c.o.couriers, c.at)
	}
}

// retire ends the courier when nothing is left to do; who wakes the destination next starts another.
func (c *courier) retire() bool {
	if len(c.window.entries) > 0 || len(c.toKeep) > 0 || c.more || c.probing {
		return false
	}
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	if len(c.woken) > 0 || c.news.Load() {
		return false
	}
	delete(c.o.couriers, c.at)
	return true
}

// launch sends what can be sent and tells when something more will be due.
func (c *courier) launch() (due int64) {
	for loaded := false; ; loaded = true {
		started := 0
		started, due = c.startLanes()
		if loaded && started == 0 {
			c.loadAt = clock.Real().Add(loadPause)
		}
		if !c.more || c.inFlight >= lanesAtOnce || c.window.down && len(c.window.entries) > 0 ||
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

// pausing tells whether what is new can wait a moment.
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
	for _, l := range c.window.lanes {
		if c.inFlight >= lanesAtOnce {
			break
		}
		batch, at := c.window.take(l, now, batchSize)
		if at > 0 && (due == 0 || at < due) {
			due = at
		}
		if len(batch) == 0 {
			continue
		}
		l.busy = true
		c.inFlight++
		started++
		go func() { c.results <- laneResults{l, c.deliver(c.o.ctx, batch)} }()
	}
	return started, due
}

// load takes pending deliveries into the window.
func (c *courier) load() error {
	var found []*Delivery
	limit := loadSize
	err := c.o.World.Read(c.o.ctx, func(tx *store.Tx) (err error) {
		slack := commitSlack(tx)
		if slack > 0 {
			limit = loadSize + len(c.window.entries) // those that are known already come again
		}
		found, err = pendingAfter(tx, c.at, c.cursor-slack, limit)
		return err
	})
	if err != nil {
		return err
	}
	again := c.cursor == 0
	for _, d := range found {
		c.window.add(d, again)
		c.cursor = max(c.cursor, d.ID)
	}
	c.more = len(found) == limit
	return nil
}

// wait blocks until there is something to do.
func (c *courier) wait(changed <-chan struct{}, due int64) {
	var dueAt, probeAt, loadAt, keepAt <-chan time.Time
	if c.keeping == nil && len(c.toKeep) > 0 {
		timer := time.NewTimer(c.keepAt.Sub(clock.Real()))
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
		c.more = true
		if everything {
			c.cursor = 0
		}
	case in := <-c.results:
		c.settled(in)
	case ok := <-c.kept:
		c.wasKept(ok)
	case ok := <-c.probed:
		c.probing = false
		if ok {
			c.window.up(c.o.Clock.Micros())
		}
	case <-dueAt:
	case <-probeAt:
	case <-loadAt:
	case <-keepAt:
	case <-changed:
	}
}
