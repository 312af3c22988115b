package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/record"
)

const reporter = "ingest"

// made is a random session with the requests of its environment.
type made struct {
	session  *Session
	all      []*Event // parents before children
	parent   map[*Event]*Event
	requests []record.Request
	reports  map[int64]int64
}

func makeSession(r *rand.Rand) *made {
	m := &made{session: &Session{ID: "s"}, parent: map[*Event]*Event{}, reports: map[int64]int64{}}
	begin := time.UnixMilli(1_700_000_000_000)
	place := func() (t record.Trace) {
		if r.IntN(3) > 0 {
			t.ID[0] = byte(1 + r.IntN(3))
			if r.IntN(3) > 0 {
				t.Span[0] = byte(1 + r.IntN(6))
			}
		}
		return t
	}
	seq := int64(1 + r.IntN(5))
	for range 5 + r.IntN(60) {
		if r.IntN(8) == 0 { // what was between is kept no more
			seq += int64(r.IntN(4))
		}
		q := record.Request{Seq: seq, ID: fmt.Sprint("r", seq), Service: []string{"messaging", "crm", reporter}[r.IntN(3)], Trace: place(), ReceivedAt: begin.Add(time.Duration(r.IntN(40)) * time.Millisecond)}
		if q.Trace.Span == [8]byte{} {
			q.Trace = record.Trace{}
		}
		if q.Actor = record.Agent; r.IntN(6) == 0 {
			q.Actor = record.Person
		}
		if len(m.requests) > 0 && r.IntN(5) == 0 {
			if q.Parent = m.requests[r.IntN(len(m.requests))].Seq; r.IntN(2) == 0 {
				q.Tool = "post"
			}
		}
		m.requests = append(m.requests, q)
		seq++
	}
	some := func() *record.Request { return &m.requests[r.IntN(len(m.requests))] }
	for n := range 1 + r.IntN(25) {
		e := &Event{ID: fmt.Sprint("e", n), Number: int64(n + 1), Time: begin.UnixMilli() + int64(r.IntN(30)), Untimed: r.IntN(4) == 0, Latency: int64(r.IntN(12)) - 1}
		if e.Links.Place = place(); r.IntN(6) == 0 {
			e.Links.Requests = []string{some().ID}
		}
		if r.IntN(6) == 0 {
			e.Links.Seqs = []int64{some().Seq}
		}
		if q := some(); q.Service == reporter {
			m.reports[e.Number] = q.Seq
		}
		if len(m.all) > 0 && r.IntN(2) == 0 {
			up := m.all[r.IntN(len(m.all))]
			m.parent[e], up.Children = up, append(up.Children, e)
		} else {
			m.session.Roots = append(m.session.Roots, e)
		}
		m.all = append(m.all, e)
	}
	return m
}

// The model looks at each request and each event alone, rule by rule as they are
// documented. It knows the times that Join has found, which are another rule's.

func (m *made) depth(e *Event) int {
	if m.parent[e] == nil {
		return 0
	}
	return 1 + m.depth(m.parent[e])
}

func (m *made) trace(e *Event) traceID {
	if e.Links.Place.ID != (traceID{}) || m.parent[e] == nil {
		return e.Links.Place.ID
	}
	return m.trace(m.parent[e])
}

// line returns a request and those in whose course it was made.
func (m *made) line(q *record.Request) (out []*record.Request) {
	for q != nil {
		out = append(out, q)
		at := slices.IndexFunc(m.requests, func(x record.Request) bool { return q.Parent != 0 && x.Seq == q.Parent })
		if at < 0 {
			break
		}
		q = &m.requests[at]
	}
	return out
}

// rightFor returns the events that a request may belong to and the rule; none for one
// that belongs to no event. Of several of one depth that name the same thing any is right.
func (m *made) rightFor(q *record.Request) (events []*Event, by Rule) {
	deepest := func(fits func(*Event) bool) (out []*Event) {
		for _, e := range m.all {
			switch {
			case !fits(e) || len(out) > 0 && m.depth(e) < m.depth(out[0]):
			case len(out) > 0 && m.depth(e) == m.depth(out[0]):
				out = append(out, e)
			default:
				out = []*Event{e}
			}
		}
		return out
	}
	traced := false
	for _, x := range m.line(q) {
		if out := deepest(func(e *Event) bool { return slices.Contains(e.Links.Requests, x.ID) }); out != nil {
			return out, ByRequest
		}
		if out := deepest(func(e *Event) bool { return slices.Contains(e.Links.Seqs, x.Seq) }); out != nil {
			return out, ByRequest
		}
		traced = traced || !x.Trace.IsZero()
	}
	for _, x := range m.line(q) {
		if out := deepest(func(e *Event) bool {
			return !x.Trace.IsZero() && e.Links.Place.Span != [8]byte{} && e.Links.Place.ID == x.Trace.ID && e.Links.Place.Span == x.Trace.Span
		}); out != nil {
			return out, BySpan
		}
	}
	if traced {
		return deepest(func(e *Event) bool {
			return !q.Trace.IsZero() && m.trace(e) == q.Trace.ID && e.Span.holds(q.ReceivedAt.UnixMicro())
		}), ByTrace
	}
	if q.Actor != record.Agent {
		return nil, 0
	}
	return m.byOrder(q), ByOrder
}

