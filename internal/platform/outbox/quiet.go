package outbox

import "context"

type quietKey struct{}

// Quiet returns a context in which changes are state and no events: Append does
// nothing with it, so nothing is delivered.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quietKey{}, true) }

// IsQuiet reports whether ctx is one of Quiet, for who can spare the work of an event.
func IsQuiet(ctx context.Context) bool {
	quiet, _ := ctx.Value(quietKey{}).(bool)
	return quiet
}
