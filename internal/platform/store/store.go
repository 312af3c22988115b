// Package store defines worlds. A world is the database of one environment: one
// SQLite file or one PostgreSQL schema.
//
// All access goes through World.Read and World.Write; there is no bare
// database handle. One SQL text serves both databases: placeholders are "?",
// ids are TEXT made in Go, times are BIGINT microseconds UTC, JSON documents
// are TEXT, yes and no are BOOLEAN. What differs stands in Dialect.
//
// This package is the contract. It imports no driver: the engines are the
// packages sqlite and postgres below it, and storetest.Exercise is the suite
// that every engine passes. It knows no service either: services pass in their
// migrations.
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

// Unavailable is returned when the database does not answer, or cannot store a
// change, for instance because the disk is full.
var Unavailable = fault.New(fault.Unavailable, "store_unavailable", "The database does not answer at the moment; try again.").After(time.Second)

// ErrInUse is returned by Claim when another process uses the database.
var ErrInUse = errors.New("another understudy uses this database, and two would not see each other's changes: stop it, or use another database")

// ErrNewerData is returned by Open for data that a newer build wrote.
var ErrNewerData = errors.New("the data has a newer format than this build knows")

// ErrNoWorld is returned when the world to copy does not exist.
var ErrNoWorld = errors.New("there is no such world")

// ErrTaken is wrapped by the error of a statement that would store a unique
// value twice.
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

// Schema is what one service or platform part stores in each world.
type Schema struct {
	Name string // also names the table of applied migrations
	// Migrations holds files NNNN_name.sql at its root. A file named
	// NNNN_name.sqlite.sql or NNNN_name.postgres.sql is for that database alone.
	Migrations fs.FS
	Tables     map[string]Class
	// Overwrite makes the engine overwrite what is deleted in this world, where
	// it can, so that nothing of it remains in free space. Deleting costs more then.
	Overwrite bool
}

// Overwrites reports whether one of the schemas has Overwrite.
func Overwrites(schemas []Schema) bool {
	return slices.ContainsFunc(schemas, func(s Schema) bool { return s.Overwrite })
}

// Store opens worlds by name. Names consist of a-z, 0-9 and "_".
type Store interface {
	// Open opens a world, creates it when it does not exist, and applies the
	// migrations that it lacks. It returns ErrNewerData when a newer build wrote it.
	Open(ctx context.Context, world string, schemas []Schema) (*World, error)
	// Blank returns a world that holds nothing, to be read in place of one that
	// does not exist. It is shared and belongs to the store.
	Blank(ctx context.Context, schemas []Schema) (*World, error)
	// OpenCopy opens a world that Copy made, to read it only.
	OpenCopy(ctx context.Context, world string, schemas []Schema) (*World, error)
	// Create creates a world, as a copy of another unless from is "", and opens
	// it. It replaces a world of that name, which must be closed. Changes are
	// durable from World.MakeDurable on: until then no write waits for the disk.
	// It returns ErrNoWorld. After a failure of the machine the world may not exist,
	// unless Sync was called.
	Create(ctx context.Context, world, from string, schemas []Schema) (*World, error)
	// Copy copies a world, open or closed, to another name. It replaces a world
	// of that name, which must be closed. Writes to the original wait meanwhile,
	// reads do not. It returns ErrNoWorld. After a failure of the machine the copy
	// may not exist, or what it replaced may exist, unless Sync was called.
	Copy(ctx context.Context, from, to string) error
	// Multiply copies a closed world to several names, as Copy does, for worlds that
	// will be written to: nothing is left for the first write to each to copy.
	Multiply(ctx context.Context, from string, to []string, schemas []Schema) error
	// Sync waits until all worlds that Create, Copy and Multiply have made exist durably.
	Sync(ctx context.Context) error
	// Drop removes a closed world with all its data.
	Drop(ctx context.Context, world string) error
	// Size returns the bytes that a world occupies, 0 when it does not exist.
	Size(ctx context.Context, world string) (int64, error)
	// Same reports whether two closed worlds are known to hold the same, as a copy
	// and its original do. It opens neither.
	Same(a, b string) bool
	// Worlds returns the names of all worlds.
	Worlds(ctx context.Context) ([]string, error)
	// Claim locks the store for this process, until Release or Close. It returns
	// ErrInUse. When the lock is lost, worlds return Unavailable until it is
	// taken again; log receives a line of both.
	Claim(ctx context.Context, log *slog.Logger) error
	// Release undoes Claim.
	Release()
	// Ping returns an error when the database does not answer.
	Ping(ctx context.Context) error
	// Classify sorts an error of the other methods as Conn.Classify does.
	Classify(err error) error
	// Close closes the store. All its worlds must be closed.
	Close() error
}

var worldName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// CheckNames returns an error when a name cannot be that of a world.
func CheckNames(names ...string) error {
	for _, name := range names {
		if !worldName.MatchString(name) {
			return fmt.Errorf("bad world name %q", name)
		}
	}
	return nil
}
