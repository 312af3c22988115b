package store

import "context"

type announcement struct{}

// Announce returns a context for a Write whose function will ask for something.
// A write that runs before it in the same transaction finds it with Announced, and
// may ask for both at once.
func Announce(ctx context.Context, what any) context.Context {
	return context.WithValue(ctx, announcement{}, what)
}

// Ahead is implemented by a connection whose transaction may have further writes.
type Ahead interface {
	// Ahead returns the contexts of the writes that are likely to follow.
	Ahead() []context.Context
}

// Announced returns what the writes have announced that are likely to follow in
// the transaction. They may come in another one, or never.
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
