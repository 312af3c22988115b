package storetest

import (
	"context"
	"slices"
	"sync"

	"understudy/internal/platform/store"
)

// Witness collects the changes of a world. It is a store.Witness.
type Witness struct {
	Tables map[string]store.Noted // those that are recorded

	mu      sync.Mutex
	changes []store.Change
	copies  []string
}

type authorKey struct{}

// By returns a context whose writes have the author a.
func By(ctx context.Context, a store.Author) context.Context {
	return context.WithValue(ctx, authorKey{}, a)
}

// Author implements store.Witness.
func (w *Witness) Author(ctx context.Context) store.Author {
	a, _ := ctx.Value(authorKey{}).(store.Author)
	return a
}

// Table implements store.Witness.
func (w *Witness) Table(name string) store.Noted { return w.Tables[name] }

// Columns implements store.Witness: it returns the length of the statement.
func (w *Witness) Columns(sql string) uint16 { return uint16(len(sql)) }

// Statement implements store.Witness: each statement may have changed any row.
func (w *Witness) Statement(to []store.Change, by store.Author, _ string, _ []any, _, _ int64) []store.Change {
	return append(to, store.Change{Seq: by.Seq, Any: true})
}

// Prepare implements store.Witness.
func (w *Witness) Prepare(*store.Tx) error { return nil }

// Begin implements store.Witness.
func (w *Witness) Begin() { w.mu.Lock() }

// End implements store.Witness.
func (w *Witness) End(changes []store.Change) {
	w.changes = append(w.changes, changes...)
	w.mu.Unlock()
}

// Copy implements store.Witness.
func (w *Witness) Copy(to string, snapshot func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.copies = append(w.copies, to)
	return snapshot()
}

// Renumbered implements store.Witness.
func (w *Witness) Renumbered() {}

// Take returns the changes since the last call.
func (w *Witness) Take() []store.Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := slices.Clone(w.changes)
	w.changes = nil
	return out
}

// Copies returns the names to which the world was copied.
func (w *Witness) Copies() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.copies)
}
