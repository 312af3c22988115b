package ingest

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"understudy/internal/platform/budget"
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

// Events returns at most limit events, newest first, from below a position on
// when that is not zero; fewer when more would make a reply too long. more
// reports whether others follow.
func (in *Ingest) Events(ctx context.Context, project string, f Filter, below Position, limit int) (list []Listed, more bool, err error) {
	s, err := in.prepare(ctx, project, f, false)
	if err != nil {
		return nil, false, err
	}
	if below != (Position{}) && (f.To == 0 || below.Time < f.To) {
		s.f.To = below.Time + 1
	}
	var found latest
	most := limit + 1 // one more, to see whether others follow
	err = in.d.Store.Query(ctx, Query{Project: project, From: s.f.From, To: s.f.To}, func(c *Columns) (bool, error) {
		if len(found) == most && c.Max < found[0].Time {
			return false, nil
		}
		s.rows(c, func(i int) {
			p := Position{c.Time[i], c.First + int64(i)}
			switch {
			case below != (Position{}) && !p.less(below):
			case len(found) < most:
				heap.Push(&found, ranked{p, c.First})
			case found[0].less(p):
				found[0] = ranked{p, c.First}
				heap.Fix(&found, 0)
			}
		})
		return true, nil
	})
	if err != nil || len(found) == 0 {
		return nil, false, err
	}
	if len(found) == most {
		heap.Pop(&found)
		more = true
	}
	list, cut, err := in.fetch(ctx, found)
	if err != nil {
		return nil, false, err
	}
	return list, more || cut, in.fillUsers(ctx, project, list)
}

// fetch reads the events that were found, newest first, as many as a reply
// holds. cut reports that there are more.
func (in *Ingest) fetch(ctx context.Context, found latest) (list []Listed, cut bool, err error) {
	wanted := map[int64]bool{}
	var groups []int64
	for _, r := range found {
		wanted[r.Seq] = true
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
	}
	size := 0
	r := room{ctx: ctx}
	err = in.d.Store.Query(ctx, Query{Groups: groups, Detail: true}, func(c *Columns) (bool, error) {
		if err := r.take(c); err != nil {
			return false, err
		}
		events, err := c.Detail()
		for i := range events {
			e := Listed{events[i], Position{events[i].Time, c.First + int64(i)}}
			if !wanted[e.Seq] || cut && e.Position.less(list[len(list)-1].Position) {
				continue
			}
			e.own()
			list, size = append(list, e), size+e.Size()
		}
		slices.SortFunc(list, func(a, b Listed) int {
			return cmp.Or(cmp.Compare(b.Position.Time, a.Position.Time), cmp.Compare(b.Seq, a.Seq))
		})
		if size > budget.PageBytes { // what stands behind those that fill the page is not in it
			n, filled := 0, 0
			for ; filled <= budget.PageBytes && n < len(list); n++ {
				filled += list[n].Size()
			}
			cut = cut || n < len(list)
			clear(list[n:])
			list, size = list[:n], filled
		}
		return true, err
	})
	return list, cut, err
}

// room is the memory that one request holds for payloads: nothing while they
// are few, else once all that a page and its reply take.
type room struct {
	ctx   context.Context
	bytes int
	held  bool
}

const (
	fewBytes  = 1 << 20
	roomBytes = 3 * budget.PageBytes
)

// take makes room for what Detail of a group builds. It returns what budget.Work returns.
func (r *room) take(c *Columns) error {
	if r.bytes += c.Bytes; r.held || r.bytes <= fewBytes {
		return nil
	}
	r.held = true
	return budget.Work(r.ctx, roomBytes)
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
