package trace

import (
	"cmp"
	"slices"
	"sort"

	"understudy/internal/platform/record"
)

// placed is an event with its place in the tree.
type placed struct {
	*Event
	parent *placed
	depth  int
	trace  traceID // its own, or that of the event above it
	seq    int64   // of the request that reported it; 0 where that is not known
	joined int     // how many requests belong to it
}

// traceID and spanID name a distributed trace and a span of it; zero for none.
type (
	traceID [16]byte
	spanID  struct {
		trace traceID
		span  [8]byte
	}
)

// joining finds the events of requests.
type joining struct {
	events    []*placed // parents before children
	byRequest map[string]*placed
	bySeq     map[int64]*placed
	bySpan    map[spanID]*placed
	spans     []*placed // the events of bySpan by the requests' places, nil for none
	byTrace   map[traceID]*line
	reports   []report
	tree      *Tree
	room      []placed // for the events that follow
}

// Join puts requests, in the order of arrival, under the events of a session.
// reports are the numbers of the requests that reported its events, by the
// numbers of the events. service is the one that took the reports: its own
// requests are no work of the agent.
func Join(s *Session, requests []record.Request, reports map[int64]int64, service string) *Tree {
	n := countOf(s.Roots)
	j := &joining{byRequest: map[string]*placed{}, bySeq: map[int64]*placed{}, bySpan: make(map[spanID]*placed, n), byTrace: map[traceID]*line{},
		events: make([]*placed, 0, n), room: make([]placed, n), spans: make([]*placed, len(requests)), tree: &Tree{}}
	made := calledIn(requests)
	j.place(s.Roots, nil, requests, reports)
	j.index(requests, service)
	found := make([]*placed, len(requests))
	rules := make([]Rule, len(requests))
	j.tree.Seqs = make([]int64, 0, len(requests))
	for i := range requests {
		r := &requests[i]
		if r.Service == service || made[r.Seq] || isAside(r) { // its calls stand for it
			continue
		}
		if e, by := j.find(i, requests); e != nil {
			found[i], rules[i] = e, by
			e.joined++
			j.tree.Seqs = append(j.tree.Seqs, r.Seq)
			j.tree.Count[by]++
		} else if r.Actor == record.Agent {
			j.tree.Unjoined = append(j.tree.Unjoined, r)
		}
	}
	room := make([]Joined, len(j.tree.Seqs)) // for the requests of all events
	for _, p := range j.events {
		p.Requests, room = room[:0:p.joined], room[p.joined:]
	}
	for i, p := range found {
		if p != nil {
			p.Requests = append(p.Requests, Joined{&requests[i], rules[i], i})
		}
	}
	return j.tree
}

// numbered returns the request of a number, nil for one that is not known.
// requests are in the order of their numbers.
func numbered(requests []record.Request, seq int64) *record.Request {
	if seq == 0 || len(requests) == 0 {
		return nil
	}
	if at := seq - requests[0].Seq; at >= 0 && at < int64(len(requests)) && requests[at].Seq == seq { // none between them is missing
		return &requests[at]
	}
	at := sort.Search(len(requests), func(i int) bool { return requests[i].Seq >= seq })
	if at == len(requests) || requests[at].Seq != seq {
		return nil
	}
	return &requests[at]
}

// place lists events with their times, parents before children, and sorts
// siblings by real time.
func (j *joining) place(events []*Event, parent *placed, requests []record.Request, reports map[int64]int64) {
	for _, e := range events {
		p := &j.room[len(j.events)]
		*p = placed{Event: e, parent: parent, trace: e.Links.Place.ID, seq: reports[e.Number]}
		if parent != nil {
			p.depth = parent.depth + 1
			p.trace = cmp.Or(p.trace, parent.trace)
		}
		var reported int64
		if r := numbered(requests, p.seq); r != nil && !r.ReceivedAt.IsZero() {
			reported = r.ReceivedAt.UnixMicro()
		}
		e.Span = e.span(reported)
		j.events = append(j.events, p)
		j.place(e.Children, p, requests, reports)
	}
	slices.SortStableFunc(events, func(a, b *Event) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Number, b.Number))
	})
}

