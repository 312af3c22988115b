package store

import (
	"context"
	"strings"
)

// World is one environment's database. It is safe for concurrent use.
type World struct {
	Name    string
	dialect *Dialect
	backend Backend
	writes  writes
}

// Backend serves one world; engines implement it. It is safe for concurrent use.
// World documents its methods.
type Backend interface {
	// Read may take its snapshot with the first statement of fn. Unless begun is
	// nil, it calls it with the snapshot before that statement.
	Read(ctx context.Context, begun, fn func(*Tx) error) error
	Write(ctx context.Context, fn func(*Tx) error) error
	WriteDerived(ctx context.Context, fn func(*Tx) error) error
	WriteBeside(ctx context.Context, fn func(*Tx) error) error
	MakeDurable(ctx context.Context) error
	Compact(ctx context.Context, scrub bool) error
	Suspend() bool
	RunOnce()
	Watch(wt Witness)
	Close() error
	Discard() error
}

// NewWorld returns a world that b serves.
func NewWorld(name string, d *Dialect, b Backend) *World {
	return &World{Name: name, dialect: d, backend: b}
}

// Backend returns the backend of the world, for its engine.
func (w *World) Backend() Backend { return w.backend }

// Dialect returns the SQL that the world's database speaks. The world need not
// exist yet.
func (w *World) Dialect() *Dialect { return w.dialect }

// Read runs fn on a snapshot of the world. fn must not write. Read returns the
// error of fn unchanged.
func (w *World) Read(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Read(ctx, nil, fn)
}

// ReadDeferred is Read for an fn that may need no statement. Before the first
// statement of fn it calls begun with the snapshot; an error of begun fails that
// statement and all others. PostgreSQL always takes a snapshot.
func (w *World) ReadDeferred(ctx context.Context, begun, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Read(ctx, begun, fn)
}

// Write runs fn in a transaction and returns when its change is durable. When fn
// returns an error, its change is rolled back and Write returns that error. fn
// may run more than once (only one run takes effect), so it must change nothing
// outside except through Tx.AfterCommit, and it must not call Write.
func (w *World) Write(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.writes.begin()
	defer w.writes.end()
	return w.backend.Write(ctx, fn)
}

// WriteDerived is Write for data that can be derived again from the world, such
// as a search index with its progress, or that is lost with the machine anyway,
// such as a list of worlds in memory: it does not wait until its change is
// durable. A power failure can undo the change unless a later Write has returned,
// but never without undoing all later changes of the world.
func (w *World) WriteDerived(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.writes.begin()
	defer w.writes.end()
	return w.backend.WriteDerived(ctx, fn)
}

// WriteBeside is WriteDerived for rows that no other write changes or deletes. On
// PostgreSQL it does not wait for other writes, nor they for it: its transaction
// runs beside theirs, and sees what was committed before. No witness sees it. fn
// runs once. SQLite has one writer, so there it is WriteDerived.
func (w *World) WriteBeside(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.writes.begin()
	defer w.writes.end()
	return w.backend.WriteBeside(ctx, fn)
}

// RunOnce makes Write run each function only once, whatever happens to concurrent
// writes, so that a function that draws from a seeded sequence draws once.
// PostgreSQL still runs functions again after a deadlock. Concurrent writes
// become slower.
func (w *World) RunOnce() { w.backend.RunOnce() }

// Watch makes a witness observe the writes that begin after the call. A world has
// at most one; nil removes it.
func (w *World) Watch(wt Witness) { w.backend.Watch(wt) }

// Close waits for running work and closes the world.
func (w *World) Close() error { return w.backend.Close() }

// MakeDurable makes a world from Create, and all its later writes, durable.
func (w *World) MakeDurable(ctx context.Context) error { return w.backend.MakeDurable(ctx) }

// Compact returns the space of deleted rows to the system, if that is quick: a
// database of many megabytes keeps it for new rows. With scrub it also overwrites
// deleted data in the world's files or in those of the database server, except in
// copies of the world. It scrubs only tables of a Schema with Overwrite.
func (w *World) Compact(ctx context.Context, scrub bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.Compact(ctx, scrub)
}

// Suspend frees the memory and connections of an open world that is not in use, and
// reports whether it did. The next use resumes it. PostgreSQL has nothing to free.
func (w *World) Suspend() bool { return w.backend.Suspend() }

// Still reports whether the world and its size do not change, nor a suspended world
// is resumed, without a call of used before that. used must not wait. It is called
// once, and replaces that of an earlier call. PostgreSQL cannot know.
func (w *World) Still(used func()) bool {
	b, ok := w.backend.(interface{ Still(used func()) bool })
	return ok && b.Still(used)
}

// Discard closes a world that will be dropped or replaced. Its last writes may be
// lost.
func (w *World) Discard() error { return w.backend.Discard() }

const memoryPrefix = "mem_"

// InMemory returns the name of a world that exists only in memory, if the engine
// supports that. On PostgreSQL it is a normal schema, which its user must drop.
func InMemory(world string) string { return memoryPrefix + world }

// IsInMemory reports whether InMemory returned the name.
func IsInMemory(world string) bool { return strings.HasPrefix(world, memoryPrefix) }
