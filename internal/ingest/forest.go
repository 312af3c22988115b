package ingest

import (
	"context"
	"slices"

	"understudy/internal/platform/budget"
)

// Forest is one page of a session's tree: its events in the order in which a
// reader meets them from the roots down. An event whose parent is on an earlier
// page stands among the roots.
type Forest struct {
	Roots []*Node
	Size  int   // about the bytes of a reply with it
	Next  int64 // number of its last event when others follow, else 0
}

// placed is an event of a session with the group that it is in.
type placed struct {
	group int64
	size  int
}

// forest reads a session's tree from after an event on. Payloads are kept while
// they fit into one reply; those of a longer session are read again, for the
// page alone. A summary holds previews of them.
func (in *Ingest) forest(ctx context.Context, project string, s *Session, after int64, summary bool) (f Forest, err error) {
	var events []Listed
	at := map[int64]placed{}
	total := 0
	r := NewRoom(ctx)
	err = in.d.Store.Query(ctx, Query{Project: project, Sessions: []string{s.ID}, Detail: true}, func(c *Columns) (bool, error) {
		if err := r.Take(c); err != nil {
			return false, err
		}
		all, err := c.Detail()
		for i := range all {
			if all[i].Session != s.ID {
				continue
			}
			if all[i].User == "" {
				all[i].User = s.User
			}
			e := Listed{Event: all[i], Position: Position{all[i].Time, c.Number(i)}}
			if summary {
				e.Summarize()
			}
			size := e.Size()
			at[e.Seq] = placed{c.First, size}
			if total += size; total > budget.PageBytes {
				e.strip()
			} else {
				e.Own()
			}
			events = append(events, e)
		}
		return true, err
	})
	if err != nil {
		return f, err
	}
	if total <= budget.PageBytes && after == 0 {
		return Forest{Roots: Tree(events), Size: total}, nil
	}
	for i := range events {
		events[i].strip()
	}
	window, parents := f.cut(Tree(events), at, after)
	if err := in.fill(ctx, project, window, at, summary); err != nil {
		return f, err
	}
	for _, n := range window {
		n.Children = nil
		if p := parents[n]; p != nil && window[p.seq] != nil {
			continue
		}
		f.Roots = append(f.Roots, n)
	}
	slices.SortFunc(f.Roots, func(a, b *Node) int { return a.order - b.order })
	for n, p := range parents {
		if window[n.seq] != nil && window[p.seq] != nil {
			p.Children = append(p.Children, n)
		}
	}
	for _, n := range window {
		slices.SortFunc(n.Children, func(a, b *Node) int { return a.order - b.order })
	}
	return f, nil
}

// strip drops the payloads.
func (e *Event) strip() { e.Args, e.Result, e.Metadata, e.Checkpoints, e.marks = "", "", "", "", nil }

// cut walks a tree from after an event on and returns the events of one page by
// their numbers, and the parents of all.
func (f *Forest) cut(roots []*Node, at map[int64]placed, after int64) (window map[int64]*Node, parents map[*Node]*Node) {
	window, parents = map[int64]*Node{}, map[*Node]*Node{}
	begun, last, order := after == 0, int64(0), 0
	var walk func(nodes []*Node, parent *Node) bool
	walk = func(nodes []*Node, parent *Node) bool {
		for _, n := range nodes {
			if parent != nil {
				parents[n] = parent
			}
			order++
			n.order = order
			switch {
			case !begun:
				begun = n.seq == after
			case f.Size > budget.PageBytes:
				f.Next = last
				return false
			default:
				window[n.seq] = n
				f.Size += at[n.seq].size
				last = n.seq
			}
			if !walk(n.Children, n) {
				return false
			}
		}
		return true
	}
	walk(roots, nil)
	return window, parents
}

// fill reads the payloads of the events of a page.
func (in *Ingest) fill(ctx context.Context, project string, window map[int64]*Node, at map[int64]placed, summary bool) error {
	if len(window) == 0 {
		return nil
	}
	var groups []int64
	for seq := range window {
		groups = append(groups, at[seq].group)
	}
	slices.Sort(groups)
	return in.d.Store.Query(ctx, Query{Project: project, Groups: slices.Compact(groups), Detail: true}, func(c *Columns) (bool, error) {
		all, err := c.Detail()
		for i := range all {
			if n := window[c.Number(i)]; n != nil {
				e := Listed{Event: all[i]}
				if summary {
					e.Summarize()
				}
				e.Own()
				n.Args, n.Result, n.Metadata, n.Checkpoints, n.marks, n.Cut = e.Args, e.Result, e.Metadata, e.Checkpoints, e.marks, e.Cut
			}
		}
		return true, err
	})
}
