// Package trace joins an agent's reports of its work, such as turns and tools,
// with the requests that it made. The service that stores the reports returns
// them as a Session.
package trace

import (
	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
)

// MaxEvents is the most events of a traced session.
const MaxEvents = 10_000

// The errors of a trace.
var (
	NotFound = fault.New(fault.NotFound, "session_not_found", "No agent has reported a session with this id.")
	TooLarge = fault.New(fault.Unprocessable, "too_large", "The trace is too large to be shown.")
)

// Session is a session as its agent reported it.
type Session struct {
	ID, User string
	Roots    []*Event
	// World and Table contain the events, as named in the journal of causes.
	World, Table string
}

// Absent means that an event does not have a number.
const Absent = -1

// Event is a reported step. Times are milliseconds since 1970.
type Event struct {
	ID, Name, Type, Model string
	Success               bool
	// Time is its beginning or, if Untimed, a time that cannot be compared with real
	// time: the environment's clock may be frozen.
	Time                               int64
	Untimed                            bool
	Latency, InputTokens, OutputTokens int64 // or Absent
	Number                             int64 // its number in the journal
	Links                              Links
	Children                           []*Event

	// Join sets the following fields.
	Span     Span
	Requests []Joined // that belong to it, in the order of arrival
}

// Rule is the rule by which a request was joined to an event.
type Rule uint8

// The rules, the most certain first.
const (
	ByRequest Rule = iota // the event names the request
	BySpan                // both have the same span
	ByTrace               // both have the same trace, and the request arrived during the event
	ByOrder               // the request arrived between the reports of the previous event and this one
)

// Rules are the names of the rules, in their order.
var Rules = [...]string{"request", "span", "trace", "order"}

// String returns the name of the rule.
func (r Rule) String() string { return Rules[r] }

// Joined is a request that belongs to an event.
type Joined struct {
	Request *record.Request
	By      Rule
	At      int // the request's index in the argument of Join
}

// Tree is the result of Join, besides the requests of the events.
type Tree struct {
	Seqs     []int64           // the numbers of the joined requests, sorted
	Unjoined []*record.Request // requests of the agent
	Count    [len(Rules)]int   // number of requests, by rule
}

// Span is the real time of an event in microseconds since 1970.
type Span struct{ Start, End int64 }

func (s Span) holds(at int64) bool { return s.Start <= at && at <= s.End }

// countOf returns the number of events, including all descendants.
func countOf(events []*Event) int {
	n := len(events)
	for _, e := range events {
		n += countOf(e.Children)
	}
	return n
}

// Numbers returns the numbers of the events.
func (s *Session) Numbers() []int64 {
	out := make([]int64, 0, countOf(s.Roots))
	var walk func(events []*Event)
	walk = func(events []*Event) {
		for _, e := range events {
			out = append(out, e.Number)
			walk(e.Children)
		}
	}
	walk(s.Roots)
	return out
}

// Group is the requests of one distributed trace.
type Group struct {
	ID       string
	Requests []Joined
}

// ByID groups requests, in the order of arrival, by their trace, without those of
// a service that receives reports. rest is the agent's other requests.
func ByID(requests []record.Request, service string) (groups []Group, rest []*record.Request) {
	made := calledIn(requests)
	places := map[string]int{}
	for i := range requests {
		r := &requests[i]
		if r.Service == service || made[r.Seq] || isAside(r) {
			continue
		}
		if r.Trace.IsZero() {
			if r.Actor == record.Agent {
				rest = append(rest, r)
			}
			continue
		}
		id := r.Trace.TraceID()
		at, known := places[id]
		if !known {
			at = len(groups)
			places[id] = at
			groups = append(groups, Group{ID: id})
		}
		groups[at].Requests = append(groups[at].Requests, Joined{r, ByTrace, i})
	}
	return groups, rest
}

// isAside reports whether a tool server made a request for itself, for instance
// to read a token's identity.
func isAside(r *record.Request) bool { return r.Parent != 0 && r.Tool == "" }

// calledIn returns the numbers of requests during which tools made others: those
// represent them.
func calledIn(requests []record.Request) map[int64]bool {
	out := map[int64]bool{}
	for i := range requests {
		if r := &requests[i]; r.Parent != 0 && !isAside(r) {
			out[r.Parent] = true
		}
	}
	return out
}
