// Package store keeps worlds. A world is the database of one environment: one
// SQLite file or one PostgreSQL schema.
//
// All access goes through World.Read and World.Write; there is no bare
// database handle. One SQL text serves both databases: placeholders are "?",
// ids are TEXT made in Go, times are BIGINT microseconds UTC, JSON documents
// are TEXT, yes and no are BOOLEAN. What differs stands in Dialect.
//
// The package knows no service: services hand it their migrations.
package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"understudy/internal/platform/fault"
)

// Unavailable is what callers get when the database cannot keep their change,
// for instance because the disk is full.
var Unavailable = fault.New(fault.Unavailable, "store_unavailable", "The store cannot take this change now.")

// ErrNewerData says that the data was written by a newer build.
var ErrNewerData = errors.New("the data has a newer format than this build knows")

// ErrNoWorld says that there is nothing to copy.
var ErrNoWorld = errors.New("there is no such world")

// errClosed is returned by a world that has been closed.
var errClosed = Unavailable.Because(errors.New("the world is closed"))

// Class tells what becomes of a table when its world is copied.
type Class string

const (
	// World tables are the state: copied by a fork, compared by a diff.
	WorldClass Class = "world"
	// Runtime tables are work in progress: emptied in a fork, left out of a diff.
	RuntimeClass Class = "runtime"
)

// Schema is what one service or platform part keeps in each world.
type Schema struct {
	Name string // also names the table of applied migrations
	// Migrations holds files NNNN_name.sql at its root. A file named
	// NNNN_name.sqlite.sql or NNNN_name.postgres.sql is for that database alone.
	Migrations fs.FS
	Tables     map[string]Class
}

// Store opens worlds by name. Names are made of a-z, 0-9 and "_".
type Store interface {
	// Open opens a world, makes it when it is not there, and brings it up to
	// date. It returns ErrNewerData when a newer build wrote it.
	Open(ctx context.Context, world string, schemas []Schema) (*World, error)
	// OpenCopy opens what Copy made to read it alone.
	OpenCopy(ctx context.Context, world string, schemas []Schema) (*World, error)
	// Create makes a world, as a copy of another unless from is "", and opens it.
	// What has its name is replaced and must be closed. What is written is
	// durable from Seal on: until then nobody waits for the disk. It returns
	// ErrNoWorld.
	Create(ctx context.Context, world, from string, schemas []Schema) (*World, error)
	// Copy copies a world, open or closed, to one of another name, which is
	// replaced and must be closed. Writes to it wait, reads do not. It returns
	// ErrNoWorld.
	Copy(ctx context.Context, from, to string) error
	// Drop removes a world that is closed, with all that is in it.
	Drop(ctx context.Context, world string) error
	// Size tells the bytes that a world takes, 0 for none.
	Size(ctx context.Context, world string) (int64, error)
	// Worlds names all that are there.
	Worlds(ctx context.Context) ([]string, error)
	// Join counts this process among those that use the store, until Leave or
	// Close. When there is no other, first is called, and others wait for it
	// before they are let in.
	Join(ctx context.Context, first func() error) error
	// Leave undoes Join. When there is no other, last is called.
	Leave(ctx context.Context, last func() error) error
	Close() error
}

// Open opens the store that url names: "postgres://…", or SQLite files in dir when url is empty.
func Open(ctx context.Context, url, dir string) (Store, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return openPostgres(ctx, url)
	}
	if url != "" {
		return nil, errors.New("the database must be a postgres:// URL, or left out for SQLite files")
	}
	return openSQLite(dir)
}

// World is one environment's database. It is safe for concurrent use.
type World struct {
	Name    string
	backend backend
}

type backend interface {
	// read may begin with the first statement; begun is called then, before it, unless it is nil.
	read(ctx context.Context, begun, fn func(*Tx) error) error
	write(ctx context.Context, fn func(*Tx) error) error
	seal(ctx context.Context) error
	relax()
	runOnce()
	close() error
	discard() error
}

// Read runs fn on a snapshot of the world. fn must not write. Its error is returned as it is.
func (w *World) Read(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.read(ctx, nil, fn)
}

// ReadLate is Read for who may need nothing of the world: begun is called with
// the snapshot before the first statement of fn, and its error fails that one
// and all others. On PostgreSQL a snapshot is taken in any case.
func (w *World) ReadLate(ctx context.Context, begun, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.read(ctx, begun, fn)
}

// Write runs fn in a transaction and returns when its change is durable. When
// fn returns an error nothing of it remains and that error is returned. fn may
// run more than once (never twice with effect), so it must not change anything
// outside but through AfterCommit, and it must not call Write.
func (w *World) Write(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.backend.write(ctx, fn)
}

// RunOnce has each function given to Write run once from now on, whatever
// becomes of those beside it: what it draws from a sequence that is to be the
// same each time is drawn once. PostgreSQL runs one again after a deadlock all
// the same. It makes writes that come in crowds a little slower.
func (w *World) RunOnce() { w.backend.runOnce() }

// Close waits for running work and closes the world.
func (w *World) Close() error { return w.backend.close() }

// Seal makes a world that was made by Create durable, with all that follows.
func (w *World) Seal(ctx context.Context) error { return w.backend.seal(ctx) }

// Relax gives back memory that an open world holds for quick answers, when
// nobody uses it at this moment.
func (w *World) Relax() { w.backend.relax() }

// Discard closes a world that is about to be dropped or replaced: what was
// written to it last may be lost.
func (w *World) Discard() error { return w.backend.discard() }
