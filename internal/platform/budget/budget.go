// Package budget bounds the memory of all requests together: their bodies, and
// what is built from them or for replies. It also bounds the number of values in
// one document, which it counts before anything is built.
package budget

import (
	"context"
	"sync/atomic"
	"time"

	"understudy/internal/platform/fault"
)

const (
	// bodyBytes bounds the bodies of concurrent requests.
	bodyBytes = 96 << 20
	// workBytes bounds what concurrent requests build.
	workBytes = 192 << 20
	// maxWait is how long a request may wait for memory, all its waits together.
	maxWait = 2 * time.Second
	// free is how many bytes a request may use without a reservation: the shared
	// counter would slow down small requests.
	free = 64 << 10
)

// MaxReply is the largest reply, in bytes. A list ends its page earlier.
const MaxReply = 32 << 20

// PageBytes is the size at which a list ends its page. A single row is not longer
// than that, so the reply stays below MaxReply.
const PageBytes = 15 << 20

// ownerPart is the divisor of a pool that bounds the requests of one owner: one
// half.
const ownerPart = 2

// The errors of this package.
var (
	// Exhausted means that requests have reserved all memory, or those of one owner
	// all of its share.
	Exhausted = fault.New(fault.Unavailable, "overloaded", "The server is busy with other large requests; try again.").After(time.Second)
	// TooLarge means that a body is too long or contains too many values.
	TooLarge = fault.New(fault.TooLarge, "request_too_large", "The request body is too large.")
)

// The pools of the program. A request that waits for its first work holds only
// its body; one that waits for more work may wait for others in the same state,
// but at most for maxWait.
var (
	bodies = NewPool(bodyBytes, bodyBytes/ownerPart)
	work   = NewPool(workBytes, workBytes/ownerPart)
)

// Owner identifies the sender of a request.
type Owner interface {
	// Owner returns a comparable name: of an account or a key, or of an address
	// while the caller is unknown.
	Owner() any
}

type requestKey struct{}

// request is the state of a request in the pools.
type request struct {
	owner  Owner
	waited atomic.Int64 // nanoseconds, in all pools
}

// WithOwner returns a request's context with its owner. The requests of one owner
// share half of each pool; those without an owner count as one owner.
func WithOwner(ctx context.Context, o Owner) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{owner: o})
}

// Body reserves n bytes for a request's body until ctx ends. It returns Exhausted
// when they do not become free in time, and the error of ctx.
func Body(ctx context.Context, n int64) error { return bodies.Hold(ctx, n) }

// Work reserves n bytes for what a request builds until ctx ends. It returns
// Exhausted when they do not become free in time, and the error of ctx.
func Work(ctx context.Context, n int64) error {
	if n <= free {
		return nil
	}
	return work.Hold(ctx, n)
}

// Held returns the bytes that are reserved in both pools.
func Held() int64 { return bodies.Held() + work.Held() }
