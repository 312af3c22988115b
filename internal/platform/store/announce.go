package store

import "context"

type announcement struct{}

// Announce returns a context for a Write with a hint about what its function will
// read. An earlier write in the same transaction can read it too, and finds the
// hint by Announced.
func Announce(ctx context.Context, what any) context.Context {
	return context.WithValue(ctx, announcement{}, what)
}

// Ahead is implemented by a connection that knows which writes may follow in its
// transaction.
type Ahead interface {
	// Ahead returns the contexts of the writes that are likely to follow.
	Ahead() []context.Context
}

// Announced returns the hints of the writes that are likely to follow in the
// transaction. They may run in another one, or never.
func Announced[T any](tx *Tx) (out []T) {
	a, ok := tx.conn.(Ahead)
	if !ok {
		return nil
	}
	for _, ctx := range a.Ahead() {
		if what, ok := ctx.Value(announcement{}).(T); ok {
			out = append(out, what)
		}
	}
	return out
}
