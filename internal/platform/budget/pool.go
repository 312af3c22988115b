package budget

import (
	"context"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

// Pool is a number of bytes that requests share, of which one owner has a share
// at most. Requests that wait are served in the order in which they came; one
// that waits for its owner's others makes nobody else wait.
type Pool struct {
	size, share int64

	mu      sync.Mutex
	held    int64
	owners  map[any]int64 // what each holds
	waiting []*waiter
}

type waiter struct {
	owner any
	bytes int64
	ready chan struct{} // closed when the bytes are held; the pool is locked
}

// NewPool returns a pool of size bytes, of which one owner holds share at most.
func NewPool(size, share int64) *Pool {
	return &Pool{size: size, share: share, owners: map[any]int64{}}
}

// Hold reserves n bytes until ctx ends, at most the share of ctx's owner. It
// returns Exhausted when they do not become free, and the error of ctx. A
// request waits two seconds, all its waits together: requests that hold a part
// of what they need do not wait for each other at every step. With a context
// that never ends it reserves nothing: such a context belongs to no request.
func (p *Pool) Hold(ctx context.Context, n int64) error {
	if ctx.Done() == nil {
		return nil
	}
	var owner any
	r, ok := ctx.Value(requestKey{}).(*request)
	if ok {
		owner = r.owner.Owner()
	} else {
		r = &request{}
	}
	w := &waiter{owner, min(n, p.share), make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.serve()
	p.mu.Unlock()
	if err := p.wait(ctx, w, r); err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held -= w.bytes
		if p.owners[owner] -= w.bytes; p.owners[owner] == 0 {
			delete(p.owners, owner)
		}
		p.serve()
	})
	return nil
}

// wait returns when the bytes of w are held, or they are not and will not be.
func (p *Pool) wait(ctx context.Context, w *waiter, r *request) error {
	select {
	case <-w.ready:
		return nil
	default:
	}
	began := clock.Real()
	defer func() { r.waited.Add(int64(clock.Real().Sub(began))) }()
	timeout := time.NewTimer(max(0, patience-time.Duration(r.waited.Load())))
	defer timeout.Stop()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timeout.C:
		err = Exhausted
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.ready: // meanwhile; they are returned with the caller's ctx
		return nil
	default:
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(o *waiter) bool { return o == w })
	p.serve() // who came after it may fit
	return err
}

// serve hands out bytes to the waiting requests, in order, until it meets the
// first that needs more than the pool has. The pool is locked.
func (p *Pool) serve() {
	full := false
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool {
		if full || p.owners[w.owner]+w.bytes > p.share {
			return false
		}
		if full = p.held+w.bytes > p.size; full {
			return false
		}
		p.held += w.bytes
		p.owners[w.owner] += w.bytes
		close(w.ready)
		return true
	})
}

// Held returns the bytes that requests hold.
func (p *Pool) Held() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}
