// Package background runs work in the background.
package background

import (
	"sync"
	"sync/atomic"
)

// Worker runs a function when it is woken, in a goroutine that exists only while
// there is work.
type Worker struct {
	work func(w *Worker)
	stop chan struct{}

	woken   atomic.Bool // since the current run began; set and cleared under mu
	mu      sync.Mutex
	running bool
	closed  bool
	done    sync.WaitGroup
}

// New returns an idle worker. work should return soon after Stopped is closed.
func New(work func(w *Worker)) *Worker { return &Worker{work: work, stop: make(chan struct{})} }

// Wake makes the worker run soon, or once more if it is running. It never blocks,
// and does nothing after Close.
func (w *Worker) Wake() {
	if w.woken.Load() { // another run is already pending: the common case with many writers
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

// more begins a run, or ends the goroutine.
func (w *Worker) more() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = w.woken.Swap(false) && !w.closed
	return w.running
}

// WokenAgain reports, to the work itself, whether Wake was called since the run
// began or since WokenAgain last returned true. Such a call then causes no
// further run.
func (w *Worker) WokenAgain() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.woken.Swap(false)
}

// Stopped returns a channel that is closed once Close is called.
func (w *Worker) Stopped() <-chan struct{} { return w.stop }

// Close ends the work and waits for it.
func (w *Worker) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	w.done.Wait()
}
