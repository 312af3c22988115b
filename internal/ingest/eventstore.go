package ingest

import (
	"context"

	"understudy/internal/platform/store"
)

// EventStore keeps the events of one environment. The built-in one keeps
// blocks of columns in SQLite or PostgreSQL (package blockstore); one on a
// columnar database needs these methods.
type EventStore interface {
	// Append keeps events durably, in one step for all of them. Those whose id
	// the project has already, or that come twice in events, are left out. The
	// texts of the events may be changed once it has returned, not before.
	Append(ctx context.Context, project string, events []Event) error
	// AppendWith is Append in one transaction with another change of the
	// database that also keeps the sessions.
	AppendWith(ctx context.Context, project string, events []Event, change func(tx *store.Tx) error) error
	// CountIn tells how many events there are.
	CountIn(tx *store.Tx) (int64, error)
	// List returns the events that a list asks for, in its order.
	List(ctx context.Context, l List) (Page, error)
	// Sum returns what the events that a sum asks for add up to, in no order.
	Sum(ctx context.Context, q Sum) ([]Group, error)
	// Extent returns the times of a project's first and last event, 0 without any.
	Extent(ctx context.Context, project string) (first, last int64, err error)
	// Find returns the event with an id.
	Find(ctx context.Context, project, id string) (e Listed, found bool, err error)
	// Query calls fn for groups of events, until it returns false. A group also
	// holds events that were not asked for: the caller looks at each. What a
	// group holds is only valid during the call, and fn must not use the store.
	// It is for what follows the events, and for trees.
	Query(ctx context.Context, q Query, fn func(*Columns) (bool, error)) error
}

// Query selects groups. Without After, those of Project come with the latest
// event first; with it, all groups (of Project, when that is set) with events
// above that number come in the order of their numbers.
type Query struct {
	Project  string
	From, To int64    // milliseconds; To is exclusive, 0 is no end
	Sessions []string // only groups with events of one of these sessions
	After    int64
	Groups   []int64 // only the groups with these first numbers, in no order
	Detail   bool    // with ids, parents and payloads
}

// Columns is a group of events of one project, column by column.
type Columns struct {
	Project  string
	First    int64 // sequence number of the first event; the others follow it
	N        int
	Min, Max int64 // least and greatest Time

	Time                                       []int64
	Session, Name, Type, Model, Customer, User Dict
	Flags                                      []byte
	Latency, InputTokens, OutputTokens         []int64

	// Bytes is the length of the payloads, where it is known before Detail.
	Bytes int
	// Detail gives the events whole. It is nil unless Query.Detail was set.
	Detail func() ([]Event, error)
}

// Number returns the sequence number of a row.
func (c *Columns) Number(i int) int64 { return c.First + int64(i) }

// Bits of Columns.Flags.
const (
	FlagSuccess = 1 << iota
	FlagTurn
	FlagUntimed
)

// Dict is a column of texts. Index is nil when all rows have Values[0].
type Dict struct {
	Values []string
	Index  []uint16
}

// At gives the text of a row.
func (d *Dict) At(i int) string { return d.Values[d.Of(i)] }

// Of gives the place in Values of a row's text.
func (d *Dict) Of(i int) int {
	if d.Index == nil {
		return 0
	}
	return int(d.Index[i])
}
