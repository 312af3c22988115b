package trace

import (
	"cmp"
	"slices"
	"sort"

	"understudy/internal/platform/record"
)

// placed is an event with its position in the tree.
type placed struct {
	*Event
	parent *placed
	depth  int
	trace  traceID // its own, or that of its parent
	seq    int64   // of the request that reported it; 0 if unknown
	joined int     // number of requests joined to it
}

// traceID and spanID identify a distributed trace and a span of it; zero for
// none.
type (
	traceID [16]byte
	spanID  struct {
		trace traceID
		span  [8]byte
	}
)

// joining joins requests to events.
type joining struct {
	events    []*placed // parents before children
	byRequest map[string]*placed
	bySeq     map[int64]*placed
	bySpan    map[spanID]*placed
	spans     []*placed // the events of bySpan, by the requests' indexes; nil for none
	byTrace   map[traceID]*line
	reports   []report
	tree      *Tree
	room      []placed // free elements for further events
}

// Join assigns requests, in the order of arrival, to the events of a session.
// reports maps the numbers of the events to those of the requests that reported
// them. service is the service that received the reports: its own requests are
// not work of the agent.
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
		if r.Service == service || made[r.Seq] || isAside(r) { // its calls represent it
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
	room := make([]Joined, len(j.tree.Seqs)) // shared by the requests of all events
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

// numbered returns the request with a number, nil if there is none. requests are
// sorted by number.
func numbered(requests []record.Request, seq int64) *record.Request {
	if seq == 0 || len(requests) == 0 {
		return nil
	}
	if at := seq - requests[0].Seq; at >= 0 && at < int64(len(requests)) && requests[at].Seq == seq { // no number between is missing
		return &requests[at]
	}
	at := sort.Search(len(requests), func(i int) bool { return requests[i].Seq >= seq })
	if at == len(requests) || requests[at].Seq != seq {
		return nil
	}
	return &requests[at]
}

// place adds events with their times, parents before children, and sorts siblings
// by real time.
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

// span returns the real time of an event that was reported at a time, 0 if
// unknown. An event without a known beginning ended when it was reported. Its
// milliseconds may have been truncated or rounded.
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

// index prepares the rules. Of two events with the same name the inner one wins.
func (j *joining) index(requests []record.Request, service string) {
	var own *line // mostly the same as that of the event before
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
		if j.spans[i] = j.bySpan[spanID{t.ID, t.Span}]; j.spans[i] == nil { // a span is more certain
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

// find returns the event of the request at an index and the rule that found it.
// Names of a tool server's request also apply to the requests of its tools.
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

// line is the events of one trace, sorted by time.
type line struct {
	coming   []*placed
	requests []*record.Request
	found    map[int64]*placed // the innermost event at the time of each request
}

// answer finds the events of all requests, in one pass.
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
		for _, p := range open { // of equally deep ones the last to begin wins
			if best := l.found[r.Seq]; best == nil || p.depth >= best.depth {
				l.found[r.Seq] = p
			}
		}
	}
}
