package lease

import (
	"context"
	"sync"
)

// Pool bounds how many resources of a kind are open. It opens them on demand. It
// is safe for concurrent use.
type Pool[T any] struct {
	open  func() (T, error)
	close func(T)
	slots chan struct{} // one slot for each acquired resource

	mu   sync.Mutex
	idle []T
}

// NewPool returns a pool of at most n resources.
func NewPool[T any](n int, open func() (T, error), close func(T)) *Pool[T] {
	return &Pool[T]{open: open, close: close, slots: make(chan struct{}, n)}
}

// Acquire returns an idle resource, or opens one. It waits while all are in use,
// and returns the error of ctx or of opening.
func (p *Pool[T]) Acquire(ctx context.Context) (value T, err error) {
	select {
	case p.slots <- struct{}{}:
	default:
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		value, p.idle = p.idle[n-1], p.idle[:n-1]
		p.mu.Unlock()
		return value, nil
	}
	p.mu.Unlock()
	if value, err = p.open(); err != nil {
		<-p.slots
	}
	return value, err
}

// Release returns a resource to the pool.
func (p *Pool[T]) Release(value T) {
	p.mu.Lock()
	p.idle = append(p.idle, value)
	p.mu.Unlock()
	<-p.slots
}

// CloseIdle closes the resources that are not in use.
func (p *Pool[T]) CloseIdle() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, value := range idle {
		p.close(value)
	}
}
