package ingest

import (
	"context"
	"math"
	"slices"

	"understudy/internal/platform/budget"
)

// Forest is one page of a session's tree, in depth-first order. An event whose
// parent is on an earlier page is among the roots.
type Forest struct {
	Roots []*Node
	Size  int     // about the size of a reply with it
	Next  []Place // the path of its last event if others follow, else nil
}

// forest reads a session's tree from after an event, given by its path. A summary
// contains previews of long texts.
func (in *Ingest) forest(ctx context.Context, project string, s *Session, after []Place, summary bool) (f Forest, err error) {
	r := treeReader{in: in, ctx: ctx, project: project, session: s, summary: summary, room: NewRoom(ctx)}
	t, err := r.branches(len(after) == 0)
	if err != nil {
		return f, err
	}
	wanted := t.after(t.order(), after)
	shown, size, err := r.load(t, wanted)
	if err != nil {
		return f, err
	}
	f.Roots, f.Size = t.nodes(shown), size
	if len(shown) > 0 && shown[len(shown)-1] != wanted[len(wanted)-1] {
		f.Next = t.path(shown[len(shown)-1])
	}
	return f, nil
}

// treeReader reads parts of a session's tree for one request.
type treeReader struct {
	in      *Ingest
	ctx     context.Context
	project string
	session *Session
	summary bool
	room    *Room
}

// branches reads the tree of the session. With texts it also reads the events, as
// many as fit in a reply.
func (r *treeReader) branches(texts bool) (*branches, error) {
	if err := budget.Work(r.ctx, r.session.Events*branchBytes); err != nil {
		return nil, err
	}
	var t branches
	kept := 0
	err := r.query(Query{Sessions: []string{r.session.ID}, Detail: texts, IDs: !texts}, func(e *Event, number, group int64) {
		if e.Session != r.session.ID {
			return
		}
		if b := t.add(e, number, group); texts {
			kept = r.keep(b, e, kept, budget.PageBytes)
		}
	})
	t.link()
	return &t, err
}

// query calls fn for the session's events in the groups that match a query.
func (r *treeReader) query(q Query, fn func(e *Event, number, group int64)) error {
	q.Project = r.project
	return r.in.d.Store.Query(r.ctx, q, func(c *Columns) (bool, error) {
		if err := r.room.Take(c); err != nil {
			return false, err
		}
		events, err := c.Detail()
		for i := range events {
			fn(&events[i], c.Number(i), c.First)
		}
		return true, err
	})
}

// keep stores the size of an event, and stores the event unless more than most
// bytes would be stored. It returns the number of stored bytes.
func (r *treeReader) keep(b *branch, e *Event, kept, most int) int {
	l := Listed{Event: *e}
	if l.User == "" {
		l.User = r.session.User
	}
	if r.summary {
		l.Summarize()
	}
	b.size = int32(l.Size())
	if kept += int(b.size); kept <= most {
		l.Own()
		b.node = &Node{Event: l.Event, Cut: l.Cut, Size: int(b.size), seq: b.Seq}
	}
	return kept
}

// load reads events, and returns the first ones, as many as fit in a reply, and
// the approximate size of a reply with them.
func (r *treeReader) load(t *branches, wanted []int32) (fit []int32, size int, err error) {
	if err := r.read(t, wanted, budget.PageBytes); err != nil {
		return nil, 0, err
	}
	n := 0
	for ; n < len(wanted) && size <= budget.PageBytes; n++ {
		size += int(t.all[wanted[n]].size)
	}
	for _, i := range wanted[n:] {
		t.all[i].node = nil
	}
	if err := r.read(t, wanted[:n], math.MaxInt); err != nil {
		return nil, 0, err
	}
	fit = slices.DeleteFunc(slices.Clone(wanted[:n]), func(i int32) bool { return t.all[i].node == nil }) // removed meanwhile
	for _, i := range fit {
		t.mark(i)
	}
	return fit, size, nil
}

// read reads those of some events that are not read yet, and stores them like
// keep.
func (r *treeReader) read(t *branches, some []int32, most int) error {
	places := map[int64]int32{}
	var groups []int64
	kept := 0
	for _, i := range some {
		b := &t.all[i]
		if b.node != nil {
			kept += int(b.size)
			continue
		}
		places[b.Seq] = i
		groups = append(groups, b.group)
	}
	if len(groups) == 0 {
		return nil
	}
	slices.Sort(groups)
	return r.query(Query{Groups: slices.Compact(groups), Detail: true}, func(e *Event, number, _ int64) {
		if i, wanted := places[number]; wanted {
			kept = r.keep(&t.all[i], e, kept, most)
		}
	})
}
