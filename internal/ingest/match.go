package ingest

import "slices"

// Match selects events. The values of a list are alternatives, and an empty list
// allows every event; all fields must match.
type Match struct {
	Project  string
	From, To int64 // milliseconds; To is exclusive, 0 is no end

	Names, Types, Models, Customers, Sessions []string

	Success    *bool
	MinLatency int64  // milliseconds; 0 for any, also for events without a latency
	Users      *Owned // nil for everybody's
	// Texts are alternative searches: an event matches one if its name, arguments or
	// result have all of its words (package words). Nil allows any.
	Texts    []string
	Metadata []Named // each must hold
	Sets     []Set   // each must hold

	None bool // nothing matches
}

// Owned selects the events of certain users: those that name one of them, and
// those that name nobody in a session of one of them.
type Owned struct {
	IDs   map[string]bool
	Owner Owner
}

// Owner returns the user of a session, or "".
type Owner func(session string) string

// Named is a name with its allowed values.
type Named struct {
	Name   string
	Values []string
}

// Set is a set of events: whole sessions, and events by their numbers, in
// ascending order.
type Set struct {
	Sessions map[string]bool
	Numbers  []int64
}

// Has reports whether an event is in the set.
func (s *Set) Has(session string, number int64) bool {
	if s.Sessions[session] {
		return true
	}
	_, ok := slices.BinarySearch(s.Numbers, number)
	return ok
}

// List selects a page of events: the newest first from below a position, or, if
// After is not zero, those with greater numbers in the order of their numbers.
type List struct {
	Match
	Below Position
	After int64
	Limit int
	// Summary shortens arguments, results and metadata to previews.
	Summary bool
}

// Page is the result of a List: fewer events than its limit if more would make a
// reply too long. More reports whether others follow.
type Page struct {
	Events []Listed
	More   bool
}

// Dimension is a property by which events are grouped.
type Dimension int

// The dimensions. ByLabel is any property of users.
const (
	ByNothing Dimension = iota
	ByName
	ByType
	ByModel
	ByCustomer
	ByUser
	BySession
	BySuccess
	ByLabel
)

// Kind restricts a sum to events of one kind. The roll-ups store it as a number.
type Kind int

// The kinds of events. Steps are neither turns nor calls of tools: agents below
// another event, calls of models, and spans of no known kind.
const (
	Everything Kind = iota
	Turns
	Calls
	Steps
)

// KindOf returns the kind as which an event is counted, by its flags and its type
// of primitive.
func KindOf(flags byte, primitive string) Kind {
	switch {
	case flags&FlagTurn != 0:
		return Turns
	case IsTool(primitive):
		return Calls
	}
	return Steps
}

// Sum selects events to sum, in groups and periods.
type Sum struct {
	Match
	By   Dimension
	Kind Kind
	// Keys are the groups that are returned one by one, unless it is nil; all others
	// are summed in one group, which has Rest set.
	Keys []string
	// Bounds ascend: an event belongs to the period that begins at the last bound
	// before it or at its time. Nil is one period for all.
	Bounds   []int64
	Latency  bool        // also percentiles
	Distinct []Dimension // the dimensions whose distinct values are counted
	Owner    Owner       // for ByUser and ByLabel
	Labels   Labels
	Prices   Prices
}

// Labels are the labels of users. Each user has one of a few lists of labels.
type Labels struct {
	Choices [][]string     // the lists; the first is that of users without a label
	Of      map[string]int // by user, the index in Choices
}

// names returns the number of distinct labels, including "".
func (l *Labels) names() int {
	names := map[string]bool{}
	for _, choice := range l.Choices {
		for _, name := range choice {
			names[name] = true
		}
	}
	return len(names)
}

// Group is the sums of the events with one key in one period.
type Group struct {
	Key    string
	Rest   bool // the events of all keys not in Sum.Keys
	Period int  // index in Sum.Bounds
	Sums
}
