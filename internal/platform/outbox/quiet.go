package outbox

import "context"

type quietKey struct{}

// Quiet returns a context in which Append does nothing, so that changes publish
// no events.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quietKey{}, true) }

// IsQuiet reports whether ctx comes from Quiet, so that callers need not prepare
// an event.
func IsQuiet(ctx context.Context) bool {
	quiet, _ := ctx.Value(quietKey{}).(bool)
	return quiet
}
