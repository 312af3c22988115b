// Package store defines worlds. A world is the database of one environment: one
// SQLite file or one PostgreSQL schema.
//
// All access goes through World.Read and World.Write; there is no bare database
// handle. One SQL text serves both databases: placeholders are "?", ids are TEXT
// made in Go, times are BIGINT microseconds UTC, JSON documents are TEXT, and
// booleans are BOOLEAN. Dialect contains the differences.
//
// This package is the contract and imports no driver: the engines are the
// packages sqlite and postgres below it, and storetest.Exercise is the
// conformance suite for engines. Services pass in their migrations.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"understudy/internal/platform/fault"
)

// Unavailable means that the database does not answer or cannot store a change,
// for instance because the disk is full.
var Unavailable = fault.New(fault.Unavailable, "store_unavailable", "The database does not answer at the moment; try again.").After(time.Second)

// ErrInUse is returned by Claim when another process uses the database.
var ErrInUse = errors.New("another understudy uses this database, and two would not see each other's changes: stop it, or use another database")

// ErrNewerData is returned by Open for data written by a newer build.
var ErrNewerData = errors.New("the data has a newer format than this build knows")

// ErrNoWorld is returned when the world to copy does not exist.
var ErrNoWorld = errors.New("there is no such world")

// ErrTaken is wrapped by the error of a statement that violates a unique
// constraint.
var ErrTaken = errors.New("a unique value is in use")

// Closed is returned by a world that has been closed. It is an Unavailable.
var Closed = Unavailable.Because(errors.New("the world is closed"))

// Class defines what happens to a table when its world is copied.
type Class string

const (
	// WorldClass marks a table of state: a fork copies it, a diff compares it.
	WorldClass Class = "world"
	// RuntimeClass marks a table of work in progress: a fork empties it, a diff
	// leaves it out.
	RuntimeClass Class = "runtime"
)

// Schema declares the tables that one service or part of the platform has in each
// world.
type Schema struct {
	Name string // also names the table of applied migrations
	// Migrations contains files NNNN_name.sql at its root. A file
	// NNNN_name.sqlite.sql or NNNN_name.postgres.sql applies only to that database.
	Migrations fs.FS
	Tables     map[string]Class
	// Overwrite makes the engine overwrite deleted data in this world, if it can, so
	// that free space contains nothing of it. Deleting then takes longer.
	Overwrite bool
}

// Overwrites reports whether one of the schemas has Overwrite.
func Overwrites(schemas []Schema) bool {
	return slices.ContainsFunc(schemas, func(s Schema) bool { return s.Overwrite })
}

// Store opens worlds by name. Names consist of a-z, 0-9 and "_".
type Store interface {
	// Dialect returns the SQL of the database.
	Dialect() *Dialect
	// Open opens a world, creating it if necessary, and applies missing migrations.
	// It returns ErrNewerData when a newer build wrote it.
	Open(ctx context.Context, world string, schemas []Schema) (*World, error)
	// Exists reports whether there is a world of that name.
	Exists(ctx context.Context, world string) (bool, error)
	// Blank returns an empty world, to be read in place of one that does not exist.
	// It is shared and belongs to the store.
	Blank(ctx context.Context, schemas []Schema) (*World, error)
	// OpenCopy opens a world that Copy made, for reading only.
	OpenCopy(ctx context.Context, world string, schemas []Schema) (*World, error)
	// Create creates a world, as a copy of another unless from is "", and opens it.
	// It replaces a world of that name, which must be closed. Writes are durable
	// only after World.MakeDurable, and do not wait for the disk before. It returns
	// ErrNoWorld. After a power failure the world may not exist, unless Sync was
	// called.
	Create(ctx context.Context, world, from string, schemas []Schema) (*World, error)
	// Copy copies a world, open or closed, to another name. It replaces a world of
	// that name, which must be closed. It blocks writes to the original, but not
	// reads. It returns ErrNoWorld. After a power failure the copy may not exist, or
	// what it replaced may exist again, unless Sync was called.
	Copy(ctx context.Context, from, to string) error
	// Multiply is Copy of a closed world to several names, for worlds that will be
	// written to: their first writes need not copy anything.
	Multiply(ctx context.Context, from string, to []string, schemas []Schema) error
	// Sync waits until all worlds made by Create, Copy and Multiply exist durably.
	Sync(ctx context.Context) error
	// Drop removes a closed world with all its data.
	Drop(ctx context.Context, world string) error
	// Size returns the size of a world in bytes, 0 if it does not exist.
	Size(ctx context.Context, world string) (int64, error)
	// Same reports whether two closed worlds are known to be equal, as a copy and
	// its original are. It opens neither.
	Same(a, b string) bool
	// Worlds returns the names of all worlds.
	Worlds(ctx context.Context) ([]string, error)
	// Claim locks the store for this process, until Release or Close. It returns
	// ErrInUse. If the lock is lost, worlds return Unavailable until it is acquired
	// again; both events are logged.
	Claim(ctx context.Context, log *slog.Logger) error
	// Release undoes Claim.
	Release()
	// Ping returns an error when the database does not answer.
	Ping(ctx context.Context) error
	// Classify classifies an error of the other methods as Conn.Classify does.
	Classify(err error) error
	// Close closes the store. All its worlds must be closed.
	Close() error
}

var worldName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// CheckNames returns an error for an invalid name of a world.
func CheckNames(names ...string) error {
	for _, name := range names {
		if !worldName.MatchString(name) {
			return fmt.Errorf("bad world name %q", name)
		}
	}
	return nil
}
