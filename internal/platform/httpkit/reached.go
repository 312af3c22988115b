package httpkit

import "context"

type reachedKey struct{}

// WithReached returns a context for the requests of a connection whose handlers call
// reached when a request counts as under way.
func WithReached(ctx context.Context, reached func()) context.Context {
	return context.WithValue(ctx, reachedKey{}, reached)
}

// Reached notes that the request that a context belongs to counts as under way: who
// waits for what has arrived need not wait for it any more.
func Reached(ctx context.Context) {
	if reached, ok := ctx.Value(reachedKey{}).(func()); ok {
		reached()
	}
}
