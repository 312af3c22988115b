package httpkit

import "context"

type reachedKey struct{}

// WithReached returns a context in which Reached calls reached.
func WithReached(ctx context.Context, reached func()) context.Context {
	return context.WithValue(ctx, reachedKey{}, reached)
}

// Reached reports that the request of ctx has reached its environment, so that
// waiting for received requests need no longer wait for it.
func Reached(ctx context.Context) {
	if reached, ok := ctx.Value(reachedKey{}).(func()); ok {
		reached()
	}
}
