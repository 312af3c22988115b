// Package together runs work for the callers of a yardstick that arrive together once
// for all of them, such as a flush of the disk.
package together

import "sync"

// Group is work that callers share. Its zero value has none.
type Group struct {
	writing sync.Mutex
	mu      sync.Mutex
	next    *turn // that new callers join; nil for none
}

// turn is the callers that share one run of the work.
type turn struct {
	callers int
	done    chan struct{}
	err     error
}

// Do returns when work has been done for the caller, which it does for all who
// arrived during the run before, one run at a time. It returns the error of that run.
func (g *Group) Do(work func(callers int) error) error {
	g.mu.Lock()
	t, lead := g.next, g.next == nil
	if lead {
		t = &turn{done: make(chan struct{})}
		g.next = t
	}
	t.callers++
	g.mu.Unlock()
	if !lead {
		<-t.done
		return t.err
	}
	g.writing.Lock()
	defer g.writing.Unlock()
	g.mu.Lock()
	g.next = nil
	g.mu.Unlock()
	t.err = work(t.callers)
	close(t.done)
	return t.err
}
