package trace

import (
	"cmp"
	"slices"

	"understudy/internal/platform/record"
)

// report is a request that reported events of the session.
type report struct {
	seq    int64
	after  int64 // the report before it: requests since then belong to its events
	events []*placed
}

// readReports lists the reports of events without a trace, in order. Requests
// before the first belong to it back to the previous report of any session.
func (j *joining) readReports(requests []record.Request, service string) {
	reported := slices.DeleteFunc(slices.Clone(j.events), func(p *placed) bool { return p.seq == 0 })
	bySeq := func(a, b *placed) int { return cmp.Compare(a.seq, b.seq) }
	if !slices.IsSortedFunc(reported, bySeq) {
		slices.SortStableFunc(reported, bySeq)
	}
	for len(reported) > 0 {
		n := 1
		for n < len(reported) && reported[n].seq == reported[0].seq {
			n++
		}
		j.reports = append(j.reports, report{seq: reported[0].seq, events: reported[:n:n]})
		reported = reported[n:]
	}
	for i := range j.reports {
		if i > 0 {
			j.reports[i].after = j.reports[i-1].seq
			continue
		}
		for k := range requests {
			if r := &requests[k]; r.Service == service && r.Seq < j.reports[0].seq {
				j.reports[0].after = r.Seq
			}
		}
	}
}

// byOrder returns the event that was reported next after a request, nil if that
// is unknown.
func (j *joining) byOrder(r *record.Request) *placed {
	at, _ := slices.BinarySearchFunc(j.reports, r.Seq, func(x report, seq int64) int { return cmp.Compare(x.seq, seq) })
	if at == len(j.reports) || j.reports[at].after > r.Seq {
		return nil
	}
	events := slices.DeleteFunc(slices.Clone(j.reports[at].events), func(p *placed) bool { return p.trace != (traceID{}) })
	during := slices.DeleteFunc(slices.Clone(events), func(p *placed) bool { return !p.Span.holds(r.ReceivedAt.UnixMicro()) })
	if len(during) > 0 {
		events = during
	}
	return meeting(innermost(events))
}

// innermost returns the events that have none of the others below them.
func innermost(events []*placed) []*placed {
	above := map[*placed]bool{}
	for _, p := range events {
		for up := p.parent; up != nil && !above[up]; up = up.parent {
			above[up] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(p *placed) bool { return above[p] })
}

// meeting returns the innermost common ancestor of events, each of which may be
// its own; nil for none.
func meeting(events []*placed) *placed {
	if len(events) == 0 {
		return nil
	}
	at := events[0]
	for _, p := range events[1:] {
		for at != p {
			switch {
			case at == nil || p == nil:
				return nil
			case at.depth >= p.depth:
				at = at.parent
			default:
				p = p.parent
			}
		}
	}
	return at
}
