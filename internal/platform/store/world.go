package store

import (
	"context"
	"strings"
)

// World is one environment's database. It is safe for concurrent use.
type World struct {
	Name    string
	backend Backend
	writes  writes
}

// Backend is what an engine implements to serve one world. It is safe for
// concurrent use. World documents what each method must do.
type Backend interface {
	// Read may take its snapshot with the first statement of fn. It calls begun,
	// unless it is nil, with the snapshot before that statement.
	Read(ctx context.Context, begun, fn func(*Tx) error) error
	Write(ctx context.Context, fn func(*Tx) error) error
	WriteDerived(ctx context.Context, fn func(*Tx) error) error
	MakeDurable(ctx context.Context) error
	Compact(ctx context.Context, scrub bool) error
	Suspend()
	RunOnce()
	Watch(wt Witness)
	Close() error
	Discard() error
}

// NewWorld returns a world that an engine serves.
func NewWorld(name string, b Backend) *World { return &World{Name: name, backend: b} }

// Backend returns what serves the world, for the engine that made it.
func (w *World) Backend() Backend { return w.backend }

// Read runs fn on a snapshot of the world. fn must not write. Read returns the
// error of fn unchanged.
func (w *World) Read(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Read(ctx, nil, fn)
}

// ReadDeferred is Read for an fn that may need nothing of the world. It calls
// begun with the snapshot before the first statement of fn; an error of begun
// fails that statement and all others. On PostgreSQL it takes a snapshot in any
// case.
func (w *World) ReadDeferred(ctx context.Context, begun, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Read(ctx, begun, fn)
}

// Write runs fn in a transaction and returns when its change is durable. When
// fn returns an error, nothing of its change remains and Write returns that
// error. fn may run more than once (never twice with effect), so it must change
// nothing outside except through Tx.AfterCommit, and it must not call Write.
func (w *World) Write(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.writes.begin()
	defer w.writes.end()
	return w.backend.Write(ctx, fn)
}

// WriteDerived is Write for what can be derived again from the world, such as a
// search index with the mark up to where it is complete, and for what ends with
// the machine, such as a list of worlds in memory: it does not wait until
// its change is durable. When the machine stops, the change may be gone, unless
// a later Write has returned; no later change of the world stays without it.
func (w *World) WriteDerived(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.writes.begin()
	defer w.writes.end()
	return w.backend.WriteDerived(ctx, fn)
}

// RunOnce makes Write run each function once from now on, whatever happens to
// the writes beside it: a function that draws from a seeded sequence then draws
// once. PostgreSQL still runs them again after a deadlock. Concurrent writes
// become slower.
func (w *World) RunOnce() { w.backend.RunOnce() }

// Watch makes a witness observe the writes that begin from now on. A world has
// at most one; nil ends it.
func (w *World) Watch(wt Witness) { w.backend.Watch(wt) }

// Close waits for running work and closes the world.
func (w *World) Close() error { return w.backend.Close() }

// MakeDurable makes a world that Create returned durable, with all later writes.
func (w *World) MakeDurable(ctx context.Context) error { return w.backend.MakeDurable(ctx) }

// Compact returns the space of deleted rows to the system, where that is quick:
// a database of many megabytes keeps it for new rows. With scrub it also removes
// what was deleted from the world's files, or from what the database server
// reads of its own: nothing of it can be found there afterwards, except in
// copies of the world. Only tables of a Schema with Overwrite are scrubbed.
func (w *World) Compact(ctx context.Context, scrub bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Compact(ctx, scrub)
}

// Suspend frees the memory that an open world holds for quick answers, when
// nobody uses it at this moment. The next use resumes it.
func (w *World) Suspend() { w.backend.Suspend() }

// Discard closes a world that is about to be dropped or replaced. Its last
// writes may be lost.
func (w *World) Discard() error { return w.backend.Discard() }

const memoryPrefix = "mem_"

// InMemory returns the name of a world that exists in memory only, where the
// engine supports that. On PostgreSQL it is a schema like any other, so its
// user drops it in the end.
func InMemory(world string) string { return memoryPrefix + world }

// IsInMemory reports whether InMemory returned the name.
func IsInMemory(world string) bool { return strings.HasPrefix(world, memoryPrefix) }
