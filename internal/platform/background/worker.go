// Package background runs work that nobody waits for. It does not know what the
// work is, and reports no errors of it.
package background

import (
	"sync"
	"sync/atomic"
)

// Worker does a piece of work whenever it is woken, in a goroutine that exists
// only while there is something to do.
type Worker struct {
	work func(w *Worker)
	stop chan struct{}

	woken   atomic.Bool // since the work began; set and taken under mu
	mu      sync.Mutex
	running bool
	closed  bool
	done    sync.WaitGroup
}

// New returns an idle worker. Long work ends soon after Stopped is closed.
func New(work func(w *Worker)) *Worker { return &Worker{work: work, stop: make(chan struct{})} }

// Wake makes the worker run soon, once more when it is running. It never waits,
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

// WokenAgain reports, to the work itself, whether Wake was called since the work
// began or since WokenAgain reported it last. A call that it has reported causes
// no further round.
func (w *Worker) WokenAgain() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.woken.Swap(false)
}

// Stopped returns a channel that is closed once Close is called.
func (w *Worker) Stopped() <-chan struct{} { return w.stop }

// Close ends the work and waits for its end.
func (w *Worker) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	w.done.Wait()
}
