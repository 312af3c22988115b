package store

import (
	"slices"
	"strings"
)

// Dialect contains the differences between the SQL of the databases.
type Dialect struct {
	Name string
	// ForUpdate is appended to a SELECT that must lock its rows until the end of the
	// transaction.
	ForUpdate string
	// SkipLocked is appended to a SELECT with which one of several workers claims
	// rows.
	SkipLocked string
	// MaxParams is the most placeholders of a statement.
	MaxParams int
}

// The two dialects. An engine uses the one whose SQL it understands.
var (
	SQLite     = &Dialect{Name: "sqlite", MaxParams: 32766}
	PostgreSQL = &Dialect{Name: "postgres", ForUpdate: " FOR UPDATE", SkipLocked: " FOR UPDATE SKIP LOCKED", MaxParams: 65535}
)

// Pick returns the text for this database.
func (d *Dialect) Pick(sqlite, postgres string) string {
	if d == SQLite {
		return sqlite
	}
	return postgres
}

// Arguments appends the elements of a list to the arguments of a statement.
func Arguments[T any](args []any, list []T) []any {
	args = slices.Grow(args, len(list))
	for _, v := range list {
		args = append(args, v)
	}
	return args
}

// In returns "(?,?,…)" with n placeholders.
func In(n int) string {
	if n == 0 {
		return "(NULL)"
	}
	return "(" + strings.Repeat("?,", n-1) + "?)"
}
