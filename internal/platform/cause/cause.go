// Package cause records which request changed which row of an environment, so
// that a diff can name the cause of each change.
//
// A Journal has a store.Witness for each world of an environment. It records
// writes in memory in the order of their commits, 24 bytes for each changed row
// of a table that a diff shows; above MaxRows it drops the oldest. Services need
// no code for this, except when they write on behalf of others: they put the
// author into the context (WithAuthor).
//
// On SQLite the engine sees each row, so the journal is exact. On PostgreSQL it
// sees only statements: a row has all writers that may have changed it, and
// counts as exact only when there is one.
package cause

import (
	"context"

	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// MaxRows is the most changes in a journal.
const MaxRows = 200_000

type authorKey struct{}

// WithAuthor returns a context whose writes have the author a.
func WithAuthor(ctx context.Context, a store.Author) context.Context {
	return context.WithValue(ctx, authorKey{}, a)
}

// AsAdmin returns a context whose writes have the admin plane as author, except
// those of requests made with it.
func AsAdmin(ctx context.Context) context.Context {
	return WithAuthor(ctx, store.Author{Kind: uint8(record.Admin)})
}

// AsSystem returns a context whose writes have the system as author, except those
// of requests made with it.
func AsSystem(ctx context.Context) context.Context {
	return WithAuthor(ctx, store.Author{Kind: uint8(record.System)})
}

// InBulk returns a context whose inserted rows are recorded as one mark.
func InBulk(ctx context.Context) context.Context {
	a := AuthorOf(ctx)
	a.Bulk = true
	return context.WithValue(ctx, authorKey{}, a)
}

// AuthorOf returns the author of writes with a context: its request, else that of
// WithAuthor, else the system.
func AuthorOf(ctx context.Context) store.Author {
	if t := record.From(ctx); t != nil {
		return store.Author{Seq: t.Seq(), Kind: uint8(t.Actor())}
	}
	if a, ok := ctx.Value(authorKey{}).(store.Author); ok {
		return a
	}
	return store.Author{Kind: uint8(record.System)}
}
