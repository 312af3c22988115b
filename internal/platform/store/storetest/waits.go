package storetest

import (
	"context"

	"understudy/internal/platform/store"
)

// Waits counts the writes of a world, by whether they wait for the disk. It is
// not safe for concurrent writes.
type Waits struct {
	store.Backend
	Durable, Derived int
}

// CountWaits returns w with its writes counted, and the counts.
func CountWaits(w *store.World) (*store.World, *Waits) {
	counts := &Waits{Backend: w.Backend()}
	return store.NewWorld(w.Name, w.Dialect(), counts), counts
}

// Write implements store.Backend.
func (w *Waits) Write(ctx context.Context, fn func(*store.Tx) error) error {
	w.Durable++
	return w.Backend.Write(ctx, fn)
}

// WriteDerived implements store.Backend.
func (w *Waits) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	w.Derived++
	return w.Backend.WriteDerived(ctx, fn)
}