// span returns the real time of an event that was reported at a time, 0 where
// that is not known. An event whose beginning is not known ended then. Its
// milliseconds may have been cut or rounded.
func (e *Event) span(reported int64) Span {
	const milli = 1000
	latency := max(e.Latency, 0) * milli
	switch {
	case e.Untimed && reported == 0:
		return Span{e.Time*milli - latency, e.Time * milli}
	case e.Untimed:
		return Span{reported - latency - milli, reported}
	case e.Latency < 0 && reported > e.Time*milli:
		return Span{e.Time * milli, reported}
	}
	return Span{e.Time * milli, e.Time*milli + latency + milli}
}

// index prepares the rules. Of two events that name the same thing the inner one wins.
func (j *joining) index(requests []record.Request, service string) {
	var own *line // of the trace of the event before, mostly
	for i, p := range j.events {
		for _, id := range p.Links.Requests {
			j.byRequest[id] = p.deeper(j.byRequest[id])
		}
		for _, seq := range p.Links.Seqs {
			j.bySeq[seq] = p.deeper(j.bySeq[seq])
		}
		if p.Links.Place.Span != [8]byte{} {
			name := spanID{p.Links.Place.ID, p.Links.Place.Span}
			j.bySpan[name] = p.deeper(j.bySpan[name])
		}
		if p.trace == (traceID{}) {
			continue
		}
		if i == 0 || j.events[i-1].trace != p.trace {
			if own = j.byTrace[p.trace]; own == nil {
				own = &line{}
				j.byTrace[p.trace] = own
			}
		}
		own.coming = append(own.coming, p)
	}
	for i := range requests {
		t := &requests[i].Trace
		if t.IsZero() {
			continue
		}
		if j.spans[i] = j.bySpan[spanID{t.ID, t.Span}]; j.spans[i] == nil { // a span is surer
			if l := j.byTrace[t.ID]; l != nil {
				l.requests = append(l.requests, &requests[i])
			}
		}
	}
	for _, l := range j.byTrace {
		l.answer()
	}
	j.readReports(requests, service)
}

func (p *placed) deeper(other *placed) *placed {
	if other != nil && other.depth > p.depth {
		return other
	}
	return p
}

// find returns the event of the request at a place and the rule that found it.
// What names the request of a tool server names the requests that the tool made.
func (j *joining) find(i int, requests []record.Request) (*placed, Rule) {
	r := &requests[i]
	for x := r; x != nil; x = numbered(requests, x.Parent) {
		if e := j.byRequest[x.ID]; e != nil {
			return e, ByRequest
		}
		if e := j.bySeq[x.Seq]; e != nil {
			return e, ByRequest
		}
	}
	traced := false
	for x := r; x != nil; x = numbered(requests, x.Parent) {
		if x.Trace.IsZero() {
			continue
		}
		traced = true
		e := j.spans[i]
		if x != r {
			e = j.bySpan[spanID{x.Trace.ID, x.Trace.Span}]
		}
		if e != nil {
			return e, BySpan
		}
	}
	if traced {
		if l := j.byTrace[r.Trace.ID]; l != nil && l.found[r.Seq] != nil {
			return l.found[r.Seq], ByTrace
		}
		return nil, 0
	}
	if r.Actor == record.Agent {
		if e := j.byOrder(r); e != nil {
			return e, ByOrder
		}
	}
	return nil, 0
}

// line is the events of one trace on the line of time.
type line struct {
	coming   []*placed
	requests []*record.Request
	found    map[int64]*placed // the innermost event in whose time a request came
}

// answer finds the events of all requests, in one walk along the line.
func (l *line) answer() {
	if len(l.requests) == 0 {
		return
	}
	l.found = map[int64]*placed{}
	slices.SortStableFunc(l.requests, func(a, b *record.Request) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	slices.SortStableFunc(l.coming, func(a, b *placed) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var open []*placed
	next := 0
	for _, r := range l.requests {
		at := r.ReceivedAt.UnixMicro()
		for ; next < len(l.coming) && l.coming[next].Span.Start <= at; next++ {
			open = append(open, l.coming[next])
		}
		open = slices.DeleteFunc(open, func(p *placed) bool { return p.Span.End < at })
		for _, p := range open { // the last to begin wins among those of one depth
			if best := l.found[r.Seq]; best == nil || p.depth >= best.depth {
				l.found[r.Seq] = p
			}
		}
	}
}
