// Package budget bounds the memory that requests take, of the whole program
// together: their bodies, and what is built from them or for their replies.
// It also bounds how many values one document may have, by counting them
// before anything is built. It knows no service and no dialect.
package budget

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"understudy/internal/platform/fault"
)

const (
	// bodyBytes bounds the bodies that are read at the same time.
	bodyBytes = 96 << 20
	// workBytes bounds what all requests build at the same time.
	workBytes = 128 << 20
	// patience is how long a request waits for others to finish.
	patience = 2 * time.Second
	// free is how many bytes a request may take without asking: a count that
	// all requests share would slow down the small ones.
	free = 64 << 10
)

// MaxReply bounds the bytes of a reply. A list ends its page earlier.
const MaxReply = 32 << 20

// PageBytes is the length at which a list ends its page. A single row is at
// most as long again, so that the reply stays below MaxReply.
const PageBytes = 15 << 20

// The refusals of this package.
var (
	// Exhausted says that requests of others hold all the memory there is for them.
	Exhausted = fault.New(fault.Unavailable, "overloaded", "The server is busy with other large requests; try again.").After(time.Second)
	// TooLarge says that a body is too long or has too many values.
	TooLarge = fault.New(fault.TooLarge, "request_too_large", "The request body is too large.")
)

// Pool is a number of bytes that requests share. Requests that wait are served
// in the order in which they came.
type Pool struct {
	size int64
	sem  *semaphore.Weighted
	held atomic.Int64
}

// NewPool returns a pool of size bytes.
func NewPool(size int64) *Pool { return &Pool{size: size, sem: semaphore.NewWeighted(size)} }

// The pools of the program. A request that waits for its first work holds
// bodies alone; one that asks for more work while it holds some may wait for
// others that do, two seconds at most.
var (
	bodies = NewPool(bodyBytes)
	work   = NewPool(workBytes)
)

// Body holds n bytes of a request's body until ctx ends. It returns Exhausted
// when they do not become free in two seconds, and the error of ctx.
func Body(ctx context.Context, n int64) error { return bodies.Hold(ctx, n) }

// Work holds n bytes for what a request builds until ctx ends. It returns
// Exhausted when they do not become free in two seconds, and the error of ctx.
func Work(ctx context.Context, n int64) error {
	if n <= free {
		return nil
	}
	return work.Hold(ctx, n)
}

// Hold takes n bytes until ctx ends, at most all of the pool. A context that
// never ends takes nothing: it belongs to no request.
func (p *Pool) Hold(ctx context.Context, n int64) error {
	if ctx.Done() == nil {
		return nil
	}
	n = min(n, p.size)
	if !p.sem.TryAcquire(n) {
		waiting, cancel := context.WithTimeout(ctx, patience)
		err := p.sem.Acquire(waiting, n)
		cancel()
		if ctx.Err() != nil {
			if err == nil {
				p.sem.Release(n)
			}
			return ctx.Err()
		}
		if err != nil {
			return Exhausted
		}
	}
	p.held.Add(n)
	context.AfterFunc(ctx, func() {
		p.held.Add(-n)
		p.sem.Release(n)
	})
	return nil
}

// Held returns the bytes that requests hold of both pools.
func Held() int64 { return bodies.held.Load() + work.held.Load() }