func (m *made) byOrder(q *record.Request) []*Event {
	var report, before int64 // the next report of the session, and the one before it
	for _, e := range m.all {
		if at := m.reports[e.Number]; at >= q.Seq && (report == 0 || at < report) {
			report = at
		}
	}
	for _, e := range m.all {
		if at := m.reports[e.Number]; at != 0 && at < report {
			before = max(before, at)
		}
	}
	if before == 0 { // the first one: what came before it may be another session's
		for _, x := range m.requests {
			if x.Service == reporter && x.Seq < report {
				before = max(before, x.Seq)
			}
		}
	}
	if report == 0 || q.Seq < before {
		return nil
	}
	events := slices.DeleteFunc(slices.Clone(m.all), func(e *Event) bool { return m.reports[e.Number] != report || m.trace(e) != (traceID{}) })
	if during := slices.DeleteFunc(slices.Clone(events), func(e *Event) bool { return !e.Span.holds(q.ReceivedAt.UnixMicro()) }); len(during) > 0 {
		events = during
	}
	above := func(a, b *Event) bool { // a is b or above it
		for ; b != nil; b = m.parent[b] {
			if a == b {
				return true
			}
		}
		return false
	}
	inner := slices.DeleteFunc(slices.Clone(events), func(a *Event) bool {
		return slices.ContainsFunc(events, func(b *Event) bool { return a != b && above(a, b) })
	})
	var best *Event
	for _, e := range m.all {
		all := len(inner) > 0 && !slices.ContainsFunc(inner, func(x *Event) bool { return !above(e, x) })
		if all && (best == nil || m.depth(e) > m.depth(best)) {
			best = e
		}
	}
	if best == nil {
		return nil
	}
	return []*Event{best}
}

// TestJoinModel: requests of all kinds are joined as the rules say.
func TestJoinModel(t *testing.T) {
	var seen [len(Rules)]int
	for seed := range uint64(3000) {
		m := makeSession(rand.New(rand.NewPCG(seed, 7)))
		tree := Join(m.session, m.requests, m.reports, reporter)
		got := map[int64]string{}
		for _, e := range m.all {
			for _, j := range e.Requests {
				got[j.Request.Seq] += fmt.Sprint(e.ID, " ", j.By, ";")
				seen[j.By]++
				if &m.requests[j.At] != j.Request {
					t.Fatalf("seed %d: request %d is not at %d", seed, j.Request.Seq, j.At)
				}
			}
		}
		for i := range m.requests {
			q := &m.requests[i]
			var right []string
			stands := slices.ContainsFunc(m.requests, func(x record.Request) bool { return x.Parent == q.Seq && x.Tool != "" })
			aside := q.Parent != 0 && q.Tool == ""
			if q.Service != reporter && !stands && !aside {
				events, by := m.rightFor(q)
				for _, e := range events {
					right = append(right, fmt.Sprint(e.ID, " ", by, ";"))
				}
				if unjoined := slices.Contains(tree.Unjoined, q); unjoined != (len(right) == 0 && q.Actor == record.Agent) {
					t.Fatalf("seed %d: request %d is among the unjoined: %t; right is %v", seed, q.Seq, unjoined, right)
				}
			}
			if have := got[q.Seq]; have != "" && !slices.Contains(right, have) || have == "" && len(right) > 0 {
				t.Fatalf("seed %d: request %d belongs to %q, right is %v", seed, q.Seq, have, strings.Join(right, " or "))
			}
			if slices.Contains(tree.Seqs, q.Seq) != (got[q.Seq] != "") {
				t.Fatalf("seed %d: request %d is missing in the list of the joined, or too much", seed, q.Seq)
			}
		}
	}
	for rule, n := range seen {
		if n < 500 {
			t.Errorf("rule %s: %d requests", Rule(rule), n)
		}
	}
}
