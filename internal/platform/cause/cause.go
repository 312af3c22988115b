// Package cause notes which request changed which row of an environment, so
// that a diff can name the cause of each change.
//
// A Journal is a store.Witness for each world of an environment. Writes are
// noted in memory in the order of their commits, 24 bytes for each changed row
// of a table that a diff shows; the oldest are dropped above MaxRows. No service
// does anything for it, except those that write for others: they put the author
// into the context (WithAuthor).
//
// On SQLite the engine sees each row, so the journal is exact. On PostgreSQL it
// sees statements: a row has all writers that may have changed it, and counts as
// exact only when there is one.
package cause

import (
	"context"

	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// MaxRows is how many changes a journal holds.
const MaxRows = 200_000

type authorKey struct{}

// WithAuthor returns a context whose writes are noted as those of a.
func WithAuthor(ctx context.Context, a store.Author) context.Context {
	return context.WithValue(ctx, authorKey{}, a)
}

// AsAdmin returns a context whose writes are noted as those of the admin plane,
// but for those of requests that are made in its course.
func AsAdmin(ctx context.Context) context.Context {
	return WithAuthor(ctx, store.Author{Kind: uint8(record.Admin)})
}

// AsSystem returns a context whose writes are noted as work in the background,
// but for those of requests that are made in its course.
func AsSystem(ctx context.Context) context.Context {
	return WithAuthor(ctx, store.Author{Kind: uint8(record.System)})
}

// InBulk returns a context whose inserted rows are noted by one mark.
func InBulk(ctx context.Context) context.Context {
	a := AuthorOf(ctx)
	a.Bulk = true
	return context.WithValue(ctx, authorKey{}, a)
}

// AuthorOf returns who makes the writes of a context: the request that it
// belongs to, else what WithAuthor put there, else the system.
func AuthorOf(ctx context.Context) store.Author {
	if t := record.From(ctx); t != nil {
		return store.Author{Seq: t.Seq(), Kind: uint8(t.Actor())}
	}
	if a, ok := ctx.Value(authorKey{}).(store.Author); ok {
		return a
	}
	return store.Author{Kind: uint8(record.System)}
}
