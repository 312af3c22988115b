package entity

import (
	"time"

	"understudy/internal/platform/store"
)

// Scope is what one transaction reads rows for: a tenant, a caller and a moment.
type Scope struct {
	Tx      *store.Tx
	Tenant  string // the column org of every row that is read
	Caller  string // ":me" in filters
	Now     time.Time
	Version int64 // the tenant's newest version; 0 in a write, which reads past the caches
	Caches  *Caches

	rows map[rowKey]any // looked up or changed by a write; nil when reading
}

// Viewer is the view that a service reads with: a Scope, and whether some rows
// are hidden from the caller.
type Viewer interface {
	Scoped() *Scope
	// Restricted reports whether Kind.Hide and Shape.Hide leave out any row.
	Restricted() bool
}

// Scoped returns the scope itself; a view that embeds one inherits it.
func (s *Scope) Scoped() *Scope { return s }

// Micros returns the moment of the scope in microseconds.
func (s *Scope) Micros() int64 { return s.Now.UnixMicro() }

// RememberRows makes Find return the same row again for the rest of a write.
func (s *Scope) RememberRows() { s.rows = map[rowKey]any{} }

// Statements returns how many statements the transaction has run.
func (s *Scope) Statements() int { return s.Tx.Statements() }

// rowKey names a row: its table or its tenant, and its id.
type rowKey struct{ space, id string }
