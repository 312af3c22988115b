package ingest

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	db "understudy/internal/platform/store"
)

// Position is where an event stands in a list, newest first.
type Position struct{ Time, Seq int64 }

func (p Position) less(o Position) bool {
	return p.Time < o.Time || p.Time == o.Time && p.Seq < o.Seq
}

// Listed is an event in a list.
type Listed struct {
	Event
	Position
}

// ranked is an event that was found, and the group that it is in.
type ranked struct {
	Position
	group int64
}

// latest keeps the newest of what it is given; the oldest is on top.
type latest []ranked

func (l latest) Len() int           { return len(l) }
func (l latest) Less(i, j int) bool { return l[i].less(l[j].Position) }
func (l latest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *latest) Push(x any)        { *l = append(*l, x.(ranked)) }
func (l *latest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// Events lists at most limit events, newest first, from below a position on
// when that is not zero.
func (in *Ingest) Events(ctx context.Context, project string, f Filter, below Position, limit int) ([]Listed, error) {
	s, err := in.prepare(ctx, project, f, false)
	if err != nil {
		return nil, err
	}
	if below != (Position{}) && (f.To == 0 || below.Time < f.To) {
		s.f.To = below.Time + 1
	}
	var found latest
	err = in.d.Store.Query(ctx, Query{Project: project, From: s.f.From, To: s.f.To}, func(c *Columns) (bool, error) {
		if len(found) == limit && c.Max < found[0].Time {
			return false, nil
		}
		s.rows(c, func(i int) {
			p := Position{c.Time[i], c.First + int64(i)}
			switch {
			case below != (Position{}) && !p.less(below):
			case len(found) < limit:
				heap.Push(&found, ranked{p, c.First})
			case found[0].less(p):
				found[0] = ranked{p, c.First}
				heap.Fix(&found, 0)
			}
		})
		return true, nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	out, err := in.fetch(ctx, found)
	if err != nil {
		return nil, err
	}
	return out, in.fillUsers(ctx, project, out)
}

// fetch reads the events that were found, in their order.
func (in *Ingest) fetch(ctx context.Context, found latest) ([]Listed, error) {
	wanted := map[int64]bool{}
	var groups []int64
	for _, r := range found {
		wanted[r.Seq] = true
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
	}
	out := make([]Listed, 0, len(found))
	err := in.d.Store.Query(ctx, Query{Groups: groups, Detail: true}, func(c *Columns) (bool, error) {
		events, err := c.Detail()
		for i := range events {
			if seq := c.First + int64(i); wanted[seq] {
				out = append(out, Listed{events[i], Position{events[i].Time, seq}})
			}
		}
		return true, err
	})
	slices.SortFunc(out, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(b.Position.Time, a.Position.Time), cmp.Compare(b.Seq, a.Seq))
	})
	return out, err
}

// fillUsers gives events without a user that of their session.
func (in *Ingest) fillUsers(ctx context.Context, project string, events []Listed) error {
	return in.d.Events.Read(ctx, func(tx *db.Tx) error {
		known := map[string]string{}
		for i := range events {
			e := &events[i]
			if e.User != "" {
				continue
			}
			user, ok := known[e.Session]
			if !ok {
				s, _, err := getSession(tx, project, e.Session, false)
				if err != nil {
					return err
				}
				user = s.User
				known[e.Session] = user
			}
			e.User = user
		}
		return nil
	})
}
