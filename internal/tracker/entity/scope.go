package entity

import (
	"time"

	"understudy/internal/platform/store"
)

// Scope is the context of one transaction's reads: a tenant, a caller and a time.
type Scope struct {
	Tx      *store.Tx
	Tenant  string // the column org of every row that is read
	Caller  string // ":me" in filters
	Now     time.Time
	Version int64 // the tenant's newest version; 0 in a write, which does not use the caches
	Caches  *Caches

	rows map[rowKey]any // rows read or changed by a write; nil in a read
}

// Viewer is the view with which a service reads: a Scope, and whether rows are
// hidden from the caller.
type Viewer interface {
	Scoped() *Scope
	// Restricted reports whether Kind.Hide and Shape.Hide exclude any row.
	Restricted() bool
}

// Scoped returns the scope itself. A view that embeds a Scope inherits it.
func (s *Scope) Scoped() *Scope { return s }

// Micros returns the time of the scope in microseconds.
func (s *Scope) Micros() int64 { return s.Now.UnixMicro() }

// RememberRows makes Find return the same row for the rest of a write.
func (s *Scope) RememberRows() { s.rows = map[rowKey]any{} }

// Statements returns how many statements the transaction has run.
func (s *Scope) Statements() int { return s.Tx.Statements() }

// rowKey is the key of a row: its table or its tenant, and its id.
type rowKey struct{ space, id string }
