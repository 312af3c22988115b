// Package budget bounds the memory that requests take, of the whole program
// together: their bodies, and what is built from them or for their replies.
// It also bounds how many values one document may have, by counting them
// before anything is built. It knows no service and no dialect.
package budget

import (
	"context"
	"sync/atomic"
	"time"

	"understudy/internal/platform/fault"
)

const (
	// bodyBytes bounds the bodies that are read at the same time.
	bodyBytes = 96 << 20
	// workBytes bounds what all requests build at the same time.
	workBytes = 192 << 20
	// patience is how long a request waits for others to finish, all its waits together.
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

// ownerPart is the part of a pool that the requests of one owner may hold
// together: one half. The other half is for the others.
const ownerPart = 2

// The refusals of this package.
var (
	// Exhausted means that requests hold all the memory there is for them, or
	// those of one owner all of its share.
	Exhausted = fault.New(fault.Unavailable, "overloaded", "The server is busy with other large requests; try again.").After(time.Second)
	// TooLarge means that a body is too long or has too many values.
	TooLarge = fault.New(fault.TooLarge, "request_too_large", "The request body is too large.")
)

// The pools of the program. A request that waits for its first work holds
// bodies alone; one that asks for more work while it holds some may wait for
// others that do, two seconds at most.
var (
	bodies = NewPool(bodyBytes, bodyBytes/ownerPart)
	work   = NewPool(workBytes, workBytes/ownerPart)
)

// Owner identifies who sends a request.
type Owner interface {
	// Owner returns a comparable name: of an account or a key, or of an address
	// as long as nobody knows more.
	Owner() any
}

type requestKey struct{}

// request is what the pools know of a request.
type request struct {
	owner  Owner
	waited atomic.Int64 // nanoseconds, in all pools
}

// WithOwner returns the context of a request with who sends it. The requests of
// one owner share half of each pool; those without an owner are one.
func WithOwner(ctx context.Context, o Owner) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{owner: o})
}

// Body holds n bytes of a request's body until ctx ends. It returns Exhausted
// when they do not become free while it may wait, and the error of ctx.
func Body(ctx context.Context, n int64) error { return bodies.Hold(ctx, n) }

// Work holds n bytes for what a request builds until ctx ends. It returns
// Exhausted when they do not become free while it may wait, and the error of ctx.
func Work(ctx context.Context, n int64) error {
	if n <= free {
		return nil
	}
	return work.Hold(ctx, n)
}

// Held returns the bytes that requests hold of both pools.
func Held() int64 { return bodies.Held() + work.Held() }
