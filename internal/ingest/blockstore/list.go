package blockstore

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/budget"
)

// ranked is an event that was found, with its block.
type ranked struct {
	ingest.Position
	block int64
}

// latest is a heap of the newest events, with the oldest of them on top.
type latest []ranked

func (l latest) Len() int           { return len(l) }
func (l latest) Less(i, j int) bool { return l[i].Less(l[j].Position) }
func (l latest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *latest) Push(x any)        { *l = append(*l, x.(ranked)) }
func (l *latest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// List returns the events that match l. A page that would be too long ends early.
func (s *blocks) List(ctx context.Context, l ingest.List) (ingest.Page, error) {
	if l.After > 0 {
		return s.listAfter(ctx, l)
	}
	if l.Below != (ingest.Position{}) && (l.To == 0 || l.Below.Time < l.To) {
		l.To = l.Below.Time + 1
	}
	var found latest
	most := l.Limit + 1 // one more, to see whether others follow
	err := s.scan(ctx, &l.Match, 0, 0, func(c *ingest.Columns, rows []int32) (bool, error) {
		if len(found) == most && c.Max < found[0].Time {
			return false, nil
		}
		for _, i := range rows {
			p := ingest.Position{Time: c.Time[i], Seq: c.Number(int(i))}
			switch {
			case l.Below != (ingest.Position{}) && !p.Less(l.Below):
			case len(found) < most:
				heap.Push(&found, ranked{p, c.First})
			case found[0].Less(p):
				found[0] = ranked{p, c.First}
				heap.Fix(&found, 0)
			}
		}
		return true, nil
	})
	if err != nil || len(found) == 0 {
		return ingest.Page{}, err
	}
	more := len(found) == most
	if more {
		heap.Pop(&found)
	}
	page, err := s.fetch(ctx, l.Project, found, l.Summary, func(a, b *ingest.Listed) int {
		return cmp.Or(cmp.Compare(b.Position.Time, a.Position.Time), cmp.Compare(b.Seq, a.Seq))
	})
	page.More = page.More || more
	return page, err
}

// listAfter is List in the order of numbers.
func (s *blocks) listAfter(ctx context.Context, l ingest.List) (ingest.Page, error) {
	var found latest
	more := false
	err := s.scan(ctx, &l.Match, l.After, 0, func(c *ingest.Columns, rows []int32) (bool, error) {
		for _, i := range rows {
			n := c.Number(int(i))
			if n <= l.After {
				continue
			}
			if more = len(found) == l.Limit; more {
				return false, nil
			}
			found = append(found, ranked{ingest.Position{Time: c.Time[i], Seq: n}, c.First})
		}
		return true, nil
	})
	if err != nil || len(found) == 0 {
		return ingest.Page{}, err
	}
	page, err := s.fetch(ctx, l.Project, found, l.Summary, func(a, b *ingest.Listed) int { return cmp.Compare(a.Seq, b.Seq) })
	page.More = page.More || more
	return page, err
}

// fetch reads the found events, in their order, as many as fit in a reply.
func (s *blocks) fetch(ctx context.Context, project string, found latest, summary bool, order func(a, b *ingest.Listed) int) (page ingest.Page, err error) {
	wanted := map[int64]bool{}
	var groups []int64
	for _, r := range found {
		wanted[r.Seq] = true
		groups = append(groups, r.block)
	}
	slices.Sort(groups)
	size := 0
	room := ingest.NewRoom(ctx)
	err = s.Query(ctx, ingest.Query{Project: project, Groups: slices.Compact(groups), Detail: true}, func(c *ingest.Columns) (bool, error) {
		if err := room.Take(c); err != nil {
			return false, err
		}
		var rows []int
		for i := range c.N {
			if wanted[c.Number(i)] {
				rows = append(rows, i)
			}
		}
		if len(rows) == 0 {
			return true, nil
		}
		events, err := c.Some(rows)
		for i := range events {
			e := ingest.Listed{Event: events[i], Position: ingest.Position{Time: events[i].Time, Seq: c.Number(rows[i])}}
			if page.More && order(&page.Events[len(page.Events)-1], &e) < 0 {
				continue
			}
			if summary {
				e.Summarize()
			}
			e.Own()
			page.Events, size = append(page.Events, e), size+e.Size()
		}
		slices.SortFunc(page.Events, func(a, b ingest.Listed) int { return order(&a, &b) })
		if size > budget.PageBytes { // the events after the one that fills the page are not on it
			n, filled := 0, 0
			for ; filled <= budget.PageBytes && n < len(page.Events); n++ {
				filled += page.Events[n].Size()
			}
			page.More = page.More || n < len(page.Events)
			clear(page.Events[n:])
			page.Events, size = page.Events[:n], filled
		}
		return true, err
	})
	return page, err
}

// Find returns the event with an id of a project, with its number.
func (s *Store) Find(ctx context.Context, project, id string) (e ingest.Listed, found bool, err error) {
	seqs, err := s.candidates(ctx, project, id)
	if err != nil || len(seqs) == 0 {
		return e, false, err
	}
	err = s.Query(ctx, ingest.Query{Project: project, Groups: seqs, Detail: true}, func(c *ingest.Columns) (bool, error) {
		events, err := c.Detail()
		for i := range events {
			if events[i].ID == id {
				e, found = ingest.Listed{Event: events[i], Position: ingest.Position{Time: events[i].Time, Seq: c.Number(i)}}, true
				e.Own()
				return false, err
			}
		}
		return true, err
	})
	return e, found, err
}
