// Package trace puts what an agent reported of its work beside the requests that
// it made: turns, tools and the requests that they led to. It knows no service:
// who keeps the reports returns them as a Session.
package trace

import (
	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
)

// MaxEvents is how many events a traced session has at most.
const MaxEvents = 10_000

// The refusals of a trace.
var (
	NotFound = fault.New(fault.NotFound, "session_not_found", "No agent has reported a session with this id.")
	TooLarge = fault.New(fault.Unprocessable, "too_large", "The trace is too large to be shown.")
)

// Session is a session as its agent reported it.
type Session struct {
	ID, User string
	Roots    []*Event
	// World and Table hold the events, as the journal of causes names them.
	World, Table string
}

// Absent is the value of a number that an event does not have.
const Absent = -1

// Event is one step that was reported. Times are milliseconds since 1970.
type Event struct {
	ID, Name, Type, Model string
	Success               bool
	// Time is when it began or, if Untimed, nothing that can be compared with
	// real time: the environment's clock may stand still.
	Time                               int64
	Untimed                            bool
	Latency, InputTokens, OutputTokens int64 // or Absent
	Number                             int64 // by which the journal knows it
	Links                              Links
	Children                           []*Event

	// Join sets what follows.
	Span     Span
	Requests []Joined // that belong to it, in the order of arrival
}

// Rule is one by which a request is joined to an event.
type Rule uint8

// The rules, the surest first.
const (
	ByRequest Rule = iota // the event names the request
	BySpan                // both name the same span
	ByTrace               // both name the same trace, and the request came in the event's time
	ByOrder               // it came between the reports of the event before and of this one
)

// Rules are the names of the rules, in their order.
var Rules = [...]string{"request", "span", "trace", "order"}

// String returns the name of the rule.
func (r Rule) String() string { return Rules[r] }

// Joined is a request that belongs to an event.
type Joined struct {
	Request *record.Request
	By      Rule
	At      int // the place of the request among those that were looked at
}

// Tree is what joining has found beside the requests of the events.
type Tree struct {
	Seqs     []int64           // the numbers of the requests that belong to an event, in order
	Unjoined []*record.Request // of the agent
	Count    [len(Rules)]int   // of requests, by rule
}

// Span is the real time of an event in microseconds since 1970.
type Span struct{ Start, End int64 }

func (s Span) holds(at int64) bool { return s.Start <= at && at <= s.End }

// countOf returns how many events there are, with all below them.
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

// ByID groups requests, in the order of arrival, by the trace that they belong
// to, without those of a service that takes reports. rest are the agent's others.
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

// isAside reports whether a request was made for a tool server itself, such as
// to find out who a token is of.
func isAside(r *record.Request) bool { return r.Parent != 0 && r.Tool == "" }

// calledIn returns the numbers of those requests in whose course tools made
// others: these stand for them.
func calledIn(requests []record.Request) map[int64]bool {
	out := map[int64]bool{}
	for i := range requests {
		if r := &requests[i]; r.Parent != 0 && !isAside(r) {
			out[r.Parent] = true
		}
	}
	return out
}
