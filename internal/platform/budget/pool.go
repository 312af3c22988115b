package budget

import (
	"context"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

// Pool is a number of bytes that requests share; one owner can have at most a
// share. Waiting requests are served in order of arrival, except that one which
// waits for its own owner's requests does not delay others.
type Pool struct {
	size, share int64

	mu      sync.Mutex
	held    int64
	owners  map[any]int64 // bytes reserved by each owner
	waiting []*waiter
}

type waiter struct {
	owner any
	bytes int64
	ready chan struct{} // closed, with the pool locked, when the bytes are reserved
}

// NewPool returns a pool of size bytes, with at most share for one owner.
func NewPool(size, share int64) *Pool {
	return &Pool{size: size, share: share, owners: map[any]int64{}}
}

// Hold reserves n bytes until ctx ends, at most the share of ctx's owner. It
// returns Exhausted when they do not become free, and the error of ctx. A request
// waits at most for maxWait, all its waits together, so that requests with
// partial reservations do not wait for each other at every step. For a context
// that never ends, which belongs to no request, it does nothing.
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

// wait returns nil when the bytes of w are reserved, and an error if that will
// not happen.
func (p *Pool) wait(ctx context.Context, w *waiter, r *request) error {
	select {
	case <-w.ready:
		return nil
	default:
	}
	began := clock.Real()
	defer func() { r.waited.Add(int64(clock.Real().Sub(began))) }()
	timeout := time.NewTimer(max(0, maxWait-time.Duration(r.waited.Load())))
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
	case <-w.ready: // reserved meanwhile; released when the caller's ctx ends
		return nil
	default:
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(o *waiter) bool { return o == w })
	p.serve() // smaller requests behind this one may fit now
	return err
}

// serve reserves bytes for the waiting requests, in order, until one needs more
// than the pool has left. The pool is locked.
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

// Held returns the bytes that are reserved.
func (p *Pool) Held() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}
