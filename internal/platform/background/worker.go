// Package background runs work that nobody waits for. It refuses to know what
// the work is, and reports no errors of it.
package background

import (
	"sync"
	"sync/atomic"
)

// Worker does a piece of work whenever it is woken, in a goroutine that is
// there only for as long as there is something to do.
type Worker struct {
	work func(w *Worker)
	stop chan struct{}

	woken   atomic.Bool // since the work began; set and taken under mu
	mu      sync.Mutex
	running bool
	closed  bool
	done    sync.WaitGroup
}

// New gives a worker that sleeps. Work that takes long ends soon after Stopped.
func New(work func(w *Worker)) *Worker { return &Worker{work: work, stop: make(chan struct{})} }

// Wake has the work done soon, once more if it is being done. It never waits,
// and does nothing after Close.
func (w *Worker) Wake() {
	if w.woken.Load() { // a round is still to come: many writers wake one worker
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.woken.Store(true)
	if !w.running {
		w.running = true
		w.done.Go(w.run)
	}
}

func (w *Worker) run() {
	for w.more() {
		w.work(w)
	}
}

// more begins a round, or ends the goroutine.
func (w *Worker) more() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = w.woken.Swap(false) && !w.closed
	return w.running
}

// WokenAgain is for the work: it tells whether Wake was called since the work
// began or since this was last asked. What it told needs no further round.
func (w *Worker) WokenAgain() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.woken.Swap(false)
}

// Stopped is closed once Close is called.
func (w *Worker) Stopped() <-chan struct{} { return w.stop }

// Close has the work end and waits for it.
func (w *Worker) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	w.done.Wait()
}
