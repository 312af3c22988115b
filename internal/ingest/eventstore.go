package ingest

import (
	"context"

	"understudy/internal/platform/store"
)

// EventStore stores the events of one environment. The built-in one stores blocks
// of columns in SQLite or PostgreSQL (package blockstore); one on a columnar
// database needs these methods.
type EventStore interface {
	// Append stores events durably and atomically. It leaves out those whose id the
	// project has already, or that is repeated in events. The caller must not change
	// the texts of the events before it returns.
	Append(ctx context.Context, project string, events []Event) error
	// AppendWith stores the events that make returns, in one transaction with the
	// other changes of make in the database that also holds the sessions. No other
	// events are stored in between; make may be called again.
	AppendWith(ctx context.Context, project string, make func(tx *store.Tx) ([]Event, error)) error
	// ChangeIn returns an interface to change the project's stored events. It is
	// called only in AppendWith.
	ChangeIn(ctx context.Context, tx *store.Tx, project string) Changes
	// CountIn returns the number of events.
	CountIn(tx *store.Tx) (int64, error)
	// List returns the events that match a list, in its order.
	List(ctx context.Context, l List) (Page, error)
	// Sum returns the sums of the events that match, in no order.
	Sum(ctx context.Context, q Sum) ([]Group, error)
	// Spread returns how the time of events is spent, with the numbers of samples.
	Spread(ctx context.Context, m Match) (Spread, error)
	// Failures groups the failures among events by tool and message, in no order.
	Failures(ctx context.Context, m Match) ([]Failure, error)
	// Numbers returns the numbers of events, in no order.
	Numbers(ctx context.Context, m Match) ([]int64, error)
	// IDs returns the ids of events by their numbers.
	IDs(ctx context.Context, project string, numbers []int64) (map[int64]string, error)
	// Extent returns the times of a project's first and last event, 0 without any.
	Extent(ctx context.Context, project string) (first, last int64, err error)
	// Last returns the number of the last event, 0 without any.
	Last(ctx context.Context) (number int64, err error)
	// LastIn is Last in a transaction.
	LastIn(tx *store.Tx) (number int64, err error)
	// Tail returns summaries of the first events that match, with numbers above
	// after and up to upTo, in their order, and the number of further ones.
	Tail(ctx context.Context, m Match, after, upTo int64, limit int) (events []Listed, left int, err error)
	// Find returns the event with an id.
	Find(ctx context.Context, project, id string) (e Listed, found bool, err error)
	// Query calls fn for groups of events until it returns false. A group may also
	// contain events that do not match: the caller checks each. A group is only
	// valid during the call, and fn must not use the store. Trees and the background
	// work on new events use it.
	Query(ctx context.Context, q Query, fn func(*Columns) (bool, error)) error
	// QueryIn is Query in a transaction of the database that also holds the
	// sessions.
	QueryIn(tx *store.Tx, q Query, fn func(*Columns) (bool, error)) error
}

// Maintainer maintains the events of one environment. Each method does a part of
// its work per call and reports whether there may be more; concurrent calls are
// safe. Remaining events keep their numbers, order and content.
type Maintainer interface {
	// Merge stores the events with numbers up to upTo in less space.
	Merge(ctx context.Context, upTo int64) (more bool, err error)
	// MergeKeys shrinks the index of event ids.
	MergeKeys(ctx context.Context) (more bool, err error)
	// Expire removes events of a project from before a time, in milliseconds, with
	// numbers up to upTo. Those of the last day before that time may stay until a
	// later call. In each transaction it calls still before it removes events, and
	// stops at its error; then it calls removed with the removed events.
	Expire(ctx context.Context, project string, before, upTo int64, still func(tx *store.Tx) error, removed func(tx *store.Tx, gone *Columns) error) (more bool, err error)
	// Lock locks the stored events until the end of a transaction: no other
	// transaction adds, changes or removes any. It must be the first lock of the
	// transaction.
	Lock(tx *store.Tx) error
	// Erase erases n events, which are all those of some sessions and of a user (or
	// ""): after the commit no reply contains them.
	Erase(tx *store.Tx, project string, sessions []string, user string, n int) error
	// FinishErasures removes erased events from the disk.
	FinishErasures(ctx context.Context) (more bool, err error)
}

// Changes changes stored events in a transaction. A span that arrives later can
// add facts about the events of earlier spans of its trace.
type Changes interface {
	// Known returns which of ids the project has, by their index in ids.
	Known(ids []string) (map[int]bool, error)
	// Event returns an event without its payloads, nil if the project has none with
	// this id, and its number. It is valid until the next call. The caller may
	// change its tokens and Covered, and then calls Changed.
	Event(id string) (e *Event, number int64, err error)
	// Changed marks the last event that Event returned as changed.
	Changed(number int64) error
	// MoveSession moves all events of a session to another one. moved is false if it
	// has none.
	MoveSession(from, to string) (moved bool, err error)
	// Save stores the changes.
	Save() error
}

// Query selects groups. Without After, those of Project are returned with the
// latest event first. With it, groups with greater numbers are returned in the
// order of First, of all projects unless Project is set too.
type Query struct {
	Project  string
	From, To int64    // milliseconds; To is exclusive, 0 is no end
	Sessions []string // only groups with events of one of these sessions
	After    int64
	Groups   []int64 // only the groups of Project that contain, or once contained, the events with these numbers, in no order
	Detail   bool    // with ids, parents and payloads
	IDs      bool    // with ids and parents, without payloads
}

// Columns is a group of events of one project, column by column. Groups of one
// project do not overlap: a number between the first and the last of a group
// belongs to that group, to a group of another project, or to a removed event.
type Columns struct {
	Project  string
	First    int64   // the number of the group: that of its first event, or of one removed before it
	Numbers  []int64 // the numbers of the events, increasing; nil when they follow First without gaps
	N        int
	Min, Max int64 // least and greatest Time

	Time                                       []int64
	Session, Name, Type, Model, Customer, User Dict
	Flags                                      []byte
	Latency, InputTokens, OutputTokens         []int64

	// Bytes is the length of the payloads, if it is known before Detail.
	Bytes int
	// Detail returns the events: whole with Query.Detail, without payloads with
	// Query.IDs. Otherwise it is nil.
	Detail func() ([]Event, error)
	// Some is Detail for some rows, in ascending order.
	Some func(rows []int) ([]Event, error)
}

// Number returns the sequence number of a row's event.
func (c *Columns) Number(i int) int64 {
	if c.Numbers == nil {
		return c.First + int64(i)
	}
	return c.Numbers[i]
}

// Last returns the number of the last event.
func (c *Columns) Last() int64 { return c.Number(c.N - 1) }

// Bits of Columns.Flags.
const (
	FlagSuccess = 1 << iota
	FlagTurn
	FlagUntimed
	FlagCovered
)

// Dict is a column of texts. Index is nil when all rows have Values[0].
type Dict struct {
	Values []string
	Index  []uint16
}

// At returns the text of a row.
func (d *Dict) At(i int) string { return d.Values[d.Of(i)] }

// Of returns the index in Values of a row's text.
func (d *Dict) Of(i int) int {
	if d.Index == nil {
		return 0
	}
	return int(d.Index[i])
}
